export { type AdminRole, adminRoles, type Whoami } from './admin/admin-role.ts'
export type { AuditEntryView, AuditFilter, AuditReport } from './admin/audit-report.ts'
export type { CouponBound, CurvePreviewReport, TenorPreviewReport } from './admin/curve-preview.ts'
export type {
  ChainCurves,
  CurveInForce,
  CurvePoints,
  CurveReport,
  CurveSourceName,
  CurveView,
  ProposalView,
} from './admin/curve-report.ts'
export { describeAuditEntry, listDescribedActions } from './admin/describe-audit-entry.ts'
export type {
  DeliveryAttempt,
  DeliveryReport,
  DeliveryResponse,
  DeliveryView,
  HookTest,
  HookView,
  ListedHookView,
} from './admin/hook-view.ts'
export type { KeyChange, KeyReport, KeyView, ReplicaReport } from './admin/key-view.ts'
export type { NotesReport, NoteTimes, PeriodReport, RogueReport } from './admin/notes-report.ts'
export type { ChainStatus, IndexStatus, StatusReport } from './admin/status-report.ts'
export type { QuotaUse, UsageReport } from './admin/usage-report.ts'
export { type LogBloom, parseLogBloom } from './bloom/log-bloom.ts'
export { countBusinessDays } from './calendar/business-days.ts'
export { formatIcalendar } from './calendar/format-icalendar.ts'
export { listPeriods } from './calendar/list-periods.ts'
export {
  formatNewYork,
  formatPeriod,
  maturityOf,
  newYorkDate,
  newYorkInstant,
  type Period,
  periodAfter,
  periodAt,
} from './calendar/period.ts'
export { type ErrorCode, errorCodes, invalidConfig, TallystickError } from './error/tallystick-error.ts'
export type { Finding, Severity } from './health/finding.ts'
export { annualisedFloatingRate } from './income/annualised-floating-rate.ts'
export { fixedIncome } from './income/fixed-income.ts'
export { type FloatingAccumulator, floatingIncome } from './income/floating-income.ts'
export { partnerFee } from './income/partner-fee.ts'
export type { PositionTerms } from './income/position-terms.ts'
export { isCutOff, parseJson } from './json/parse-json.ts'
export { createApiKey, isApiKey, type KeyKind, type KeyScope, keyKinds, keyScopes } from './key/api-key.ts'
export {
  type Note,
  type NoteDomain,
  type NoteSignature,
  type NoteStatus,
  type NoteTerms,
  noteStatusAt,
} from './note/note.ts'
export { hashNote, noteTypedData } from './note/note-typed-data.ts'
export { createRecentResults } from './note/recent-results.ts'
export { findSignatureFault, type NoteVerification, verifyNote } from './note/verify-note.ts'
export {
  type ChainRateFacts,
  currentRates,
  type FixedRate,
  findMissingIncome,
  isIncomeStale,
  type LastFloatingIncome,
} from './rates/current-rates.ts'
export {
  type BillBasis,
  billBases,
  billDays,
  billTerms,
  couponsFromBills,
  formatProtocolBps,
  isRatePercent,
} from './treasury/bill-curve.ts'
export { billRatesPublishedAt, newestBillRatesDate } from './treasury/publication.ts'
export {
  type CalendarPeriod,
  type CalendarResponse,
  calendarPeriodSchema,
  calendarResponseSchema,
  encodeCalendarPeriod,
} from './wire/calendar-response.ts'
export {
  type ChainInfo,
  type ChainsResponse,
  chainInfoSchema,
  chainsResponseSchema,
  dollarSchema,
  poolLimitsSchema,
  positionTokenSchema,
  signingDomainSchema,
} from './wire/chains-response.ts'
export { type CurveProvenance, curveProvenanceSchema, provenanceBillSchema } from './wire/curve-provenance.ts'
export {
  type DataRequestBody,
  dataEnvelopeSchema,
  dataRequestSchema,
  dataVariablesSchema,
} from './wire/data-request.ts'
export { chainDataSchema, chainErrorSchema, type DataResponse, dataResponseSchema } from './wire/data-response.ts'
export { type ErrorBody, errorBodySchema } from './wire/error-body.ts'
export {
  eventIdPattern,
  type RateEvent,
  rateEventSchema,
  resetEventSchema,
  type StatusEvent,
  type StreamEvent,
  statusEventSchema,
  streamEventSchema,
} from './wire/event.ts'
export { type EventType, eventTypes } from './wire/event-types.ts'
export {
  graphqlAnswerSchema,
  graphqlErrorSchema,
  graphqlFailureSchema,
  graphqlRequestSchema,
} from './wire/graphql-over-http.ts'
export {
  type HistoryDay,
  type HistoryNotesResponse,
  type HistoryPeriod,
  type HistoryRateResponse,
  historyCouponSchema,
  historyDaySchema,
  historyFixedRateSchema,
  historyNotesResponseSchema,
  historyPeriodSchema,
  historyRateResponseSchema,
} from './wire/history-response.ts'
export { formatPercent, formatUtc, type HistoryTable, tabulateDays, tabulatePeriods } from './wire/history-table.ts'
export {
  type CurveEntry,
  formatLogEntry,
  type LogEntry,
  type NotesEntry,
  parseLogEntry,
  publicFrom,
  type SignerEntry,
} from './wire/log-entry.ts'
export { type LogProof, logProofSchema } from './wire/log-proof.ts'
export {
  decodeNote,
  encodeNote,
  type NotesResponse,
  notesResponseSchema,
  type WireNote,
  wireNoteSchema,
  wireSignatureSchema,
} from './wire/notes-response.ts'
export type {
  CodeSample,
  JsonSchema,
  MediaType,
  OpenapiDocument,
  OpenapiExample,
  OpenapiHeader,
  OpenapiOperation,
  OpenapiParameter,
  OpenapiReference,
  OpenapiResponse,
} from './wire/openapi-document.ts'
export type { PortalChain, PortalInfo, PortalVisitor, TestWalletInfo } from './wire/portal-info.ts'
export { positionQuery } from './wire/position-query.ts'
export {
  calendarDaysDefault,
  calendarDaysMax,
  calendarQuerySchema,
  eventsQuerySchema,
  historyDaysMax,
  historyNotesQuerySchema,
  historyPeriodsMax,
  historyRateQuerySchema,
  logProofQuerySchema,
  maturityPattern,
  notesQuerySchema,
  rateQuerySchema,
} from './wire/query-parameters.ts'
export {
  type ChainRates,
  chainRatesSchema,
  fixedRateSchema,
  marketRateSchema,
  type RateResponse,
  rateResponseSchema,
} from './wire/rate-response.ts'
