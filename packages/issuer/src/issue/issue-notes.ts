import { toSeconds } from '@tallystick/base'
import type { PoolLimits, ReadChainTime } from '@tallystick/chain'
import { type Period, verifyNote } from '@tallystick/core'
import type { Database } from '@tallystick/database'
import type { Curve } from '../curve/curve.ts'
import type { CurveSource } from '../curve/curve-source.ts'
import { findCurveInForce } from '../curve/curve-store.ts'
import { type MoveWindowsOptions, readMoveWindows } from '../curve/move-windows.ts'
import type { IssuerHost } from '../issuer-host.ts'
import { JournalError } from '../journal/journal-file.ts'
import type { NoteSet } from '../note-set.ts'
import { findLastNoteSet, findNoteSet, storeNoteSet } from '../note-store.ts'
import type { JournalGuard, PlannedNotes } from '../protection/journal-guard.ts'
import { findRefusal, offeredTenors } from '../rails/rails.ts'
import type { IssueResult, Refusal } from '../refusal.ts'
import { type IssuerChain, type IssuerSettings, maxAgeBusinessDaysDefault } from '../settings.ts'
import { signNote } from '../signers/sign-note.ts'
import type { Signer } from '../signers/signer.ts'
import type { ClockComparison } from '../time/clock-comparison.ts'
import { claimCurve, findClaimedCurve, isClaimed, markSigned, releaseRefused, releaseUnsigned } from './curve-claims.ts'
import { periodNoteTerms } from './period-note-terms.ts'
import type { Preflight } from './preflight.ts'
import type { Recorder } from './recorder.ts'

/** Settings and dependencies of issuing. */
export type IssueContext = Pick<IssuerHost, 'database' | 'time'> & {
  readonly settings: Pick<IssuerSettings, 'chains' | 'tenors' | 'rails' | 'curve'>
  /** By chain id. */
  readonly signers: ReadonlyMap<number, Signer>
  readonly readChainTime: ReadChainTime
  /** Reads the present limits of a chain's pool. Returns undefined if they cannot be read. */
  readonly readPoolLimits: (chainId: number) => Promise<PoolLimits | undefined>
  readonly clocks: Pick<ClockComparison, 'status'>
  readonly preflight: Preflight
  readonly curveSource: CurveSource
  readonly journal: JournalGuard
  /** Undefined if no public log is configured. */
  readonly recorder?: Recorder | undefined
}

// An attempt restarts if a curve is set right before the period is claimed. Operators do not set curves this often.
const attemptsMax = 5

/**
 * Returns the note set of a chain and period: the stored one, or a new one that is signed, verified and stored. Replicas
 * may call this at the same time; all get the same set. Throws `SignerError`, `JournalError` or a database error, after
 * which the caller may retry.
 */
export async function issueNotes(context: IssueContext, { chain, period }: PlannedSet): Promise<IssueResult> {
  const { database } = context
  const key = { chainId: chain.id, periodStart: period.start }
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const stored = await findNoteSet(database, key)
    if (stored) return acceptStoredSet(context, { set: stored, chain })
    await context.curveSource.prepare(period)
    const claimed = await findClaimedCurve(database, key)
    const curve = claimed ?? (await findCurveInForce(database, key))
    // `reconcile` restores a set together with its curve, which may have happened since the set was looked for.
    const restored = await findNoteSet(database, key)
    if (restored) return acceptStoredSet(context, { set: restored, chain })
    const refusal =
      (await checkRails(context, { chain, period, curve })) ?? (curve && (await context.recorder?.findRefusal(curve)))
    if (refusal || !curve) {
      if (claimed) await releaseUnsigned(database, key)
      return { refusal: refusal as Refusal }
    }
    if (!(await claimCurve(database, { ...key, curveId: curve.id }))) continue
    const result = await signAndStore(context, { chain, period, curve })
    if (result) return result
  }
  throw new Error(`the curve of chain ${chain.id} changed ${attemptsMax} times before its notes were signed`)
}

type PlannedSet = { readonly chain: IssuerChain; readonly period: Period }
type ClaimedSet = PlannedSet & { readonly curve: Curve }

/** Signs and stores the set of a claimed period. Resolves to undefined if the claim was lost before a signature left. */
async function signAndStore(context: IssueContext, claimed: ClaimedSet): Promise<IssueResult | undefined> {
  const { database, journal, preflight, recorder } = context
  const { chain, period, curve } = claimed
  const claim = { chainId: chain.id, periodStart: period.start, curveId: curve.id }
  const set = await signClaimed(context, claimed).catch(async (error) => {
    await releaseUnsigned(database, claim).catch(() => undefined)
    throw error
  })
  if (!set) return undefined
  if (preflight.isRequired(chain.id)) {
    if (!(await markSigned(database, claim))) return undefined
    await journal.recordPending(set, { chain, curve })
    const refused = await preflight.findRefusal(set)
    if (refused && refused.worthlessTenors.length > 0) await releaseRefused(database, claim)
    if (refused) return { refusal: refused.refusal }
  }
  const stored = await storeNoteSet(database, set, {
    mayStore: (transaction) => isClaimed(transaction, claim),
    beforeStore: () => journal.record(set, { chain, curve }),
    afterStore: async (transaction) => recorder?.record(transaction, { set, chain }),
  })
  return stored && acceptStoredSet(context, { set: stored, chain })
}

/**
 * Returns the set of a claimed period: the one that waits for its preflight, or a new one. Resolves to undefined if the claim
 * was lost before.
 */
async function signClaimed(context: IssueContext, { chain, period, curve }: ClaimedSet): Promise<NoteSet | undefined> {
  const { journal, preflight, time } = context
  const notes = offeredTenors(chain.tenors, curve).map((tenorDays) => ({
    ...periodNoteTerms({ chain, period, tenorDays, couponBps: curve.points[tenorDays] as number }),
    tenorDays,
  }))
  const planned = { chain, period, notes }
  const pending = await journal.findPendingConflict(planned)
  if (pending && preflight.isRequired(chain.id)) {
    const refused = await preflight.findRefusal(pending)
    const nowSeconds = toSeconds(time.now())
    await journal.voidRefused(pending, { chain, tenors: refused?.worthlessTenors ?? [], nowSeconds })
  }
  journal.assertNoConflict(planned)
  const claim = { chainId: chain.id, periodStart: period.start, curveId: curve.id }
  if (journal.isShared && !(await claimForAll(context, { planned, claim }))) return undefined
  return preflight.findPending(claim) ?? signSet(context, { planned, curveId: curve.id })
}

/**
 * Claims the notes in the shared protection. The period keeps its curve from then on, also if the protection did not answer
 * or the signer fails: other terms would contradict the claim. Resolves to false if it has another curve already.
 */
async function claimForAll(
  { database, journal }: IssueContext,
  { planned, claim }: { readonly planned: PlannedNotes; readonly claim: Parameters<typeof markSigned>[1] },
): Promise<boolean> {
  if (!(await markSigned(database, claim))) return false
  await journal.claim(planned).catch(async (error) => {
    // Nobody can sign these terms, so that a curve with the claimed ones can be set.
    const isRefused = error instanceof JournalError && error.reason === 'protection_contradicted'
    if (isRefused) await releaseRefused(database, claim).catch(() => undefined)
    throw error
  })
  return true
}

async function checkRails(
  { settings, database, time, curveSource, readChainTime, readPoolLimits, clocks }: IssueContext,
  { chain, period, curve }: PlannedSet & { readonly curve: Curve | undefined },
): Promise<Refusal | undefined> {
  const { rails, tenors: curveTenors, curve: source } = settings
  const [history, chainTimeSeconds, poolLimits] = await Promise.all([
    readHistory(database, { chainId: chain.id, beforeStart: period.start, limits: rails }),
    readChainTime(chain.id),
    // Without a curve nothing is signed, and attempts are frequent.
    curve && readPoolLimits(chain.id),
  ])
  const nowMs = time.now()
  return findRefusal({
    chain,
    tenors: chain.tenors,
    curveTenors,
    period,
    ...history,
    curve,
    maxMoveBps: rails.maxMoveBps,
    signAheadSeconds: rails.signAheadSeconds,
    maxAgeBusinessDays: source.source === 'treasury' ? source.maxAgeBusinessDays : maxAgeBusinessDaysDefault,
    sourceProblem: curveSource.problem(),
    nowSeconds: toSeconds(nowMs),
    chainTimeSeconds,
    poolLimits,
    time: clocks.status(nowMs),
  })
}

/** Reads one after another: at the same time, each statement would open a connection of its own. */
async function readHistory(database: Database, before: MoveWindowsOptions) {
  const windows = await readMoveWindows(database, before)
  const previous = await findLastNoteSet(database, before)
  const latest = await findLastNoteSet(database, { chainId: before.chainId })
  return { windows, previous, latest }
}

async function signSet(
  { signers, time }: IssueContext,
  { planned: { chain, period, notes }, curveId }: { readonly planned: PlannedNotes; readonly curveId: bigint },
): Promise<NoteSet> {
  const signer = signers.get(chain.id) as Signer
  const signed = notes.map(async ({ tenorDays, ...terms }) => {
    return { ...(await signNote(signer, { terms, domain: chain.domain })), tenorDays }
  })
  const set = { chainId: chain.id, period, signer: signer.address, curveId, notes: await Promise.all(signed) }
  return { ...set, issuedAt: toSeconds(time.now()) }
}

/** Verifies a stored set, writes it to the journal and logs it, so that it can be published. Any replica may have signed it. */
export async function acceptStoredSet(
  { journal, recorder }: Pick<IssueContext, 'journal' | 'recorder'>,
  { set, chain }: { readonly set: NoteSet; readonly chain: IssuerChain },
): Promise<IssueResult> {
  const verified = await verifyStoredSet(set, chain)
  if (!verified.set) return verified
  await journal.recordStored(set, chain)
  return recorder ? recorder.cover(set, chain) : verified
}

/** Verifies a stored set like a new signature: it may belong to another pool, or have been altered. */
async function verifyStoredSet(set: NoteSet, chain: IssuerChain): Promise<IssueResult> {
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
