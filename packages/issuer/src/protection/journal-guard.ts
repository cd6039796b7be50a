import { formatPeriod, type Period } from '@tallystick/core'
import type { Queryable } from '@tallystick/database'
import type { Hex } from 'viem'
import type { Curve } from '../curve/curve.ts'
import { findCurve } from '../curve/curve-store.ts'
import { createJournalEntry, isSameDomain, type JournalEntry } from '../journal/journal-entry.ts'
import { JournalError } from '../journal/journal-file.ts'
import { findConflict, type SignerJournal, signaturesOf } from '../journal/signer-journal.ts'
import type { NoteSet } from '../note-set.ts'
import type { IssuerChain } from '../settings.ts'
import { claimsOf, type TenorTerms } from './claim.ts'
import type { SignerProtection } from './signer-protection.ts'

/** Terms of the notes of a chain and period. */
export type PlannedNotes = {
  readonly chain: IssuerChain
  readonly period: Period
  readonly notes: readonly TenorTerms[]
}

/** Prevents a replica from signing or publishing two different notes for one maturity. Throws `JournalError`. */
export type JournalGuard = {
  /** Throws if the journal has other terms for one of these notes. Call it before the signer. */
  assertNoConflict(planned: PlannedNotes): void
  /** Whether `claim` binds all replicas. */
  readonly isShared: boolean
  /** Claims these notes for all replicas, if there is a shared protection. Call it right before the signer. */
  claim(planned: PlannedNotes): Promise<void>
  /** Returns the journal's set that has other terms for one of these notes, if that set is only pending. */
  findPendingConflict(planned: PlannedNotes): Promise<NoteSet | undefined>
  /** Writes a new set to the journal before a preflight shows it to the pool. */
  recordPending(set: NoteSet, from: { readonly chain: IssuerChain; readonly curve: Curve }): Promise<void>
  /** Voids the notes of a pending set that the pool refused permanently. */
  voidRefused(
    set: NoteSet,
    refused: { readonly chain: IssuerChain; readonly tenors: readonly number[]; readonly nowSeconds: bigint },
  ): Promise<void>
  /** Writes a new set to the journal. Call it before the set is stored. */
  record(set: NoteSet, from: { readonly chain: IssuerChain; readonly curve: Curve }): Promise<void>
  /** Writes a stored set to the journal. Call it before the set is published. Any replica may have signed it. */
  recordStored(set: NoteSet, chain: IssuerChain): Promise<void>
}

export function createJournalGuard(
  database: Queryable,
  { journal, protection }: { readonly journal: SignerJournal; readonly protection?: SignerProtection | undefined },
): JournalGuard {
  const append = async (set: NoteSet, { chain, curve, ...kind }: Pick<JournalEntry, 'isPending'> & Origin) => {
    assertSameTerms(journal, { chain, period: set.period, notes: set.notes })
    if (isJournalled(journal, { set, chain, ...kind })) return
    await journal.append({ ...createJournalEntry(set, { domain: chain.domain, curve }), ...kind })
  }
  const record: JournalGuard['record'] = (set, origin) => append(set, origin)
  return {
    assertNoConflict: (planned) => assertSameTerms(journal, planned),
    isShared: protection !== undefined,
    claim: async ({ chain, period, notes }) => {
      await protection?.claim(claimsOf({ chain, periodStart: period.start, notes }))
    },
    findPendingConflict: async (planned) => {
      const conflict = findPlannedConflict(journal, planned)
      return conflict?.signed.isPending ? readPending(journal, planned) : undefined
    },
    recordPending: (set, origin) => append(set, { ...origin, isPending: true }),
    voidRefused: async (set, { chain, tenors, nowSeconds }) => {
      const signed = journal.find({ chain, periodStart: set.period.start })
      const maturities = set.notes
        .filter(({ tenorDays }) => tenors.includes(tenorDays))
        .flatMap(({ maturityTimestamp: at }) => (signed?.notes.get(at)?.isPending ? [at] : []))
      if (maturities.length === 0) return
      const of = { chainId: chain.id, domain: chain.domain, periodStart: set.period.start }
      // First: without its line in the journal, this would not be tried again.
      await protection?.discard({ ...of, digests: maturities.map((at) => signed?.notes.get(at)?.digest as Hex) })
      await journal.discard({ ...of, maturities, by: 'preflight', at: nowSeconds })
    },
    record,
    recordStored: async (set, chain) => {
      if (isJournalled(journal, { set, chain })) return
      await claimStored(protection, { set, chain })
      const curve = await findCurve(database, set.curveId)
      await record(set, { chain, curve: curve as Curve })
    },
  }
}

/** A set that is stored was claimed by its signer. If the protection cannot be asked, that is believed. */
async function claimStored(
  protection: SignerProtection | undefined,
  { set, chain }: { readonly set: NoteSet; readonly chain: IssuerChain },
): Promise<void> {
  const claims = claimsOf({ chain, periodStart: set.period.start, notes: set.notes })
  await protection?.claim(claims).catch((error) => {
    if (!(error instanceof JournalError) || error.reason !== 'protection_failed') throw error
  })
}

type Origin = { readonly chain: IssuerChain; readonly curve: Curve }

/** Reads the last pending set of a period from the file. Its curve may no longer be stored, so its id is unknown. */
async function readPending(
  journal: SignerJournal,
  { chain, period }: Pick<PlannedNotes, 'chain' | 'period'>,
): Promise<NoteSet | undefined> {
  let last: NoteSet | undefined
  for await (const { set, domain, isPending } of journal.entries()) {
    const isOfPeriod = set.chainId === chain.id && set.period.start === period.start
    if (isPending && isOfPeriod && isSameDomain(domain, chain.domain)) last = { ...set, curveId: -1n }
  }
  return last
}

function findPlannedConflict(journal: SignerJournal, { chain, period, notes }: PlannedNotes) {
  return findConflict(journal.find({ chain, periodStart: period.start }), { notes, domain: chain.domain })
}

function assertSameTerms(journal: SignerJournal, planned: PlannedNotes): void {
  const conflict = findPlannedConflict(journal, planned)
  if (!conflict) return
  const { chain, period } = planned
  const { signed, other } = conflict
  const terms = signed.coupon === other.coupon ? 'with other terms' : `at ${signed.coupon} bps, not ${other.coupon} bps`
  throw new JournalError({
    reason: 'journal_contradicted',
    message:
      `this replica already signed or published the ${signed.tenorDays}-day note of ${formatPeriod(period)} on chain ` +
      `${chain.id} ${terms} (${journal.path}). Was the database restored? Run \`tallystick notes reconcile\`.`,
  })
}

/** Returns whether the journal's last entry of the period is this set, and more than pending unless that suffices. */
function isJournalled(
  journal: SignerJournal,
  { set, chain, isPending }: Pick<JournalEntry, 'isPending'> & { readonly set: NoteSet; readonly chain: IssuerChain },
): boolean {
  const signed = journal.find({ chain, periodStart: set.period.start })
  if (signed?.signatures !== signaturesOf(set.notes)) return false
  return isPending || set.notes.every(({ maturityTimestamp }) => !signed.notes.get(maturityTimestamp)?.isPending)
}
