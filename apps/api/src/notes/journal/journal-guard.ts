import { formatPeriod, hashNote, type Period } from '@tallystick/core'
import type { Queryable } from '@tallystick/database'
import type { Hex } from 'viem'
import type { ChainConfig } from '../../config.ts'
import type { Curve } from '../curve/curve.ts'
import { findCurve } from '../curve/curve-store.ts'
import { periodNoteTerms } from '../issue/sign-period-note.ts'
import type { NoteSet } from '../note-set.ts'
import { createJournalEntry } from './journal-entry.ts'
import { JournalError } from './journal-file.ts'
import { findConflict, type SignedNote, type SignerJournal, signaturesOf } from './signer-journal.ts'

/** Prevents a replica from signing or publishing two different notes for one maturity. Throws `JournalError`. */
export type JournalGuard = {
  /** Throws if the journal has other terms for one of these notes. Call it before the signer. */
  assertNoConflict(planned: {
    readonly chain: ChainConfig
    readonly period: Period
    readonly curve: Pick<Curve, 'points'>
    readonly tenors: readonly number[]
  }): void
  /** Writes a new set to the journal. Call it before the set is stored. */
  record(set: NoteSet, from: { readonly chain: ChainConfig; readonly curve: Curve }): Promise<void>
  /** Writes a stored set to the journal. Call it before the set is published. Any replica may have signed it. */
  recordStored(set: NoteSet, chain: ChainConfig): Promise<void>
}

export function createJournalGuard(database: Queryable, journal: SignerJournal): JournalGuard {
  const assertNoConflict: JournalGuard['assertNoConflict'] = ({ chain, period, curve, tenors }) => {
    const notes = tenors.map((tenorDays) => {
      const terms = periodNoteTerms({ chain, period, tenorDays, couponBps: curve.points[tenorDays] as number })
      return { ...terms, tenorDays, digest: hashNote(terms, chain.domain) }
    })
    assertSameTerms(journal, { chain, period, notes })
  }
  const record: JournalGuard['record'] = async (set, { chain, curve }) => {
    const entry = createJournalEntry(set, { domain: chain.domain, curve })
    const notes = set.notes.map((note, index) => ({ ...note, digest: entry.digests[index] as Hex }))
    assertSameTerms(journal, { chain, period: set.period, notes })
    if (!isJournalled(journal, { set, chain })) await journal.append(entry)
  }
  return {
    assertNoConflict,
    record,
    recordStored: async (set, chain) => {
      if (isJournalled(journal, { set, chain })) return
      const curve = await findCurve(database, set.curveId)
      await record(set, { chain, curve: curve as Curve })
    },
  }
}

type PlannedNote = SignedNote & { readonly maturityTimestamp: bigint }

function assertSameTerms(
  journal: SignerJournal,
  {
    chain,
    period,
    notes,
  }: { readonly chain: ChainConfig; readonly period: Period; readonly notes: readonly PlannedNote[] },
): void {
  const conflict = findConflict(journal.find({ chain, periodStart: period.start }), notes)
  if (!conflict) return
  const { signed, other } = conflict
  const terms = signed.coupon === other.coupon ? 'with other terms' : `at ${signed.coupon} bps, not ${other.coupon} bps`
  throw new JournalError({
    reason: 'journal_contradicted',
    message:
      `this replica already signed or published the ${signed.tenorDays}-day note of ${formatPeriod(period)} on chain ` +
      `${chain.id} ${terms} (${journal.path}). Was the database restored? Run \`tallystick notes reconcile\`.`,
  })
}

/** Returns whether the journal's last entry of the period is this set. */
function isJournalled(
  journal: SignerJournal,
  { set, chain }: { readonly set: NoteSet; readonly chain: ChainConfig },
): boolean {
  return journal.find({ chain, periodStart: set.period.start })?.signatures === signaturesOf(set.notes)
}
