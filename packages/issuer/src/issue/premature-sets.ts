import { formatNewYork, formatPeriod, type Period, periodAt, TallystickError } from '@tallystick/core'
import {
  type AuditedChange,
  type Auditor,
  auditedTransaction,
  type Database,
  type Queryable,
} from '@tallystick/database'
import type { SignerJournal } from '../journal/signer-journal.ts'
import type { NoteSet, SetKey } from '../note-set.ts'
import { findNoteSet } from '../note-store.ts'
import type { SignerProtection } from '../protection/signer-protection.ts'
import type { IssuerChain } from '../settings.ts'

/** A stored set whose period starts later than the sign-ahead allows: it was signed with a wrong clock. */
export type PrematureSet = { readonly chainId: number; readonly period: Period; readonly issuedAt: bigint }

/** The latest start of a period that may be signed now. */
export type SigningHorizon = { readonly lastStart: bigint }

export function signingHorizon(nowSeconds: bigint, signAheadSeconds: number): SigningHorizon {
  // The rails tolerate 1 s.
  return { lastStart: nowSeconds + BigInt(signAheadSeconds) + 1n }
}

export async function listPrematureSets(database: Queryable, { lastStart }: SigningHorizon): Promise<PrematureSet[]> {
  const rows = await database.query<Omit<PrematureSet, 'period'> & { readonly start: bigint }>(
    `select chain_id::float8 as "chainId", period_start as start, issued_at as "issuedAt" from note_sets
     where period_start > $1 order by period_start, chain_id`,
    [lastStart],
  )
  return rows.map(({ start, ...set }) => ({ ...set, period: periodAt(start) }))
}

/** The set to discard, and who discards it. */
export type DiscardRequest = SigningHorizon &
  SetKey & {
    readonly nowSeconds: bigint
    readonly auditor: Auditor
  }

/** A discarded set and where it was found. */
export type DiscardedSet = {
  readonly chainId: number
  readonly period: Period
  readonly wasStored: boolean
  readonly wasJournalled: boolean
}

type DiscardOptions = {
  readonly request: DiscardRequest
  /** Undefined if this machine has none. */
  readonly journal: Pick<SignerJournal, 'find' | 'discard'> | undefined
  readonly protection?: Pick<SignerProtection, 'discard'> | undefined
  readonly chains: readonly IssuerChain[]
}

/**
 * Deletes a premature set from the database and the journal, and voids its claims. Throws for any other set. The set may be
 * in only one of them, because another replica discarded it or an earlier attempt was interrupted. The journal is written
 * before the commit: if the commit fails, the set is still stored, and this can be called again.
 */
export async function discardPrematureSet(
  database: Database,
  { request, journal, protection, chains }: DiscardOptions,
): Promise<DiscardedSet> {
  const { chainId, periodStart, lastStart, nowSeconds, auditor } = request
  const chain = chains.find(({ id }) => id === chainId)
  return auditedTransaction(database, auditor, async (transaction, record) => {
    // Conflicts with the share lock of `storeNoteSet`.
    await transaction.query('lock table curves in exclusive mode')
    const set = await findNoteSet(transaction, { chainId, periodStart })
    const signed = chain && journal?.find({ chain, periodStart })
    if (!set && !signed) throw notFound(chainId, periodStart)
    const period = periodAt(periodStart)
    if (periodStart <= lastStart) throw notPremature(chainId, period)
    if (set?.logIndex !== undefined) throw isLogged(set.logIndex, period)
    const key = [chainId, periodStart]
    for (const table of ['notes', 'note_sets', 'curve_claims']) {
      await transaction.query(`delete from ${table} where chain_id = $1 and period_start = $2`, key)
    }
    const found = { wasStored: set !== undefined, wasJournalled: signed !== undefined }
    await record(describeDiscard({ chainId, period, ...found }, set))
    if (chain) await protection?.discard({ chainId, domain: chain.domain, periodStart })
    if (chain && signed) {
      await journal?.discard({ chainId, domain: chain.domain, periodStart, by: auditor.actor, at: nowSeconds })
    }
    return { chainId, period, ...found }
  })
}

function describeDiscard(
  { chainId, period, wasStored, wasJournalled }: DiscardedSet,
  set: NoteSet | undefined,
): AuditedChange {
  const coupons = set && Object.fromEntries(set.notes.map(({ tenorDays, coupon }) => [tenorDays, Number(coupon)]))
  const details = { periodStart: String(period.start), wasStored, wasJournalled }
  const subject = `chain ${chainId}, ${formatPeriod(period)}`
  if (!set) return { action: 'notes.discard', subject, details }
  const stored = { issuedAt: String(set.issuedAt), signer: set.signer, coupons }
  return { action: 'notes.discard', subject, details: { ...details, ...stored } }
}

function notFound(chainId: number, periodStart: bigint): TallystickError {
  const period = periodAt(periodStart)
  const start = new Date(Number(period.start) * 1000).toISOString()
  return new TallystickError({
    code: 'not_found',
    message:
      period.start === periodStart
        ? `Nothing was discarded: chain ${chainId} has no notes of ${formatPeriod(period)}.`
        : `Nothing was discarded: no period starts at that instant. The period that contains it starts at ${start}.`,
    retryable: false,
  })
}

function notPremature(chainId: number, period: Period): TallystickError {
  return new TallystickError({
    code: 'rail_refused',
    message:
      `Nothing was discarded: by the clock of this replica or of the database, the notes of ${formatPeriod(period)} on ` +
      `chain ${chainId} may have been served already. They cannot be recalled.`,
    retryable: false,
  })
}

function isLogged(index: number, period: Period): TallystickError {
  return new TallystickError({
    code: 'rail_refused',
    message:
      `Nothing was discarded: these notes are entry ${index} of the public log. Their signatures become public at ` +
      `${formatNewYork(period.start)} New York, and the pool accepts them whatever the database has. To make them ` +
      'worthless, change the signer of the pool before then.',
    retryable: false,
  })
}
