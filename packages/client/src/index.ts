export {
  annualisedFloatingRate,
  type FloatingAccumulator,
  fixedIncome,
  floatingIncome,
  type Note,
  type NoteSignature,
  type NoteStatus,
  type NoteTerms,
  type NoteVerification,
  type PositionTerms,
} from '@tallystick/core'
export {
  type BatchClaimOptions,
  batchClaimCalldata,
  type ClaimCondition,
  type ClaimOptions,
  type ClaimTarget,
  claimCalldata,
  permitClaimCalldata,
} from './chain/claim-calldata.ts'
export { type LendOptions, lendCalldata, permitLendCalldata } from './chain/lend-calldata.ts'
export type { Permit, PermitSignature } from './chain/permit-typed-data.ts'
export {
  type PermitClaimOptions,
  type PermitLendOptions,
  type PermitToken,
  permitClaimTypedData,
  permitLendTypedData,
} from './chain/permit-typed-data.ts'
export { poolAbi } from './chain/pool-abi.ts'
export { poolEventAbi } from './chain/pool-event-abi.ts'
export type { Call } from './chain/simulate-call.ts'
export { type CallProvider, type SimulateCallOptions, type Simulation, simulateCall } from './chain/simulate-call.ts'
export type { ChainDomain, ChainToken, ServiceChain } from './chains/fetch-chains.ts'
export type { ClientErrorCode } from './client-error.ts'
export { ClientError, type ClientErrorOptions } from './client-error.ts'
export { type Client, type ClientOptions, createClient } from './create-client.ts'
export type { ChainEarnings, Earnings } from './data/fetch-earnings.ts'
export type { ChainFloatingIncomes, FloatingIncomeDay } from './data/fetch-floating-incomes.ts'
export type { ChainPositions, Position } from './data/fetch-positions.ts'
export type { DocumentLike } from './data/print-document.ts'
export type { ChainError, ChainResult, DataRequest, DocumentTypes, TypedDocument } from './data/query-data.ts'
export type { FetchFunction } from './environment.ts'
export {
  ConnectionError,
  HttpsRequiredError,
  InsufficientScopeError,
  InvalidApiKeyError,
  InvalidRequestError,
  MalformedAnswerError,
  NotesUnavailableError,
  QueryRejectedError,
  RateLimitedError,
  ServiceError,
  TimeoutError,
  TlsError,
  UpstreamError,
} from './errors.ts'
export type { CalendarOptions, CalendarPeriod, DayRange, HistoryDay, HistoryPeriod } from './history/fetch-history.ts'
export {
  type Claimability,
  type ClaimIncome,
  type ClaimTerms,
  claimability,
  type ReportedIncome,
} from './income/claimability.ts'
export { type ExpectedIncome, type ExpectedIncomeOptions, expectedIncome } from './income/expected-income.ts'
export { floatingAccumulator } from './income/floating-accumulator.ts'
export { type IncomeNotReported, IncomeNotReportedError } from './income/income-not-reported.ts'
export { LogError, NotLoggedError } from './log/log-error.ts'
export type { LogStorage } from './log/read-checkpoint.ts'
export { type LoggedNotes, type VerifyLoggedOptions, verifyLogged } from './log/verify-logged.ts'
export type { OfferedNote, WireNote } from './notes/decode-notes.ts'
export type { LogPosition, NotesAnswer, NotesFilter } from './notes/fetch-notes.ts'
export { noteStatus } from './notes/note-status.ts'
export { type VerifyNoteOptions, verifyNote } from './notes/verify-note.ts'
export { defaultMinRemaining, type WatchNotesOptions } from './notes/watch-notes.ts'
export type { NotesState } from './notes/watch-state.ts'
export type { ChainRate, RateAnswer, RateFigures } from './rate/fetch-rate.ts'
export { explainRevert, type RevertExplanation, type RevertName } from './revert/explain-revert.ts'
export type { RevertParties } from './revert/explanation.ts'
export type { ChainStatus, WebhookEvent, WebhookFacts } from './webhook/decode-webhook.ts'
export {
  type VerifyWebhookOptions,
  verifyWebhook,
  WebhookError,
  type WebhookHeaders,
} from './webhook/verify-webhook.ts'
