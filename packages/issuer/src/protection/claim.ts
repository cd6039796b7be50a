import { hashNote, type Note } from '@tallystick/core'
import type { JournalImport } from '../journal/journal-import.ts'
import type { PeriodKey } from '../journal/signer-journal.ts'

/**
 * A digest that may be signed for one note, and no other. The place of the note is that of the signer journal: chain, pool,
 * domain, period and maturity, for every signer.
 */
export type Claim = Omit<JournalImport, 'notes'> & JournalImport['notes'][number]

/** A claim that was refused, and the terms that are claimed in its place. */
export type ClaimConflict = {
  readonly refused: Claim
  /** Undefined if the claim was voided meanwhile. */
  readonly claimed: Pick<Claim, 'digest' | 'coupon'> | undefined
}

/** Terms of a note that is signed, or not yet, and its tenor. */
export type TenorTerms = Omit<Note, 'signature'> & { readonly tenorDays: number }

/** Returns the claims of the notes of a chain and period. */
export function claimsOf({
  chain,
  periodStart,
  notes,
}: PeriodKey & { readonly notes: readonly TenorTerms[] }): Claim[] {
  return notes.map((note) => ({
    chainId: chain.id,
    domain: chain.domain,
    periodStart,
    maturity: note.maturityTimestamp,
    digest: hashNote(note, chain.domain),
    tenorDays: note.tenorDays,
    coupon: note.coupon,
  }))
}
