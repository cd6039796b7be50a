import type { ReadChainTime } from '@tallystick/chain'
import { type Period, verifyNote } from '@tallystick/core'
import type { Database } from '@tallystick/database'
import { type Clock, toSeconds } from '../../clock.ts'
import type { ChainConfig } from '../../config.ts'
import type { ClockComparison } from '../../time/clock-comparison.ts'
import type { Curve } from '../curve/curve.ts'
import type { CurveSource } from '../curve/curve-source.ts'
import { findCurveInForce } from '../curve/curve-store.ts'
import { readMoveWindows, type WindowLimits } from '../curve/move-windows.ts'
import type { JournalGuard } from '../journal/journal-guard.ts'
import type { NoteSet } from '../note-set.ts'
import { findLastNoteSet, findNoteSet, storeNoteSet } from '../note-store.ts'
import type { Signer } from '../signers/signer.ts'
import type { Preflight } from './preflight.ts'
import { findRefusal, offeredTenors, type Refusal } from './rails.ts'
import { signPeriodNote } from './sign-period-note.ts'

/** What issuing needs around it. */
export type IssueContext = {
  readonly database: Database
  readonly clock: Clock
  readonly signer: Signer
  readonly readChainTime: ReadChainTime
  readonly clocks: Pick<ClockComparison, 'status'>
  readonly signAheadSeconds: number
  readonly tenors: readonly number[]
  readonly maxMoveBps: number
  /** How far a coupon may move within a day and a week; undefined is any distance. */
  readonly windowLimits: WindowLimits | undefined
  readonly preflight: Pick<Preflight, 'findPending' | 'findRefusal'>
  readonly maxAgeBusinessDays: number
  readonly curveSource: CurveSource
  readonly journal: JournalGuard
}

export type IssueResult =
  | { readonly set: NoteSet; readonly refusal?: undefined }
  | { readonly set?: undefined; readonly refusal: Refusal }

// A curve set while one is being signed makes the signing start again; operators do not type faster than this.
const attemptsMax = 5

/**
 * The notes of a chain for a period: those stored, or new ones, signed, proven and stored. Any number of replicas may
 * do this at once; all get the same set. Throws `SignerError`,
 * `JournalError` and database errors, which are worth another try.
 */
export async function issueNotes(
  context: IssueContext,
  { chain, period }: { readonly chain: ChainConfig; readonly period: Period },
): Promise<IssueResult> {
  const key = { chainId: chain.id, periodStart: period.start }
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const stored = await findNoteSet(context.database, key)
    if (stored) return acceptStoredSet(context, { set: stored, chain })
    await context.curveSource.prepare(period)
    const curve = await findCurveInForce(context.database, key)
    const refusal = await judge(context, { chain, period, curve })
    if (refusal || !curve) return { refusal: refusal as Refusal }
    context.journal.assertAgrees({ chain, period, curve, tenors: offeredTenors(context.tenors, curve) })
    const set =
      context.preflight.findPending({ ...key, curveId: curve.id }) ?? (await signSet(context, { chain, period, curve }))
    const objection = await context.preflight.findRefusal(set)
    if (objection) return { refusal: objection }
    const published = await storeNoteSet(context.database, set, () => context.journal.record(set, { chain, curve }))
    if (published) return acceptStoredSet(context, { set: published, chain })
  }
  throw new Error(`the curve of chain ${chain.id} changed ${attemptsMax} times while its notes were being signed`)
}

async function judge(
  { database, clock, windowLimits, curveSource, readChainTime, clocks, ...limits }: IssueContext,
  { chain, period, curve }: { readonly chain: ChainConfig; readonly period: Period; readonly curve: Curve | undefined },
): Promise<Refusal | undefined> {
  const window = windowLimits && { chainId: chain.id, beforeStart: period.start, limits: windowLimits }
  const [windows, previous, latest, chainTimeSeconds] = await Promise.all([
    window && readMoveWindows(database, window),
    findLastNoteSet(database, { chainId: chain.id, beforeStart: period.start }),
    findLastNoteSet(database, { chainId: chain.id }),
    readChainTime(chain.id),
  ])
  const nowMs = clock.now()
  return findRefusal({
    ...limits,
    chain,
    period,
    windows,
    curve,
    sourceProblem: curveSource.problem(),
    previous,
    latest,
    nowSeconds: toSeconds(nowMs),
    chainTimeSeconds,
    time: clocks.status(nowMs),
  })
}

async function signSet(
  { signer, clock, tenors }: IssueContext,
  { chain, period, curve }: { readonly chain: ChainConfig; readonly period: Period; readonly curve: Curve },
): Promise<NoteSet> {
  const notes = await Promise.all(
    offeredTenors(tenors, curve).map(async (tenorDays) => {
      const couponBps = curve.points[tenorDays] as number
      return { ...(await signPeriodNote(signer, { chain, period, tenorDays, couponBps })), tenorDays }
    }),
  )
  return {
    chainId: chain.id,
    period,
    signer: signer.address,
    curveId: curve.id,
    issuedAt: toSeconds(clock.now()),
    notes,
  }
}

/** A set that is stored is proven, and journalled before it is published, whichever replica signed it. */
export async function acceptStoredSet(
  { journal }: Pick<IssueContext, 'journal'>,
  { set, chain }: { readonly set: NoteSet; readonly chain: ChainConfig },
): Promise<IssueResult> {
  const proven = await verifyStoredSet(set, chain)
  if (proven.set) await journal.admit(set, chain)
  return proven
}

/** What comes out of the database is proven like what comes from a signer: it may be another pool's, or altered. */
async function verifyStoredSet(set: NoteSet, chain: ChainConfig): Promise<IssueResult> {
  for (const note of set.notes) {
    const verification = await verifyNote(note, { domain: chain.domain, signer: set.signer })
    const inWindow = note.validAfter === set.period.start - 1n && note.validBefore === set.period.end
    if (verification.valid && inWindow) continue
    const why = verification.valid ? 'its window is not the period’s' : verification.reason
    return {
      refusal: {
        reason: 'stored_set_invalid',
        message:
          `the stored note of ${note.tenorDays} days on chain ${set.chainId} does not verify: ${why}. ` +
          'Was the pool or the domain changed in the configuration? What is stored for a period stays.',
      },
    }
  }
  return { set }
}
