import { formatPeriod, hashNote, type Period, periodAfter, periodAt } from '@tallystick/core'
import type { Database } from '@tallystick/database'
import type { ChainConfig } from '../../config.ts'
import type { NoteSet } from '../note-set.ts'
import { findNoteSet } from '../note-store.ts'
import type { PublishedNotes } from '../published-notes.ts'
import { findConflict, type SignedPeriod, type SignerJournal, signaturesOf } from './signer-journal.ts'

export const discrepancyKinds = ['database_behind', 'contradiction', 'memory_differs'] as const

/** How memory, journal and database disagree about the notes of a chain and period. */
export type Discrepancy = {
  readonly chainId: number
  readonly kind: (typeof discrepancyKinds)[number]
  readonly message: string
}

export type NoteRecords = {
  readonly database: Database
  readonly journal: Pick<SignerJournal, 'find'>
  readonly published: Pick<PublishedNotes, 'find'>
  readonly chains: readonly ChainConfig[]
  /** Publishes a stored set that has the terms of the one in memory and other signatures. Resolves to whether it did. */
  readonly adopt: (set: NoteSet, chain: ChainConfig) => Promise<boolean>
}

/**
 * Compares memory, journal and database for the current and the next period. Earlier ones cannot be used any more, and
 * later ones were signed with a wrong clock, if at all: they count when their time comes.
 */
export async function findDiscrepancies(records: NoteRecords, nowSeconds: bigint): Promise<Discrepancy[]> {
  const current = periodAt(nowSeconds)
  const found: Discrepancy[] = []
  for (const chain of records.chains) {
    for (const period of [current, periodAfter(current)]) {
      const difference = await compareOne(records, { chain, period })
      if (difference) found.push({ chainId: chain.id, ...difference })
    }
  }
  return found
}

/** Returns what the note of a stored set and the journal's say of the same maturity, where they differ. */
export function findStoredConflict(
  signed: SignedPeriod | undefined,
  { set, chain }: { set: NoteSet; chain: ChainConfig },
) {
  return findConflict(
    signed,
    set.notes.map((note) => ({ ...note, digest: hashNote(note, chain.domain) })),
  )
}

async function compareOne(
  { database, journal, published, adopt }: NoteRecords,
  { chain, period }: { readonly chain: ChainConfig; readonly period: Period },
): Promise<Omit<Discrepancy, 'chainId'> | undefined> {
  const key = { chainId: chain.id, periodStart: period.start }
  const signed = journal.find({ chain, periodStart: period.start })
  const stored = (await findNoteSet(database, key)) ?? (signed && (await findSettled(database, key)))
  const about = `chain ${chain.id}, ${formatPeriod(period)}`
  if (!stored) {
    if (!signed) return undefined
    const message = `${about}: the database lacks notes that were signed. Was it restored? Run \`tallystick notes reconcile\`.`
    return { kind: 'database_behind', message }
  }
  const conflict = findStoredConflict(signed, { set: stored, chain })
  if (conflict) {
    const message =
      `${about}: the note of ${conflict.signed.tenorDays} days has ${conflict.signed.coupon} bps in the journal and ` +
      `${conflict.other.coupon} bps in the database. \`tallystick notes reconcile\` says what to do.`
    return { kind: 'contradiction', message }
  }
  const inMemory = published.find(chain.id, period.start)
  if (!inMemory || signaturesOf(inMemory.notes) === signaturesOf(stored.notes)) return undefined
  if (inMemory.signer === stored.signer && (await adopt(stored, chain))) return undefined
  const message = `${about}: the notes in memory have other signatures than those in the database, which are not fit to be published. \`tallystick notes show\` has them.`
  return { kind: 'memory_differs', message }
}

/** A set is journalled before its transaction ends. Its lock on curves is waited for, so that it is not missed. */
async function findSettled(
  database: Database,
  key: { readonly chainId: number; readonly periodStart: bigint },
): Promise<NoteSet | undefined> {
  return database.transaction(async (transaction) => {
    await transaction.query('lock table curves in row exclusive mode')
    return findNoteSet(transaction, key)
  })
}
