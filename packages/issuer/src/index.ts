export { type Curve, pickPoints } from './curve/curve.ts'
export {
  curveMigrations,
  curveProvenanceMigrations,
  curvesChannel,
  findCurve,
  findCurveInForce,
  findLoggedCurves,
  findSameCurve,
  insertCurve,
  listCurves,
  listUnloggedCurves,
  setCurveLogIndex,
} from './curve/curve-store.ts'
export { keepNewestCurves } from './curve/keep-newest-curves.ts'
export { claimMigrations, findClaimedCurve } from './issue/curve-claims.ts'
export { issuePastPeriods, type PastPeriod, storePastCurves } from './issue/issue-past-periods.ts'
export type { IssueScheduler } from './issue/issue-scheduler.ts'
export { periodNoteTerms } from './issue/period-note-terms.ts'
export { preflightMetricHelp } from './issue/preflight-metrics.ts'
export {
  type DiscardedSet,
  type DiscardRequest,
  listPrematureSets,
  type PrematureSet,
  type SigningHorizon,
  signingHorizon,
} from './issue/premature-sets.ts'
export type { Recorder } from './issue/recorder.ts'
export { encodeDiscard } from './journal/journal-discard.ts'
export { createJournalEntry, decodeEntry, encodeEntry, type JournalEntry } from './journal/journal-entry.ts'
export { JournalError, readJournal } from './journal/journal-file.ts'
export { openSignerJournal, readPeriods } from './journal/signer-journal.ts'
export { noteMetricHelp } from './note-metrics.ts'
export type { LogRange, NoteSet, SetKey } from './note-set.ts'
export {
  findLastNoteSet,
  findLoggedSets,
  findNoteSet,
  insertNoteSet,
  noteMigrations,
  setNotesLogIndex,
} from './note-store.ts'
export type { Claim, ClaimConflict } from './protection/claim.ts'
export {
  claimAll,
  compareAll,
  createClaims,
  hasClaims,
  prepareClaims,
  readClaims,
  restateAll,
  voidClaims,
} from './protection/claim-store.ts'
export { protectionMetricHelp, toClaims } from './protection/keep-protected.ts'
export { createSignerProtection } from './protection/signer-protection.ts'
export {
  type ClaimPlace,
  type ExportReport,
  exportClaims,
  type ImportReport,
  importClaims,
} from './protection/transfer-claims.ts'
export {
  askNotes,
  describeWithheld,
  type NotesAnswer,
  type NotesFilter,
  type PublishedNotes,
  type PublishedPeriod,
  type WithheldNotes,
} from './published-notes.ts'
export { discrepancyMetricHelp } from './reconcile/discrepancy-monitor.ts'
export {
  discardFromFile,
  type FullReconcileReport,
  type RecordsReport,
  reconcileFromFile,
} from './reconcile/start-journal-checks.ts'
export { findRecordedRefusal, type Refusal } from './refusal.ts'
export { type CurveProposal, listProposals, proposalMigrations } from './set-curve/curve-proposals.ts'
export { type ChainPreview, type CurvePreview, previewCurve } from './set-curve/preview-curve.ts'
export { approveCurve, setCurve } from './set-curve/set-curve.ts'
export { type IssuerChain, maxAgeBusinessDaysDefault, type TreasurySettings } from './settings.ts'
export { adviseOnSigner } from './signers/advise-on-signer.ts'
export { type AwsKmsOptions, openAwsKmsSigner } from './signers/kms/aws-kms.ts'
export { loadAwsSdk } from './signers/kms/aws-sdk.ts'
export { crc32c } from './signers/kms/crc32c.ts'
export { type GcpKmsOptions, openGcpKmsSigner } from './signers/kms/gcp-kms.ts'
export { sendGcpRequest } from './signers/kms/gcp-request.ts'
export { openSigner } from './signers/open-signer.ts'
export { listSigners, openSigners, type SignerUse } from './signers/open-signers.ts'
export { createPrivateKeySigner } from './signers/private-key-signer.ts'
export { signNote } from './signers/sign-note.ts'
export { type Signer, SignerError, type SignerFailure } from './signers/signer.ts'
export { createWeb3Signer } from './signers/web3-signer.ts'
export { type RunningNotes, startNotes } from './start-notes.ts'
export { chainAheadToleranceSeconds, chainBehindToleranceSeconds } from './time/chain-clock.ts'
export type { ClockDispute } from './time/clock-comparison.ts'
export { type ClockMonitor, clockMetricHelp, readDatabaseTime, startClockMonitor } from './time/clock-monitor.ts'
export { checkPlausibility } from './treasury/check-plausibility.ts'
export { type FetchOptions, fetchTreasuryCurve } from './treasury/fetch-curve.ts'
export { fetchDocument } from './treasury/fetch-document.ts'
export { fetchSofr } from './treasury/fetch-sofr.ts'
export { treasuryMetricHelp } from './treasury/treasury-metrics.ts'
export { adviseOnLimits, type PoolProblem, type PoolProblems } from './watch/find-pool-problems.ts'
export type { IndexedPool, ReadIndexedPool } from './watch/pool-source.ts'
export { type PoolWatch, poolMetricHelp, type WatchedPool } from './watch/watch-pools.ts'
export { findWiringFaults } from './watch/watch-wiring.ts'
export { withholdReasons } from './watch/withhold-notes.ts'
