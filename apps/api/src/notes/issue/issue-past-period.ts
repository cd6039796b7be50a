import { maxAgeBusinessDaysDefault } from '../../config-schema.ts'
import { manualCurveSource } from '../curve/curve-source.ts'
import { type IssueContext, type IssueResult, issueNotes } from './issue-notes.ts'

/**
 * The notes of a period that is over, by a curve set by hand: for whoever makes up a past, such as a sandbox. Of a time
 * that is over neither a clock nor source has anything to say any more, so neither is asked.
 */
export function issuePastPeriod(
  context: Pick<IssueContext, 'database' | 'clock' | 'signer' | 'tenors' | 'maxMoveBps'>,
  wanted: Parameters<typeof issueNotes>[1],
): Promise<IssueResult> {
  const preflight = { findPending: () => undefined, findRefusal: async () => undefined }
  // Nor is it journalled: nobody can use these notes, so they contradict nothing.
  const journal = { assertAgrees: () => undefined, record: async () => undefined, admit: async () => undefined }
  const clocks = { status: () => ({ databaseSeconds: undefined, confirmation: 'single_clock' as const }) }
  const nothing = { readChainTime: async () => undefined, clocks, windowLimits: undefined }
  const silent = { ...nothing, preflight, curveSource: manualCurveSource, journal }
  const limits = { maxAgeBusinessDays: maxAgeBusinessDaysDefault, signAheadSeconds: 0 }
  return issueNotes({ ...context, ...silent, ...limits }, wanted)
}
