import type { PoolLimits, ReadChainTime } from '@tallystick/chain'
import { type Period, verifyNote } from '@tallystick/core'
import type { Database } from '@tallystick/database'
import { type Clock, toSeconds } from '../../clock.ts'
import type { ChainConfig } from '../../config.ts'
import type { NoteLog } from '../../log/note-log.ts'
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
import { findRefusal, offeredTenors } from './rails.ts'
import type { Refusal } from './refusal.ts'
import { signPeriodNote } from './sign-period-note.ts'

/** Dependencies and limits of issuing. */
export type IssueContext = {
  readonly database: Database
  readonly clock: Clock
  /** By chain id. */
  readonly signers: ReadonlyMap<number, Signer>
  readonly readChainTime: ReadChainTime
  /** Reads the present limits of a chain's pool. Returns undefined if they cannot be read. */
  readonly readPoolLimits: (chainId: number) => Promise<PoolLimits | undefined>
  readonly clocks: Pick<ClockComparison, 'status'>
  readonly signAheadSeconds: number
  /** Tenors of all chains. A curve for all chains has a coupon for each of them. */
  readonly curveTenors: readonly number[]
  readonly maxMoveBps: number
  /** Limits of a coupon's move within a day and a week; undefined means unlimited. */
  readonly windowLimits: WindowLimits | undefined
  readonly preflight: Pick<Preflight, 'findPending' | 'findRefusal'>
  readonly maxAgeBusinessDays: number
  readonly curveSource: CurveSource
  readonly journal: JournalGuard
  /** Undefined if no public log is configured. */
  readonly noteLog?: NoteLog | undefined
}

export type IssueResult =
  | { readonly set: NoteSet; readonly refusal?: undefined }
  | { readonly set?: undefined; readonly refusal: Refusal }

// Signing restarts if a new curve is set meanwhile. Operators do not set curves this often.
const attemptsMax = 5

/**
 * Returns the note set of a chain and period: the stored one, or a new one that is signed, verified and stored. Replicas
 * may call this at the same time; all get the same set. Throws `SignerError`, `JournalError` or a database error, after
 * which the caller may retry.
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
    // `reconcile` restores a set together with its curve, which may have happened since the set was looked for.
    const restored = await findNoteSet(context.database, key)
    if (restored) return acceptStoredSet(context, { set: restored, chain })
    const refusal = await checkRails(context, { chain, period, curve })
    if (refusal || !curve) return { refusal: refusal as Refusal }
    const logRefusal = await context.noteLog?.findRefusal(curve)
    if (logRefusal) return { refusal: logRefusal }
    context.journal.assertNoConflict({ chain, period, curve, tenors: offeredTenors(chain.tenors, curve) })
    const set =
      context.preflight.findPending({ ...key, curveId: curve.id }) ?? (await signSet(context, { chain, period, curve }))
    const preflightRefusal = await context.preflight.findRefusal(set)
    if (preflightRefusal) return { refusal: preflightRefusal }
    const storedSet = await storeNoteSet(context.database, set, {
      beforeStore: () => context.journal.record(set, { chain, curve }),
      afterStore: (transaction) => context.noteLog?.append(transaction, { set, chain }) ?? Promise.resolve(),
    })
    if (storedSet) return acceptStoredSet(context, { set: storedSet, chain })
  }
  throw new Error(`the curve of chain ${chain.id} changed ${attemptsMax} times while its notes were being signed`)
}

async function checkRails(
  { database, clock, windowLimits, curveSource, readChainTime, readPoolLimits, clocks, ...limits }: IssueContext,
  { chain, period, curve }: { readonly chain: ChainConfig; readonly period: Period; readonly curve: Curve | undefined },
): Promise<Refusal | undefined> {
  const [history, chainTimeSeconds, poolLimits] = await Promise.all([
    readHistory(database, { chainId: chain.id, beforeStart: period.start, limits: windowLimits }),
    readChainTime(chain.id),
    // Without a curve nothing is signed, and attempts are frequent.
    curve && readPoolLimits(chain.id),
  ])
  const nowMs = clock.now()
  return findRefusal({
    ...limits,
    chain,
    tenors: chain.tenors,
    period,
    ...history,
    curve,
    sourceProblem: curveSource.problem(),
    nowSeconds: toSeconds(nowMs),
    chainTimeSeconds,
    poolLimits,
    time: clocks.status(nowMs),
  })
}

/** Reads one after another: at the same time, each statement would open a connection of its own. */
async function readHistory(
  database: Database,
  {
    chainId,
    beforeStart,
    limits,
  }: { readonly chainId: number; readonly beforeStart: bigint; readonly limits: WindowLimits | undefined },
) {
  const windows = limits && (await readMoveWindows(database, { chainId, beforeStart, limits }))
  const previous = await findLastNoteSet(database, { chainId, beforeStart })
  const latest = await findLastNoteSet(database, { chainId })
  return { windows, previous, latest }
}

async function signSet(
  { signers, clock }: IssueContext,
  { chain, period, curve }: { readonly chain: ChainConfig; readonly period: Period; readonly curve: Curve },
): Promise<NoteSet> {
  const signer = signers.get(chain.id) as Signer
  const notes = await Promise.all(
    offeredTenors(chain.tenors, curve).map(async (tenorDays) => {
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

/** Verifies a stored set, writes it to the journal and logs it, so that it can be published. Any replica may have signed it. */
export async function acceptStoredSet(
  { journal, noteLog }: Pick<IssueContext, 'journal' | 'noteLog'>,
  { set, chain }: { readonly set: NoteSet; readonly chain: ChainConfig },
): Promise<IssueResult> {
  const verified = await verifyStoredSet(set, chain)
  if (!verified.set) return verified
  await journal.recordStored(set, chain)
  return noteLog ? noteLog.cover(set, chain) : verified
}

/** Verifies a stored set like a new signature: it may belong to another pool, or have been altered. */
async function verifyStoredSet(set: NoteSet, chain: ChainConfig): Promise<IssueResult> {
  for (const note of set.notes) {
    const verification = await verifyNote(note, { domain: chain.domain, signer: set.signer })
    const inWindow = note.validAfter === set.period.start - 1n && note.validBefore === set.period.end
    if (verification.valid && inWindow) continue
    const why = verification.valid ? 'it is not valid for exactly its period' : verification.reason
    return {
      refusal: {
        reason: 'stored_set_invalid',
        message:
          `the stored ${note.tenorDays}-day note on chain ${set.chainId} is invalid: ${why}. Was the pool or the domain ` +
          'changed in the configuration? The stored notes of a period cannot be replaced.',
      },
    }
  }
  return { set }
}
