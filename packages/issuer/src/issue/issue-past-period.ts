import { manualCurveSource } from '../curve/curve-source.ts'
import { maxAgeBusinessDaysDefault } from '../settings.ts'
import type { Signer } from '../signers/signer.ts'
import { type IssueContext, type IssueResult, issueNotes } from './issue-notes.ts'

/** Issues the notes of a past period from a manual curve, for example to seed a sandbox. Checks no clocks or sources. */
export function issuePastPeriod(
  { signer, ...context }: Pick<IssueContext, 'database' | 'time' | 'maxMoveBps'> & { readonly signer: Signer },
  wanted: Parameters<typeof issueNotes>[1],
): Promise<IssueResult> {
  const preflight = { isRequired: () => false, findPending: () => undefined, findRefusal: async () => undefined }
  const none = async () => undefined
  // Expired notes cannot be used, so they are not journalled.
  const journal = {
    ...{ assertNoConflict: () => undefined, isShared: false, claim: none, findPendingConflict: none },
    ...{ recordPending: none, voidRefused: none, record: none, recordStored: none },
  }
  const clocks = { status: () => ({ databaseSeconds: undefined, confirmation: 'single_clock' as const }) }
  const nothing = {
    readChainTime: async () => undefined,
    readPoolLimits: async () => undefined,
    clocks,
    windowLimits: undefined,
  }
  const silent = { ...nothing, preflight, curveSource: manualCurveSource, journal }
  const limits = { maxAgeBusinessDays: maxAgeBusinessDaysDefault, signAheadSeconds: 0 }
  const { id, tenors: curveTenors } = wanted.chain
  return issueNotes({ ...context, ...silent, ...limits, curveTenors, signers: new Map([[id, signer]]) }, wanted)
}
