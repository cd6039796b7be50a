import { maxAgeBusinessDaysDefault } from '../../config-schema.ts'
import { manualCurveSource } from '../curve/curve-source.ts'
import { type IssueResult, type IssuingDesk, issueNotes } from './issue-notes.ts'

/**
 * The notes of a period that is over, by a curve set by hand: for whoever makes up a past, such as a sandbox. Of a time
 * that is over neither a clock nor source has anything to say any more, so neither is asked.
 */
export function issuePastPeriod(
  desk: Pick<IssuingDesk, 'database' | 'clock' | 'signer' | 'tenors' | 'maxMoveBps'>,
  wanted: Parameters<typeof issueNotes>[1],
): Promise<IssueResult> {
  const preflight = { findHeld: () => undefined, findRefusal: async () => undefined }
  // Nor is it journalled: nobody can use these notes, so they contradict nothing.
  const journal = { assertAgrees: () => undefined, record: async () => undefined, admit: async () => undefined }
  const timeJudge = { judge: () => ({ databaseSeconds: undefined, standing: 'alone' as const }) }
  const nothing = { readChainTime: async () => undefined, timeJudge, windowLimits: undefined }
  const silent = { ...nothing, preflight, curveSource: manualCurveSource, journal }
  const limits = { maxAgeBusinessDays: maxAgeBusinessDaysDefault, signAheadSeconds: 0 }
  return issueNotes({ ...desk, ...silent, ...limits }, wanted)
}
