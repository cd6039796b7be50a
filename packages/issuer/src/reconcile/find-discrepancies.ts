import { formatPeriod, type Period, periodAfter, periodAt } from '@tallystick/core'
import type { Database } from '@tallystick/database'
import {
  findConflict,
  type PeriodKey,
  type SignedPeriod,
  type SignerJournal,
  signaturesOf,
} from '../journal/signer-journal.ts'
import type { NoteSet, SetKey } from '../note-set.ts'
import { findNoteSet } from '../note-store.ts'
import type { PublishedNotes } from '../published-notes.ts'
import type { IssuerChain } from '../settings.ts'

export const discrepancyKinds = [
  'database_behind',
  'contradiction',
  'memory_differs',
  'protection_contradicted',
] as const

/** A difference between memory, journal and database in the notes of a chain and period. */
export type Discrepancy = {
  readonly chainId: number
  readonly kind: (typeof discrepancyKinds)[number]
  readonly message: string
}

/** The three records of signed notes, and how to resolve a difference in signatures. */
export type NoteRecords = {
  readonly database: Database
  readonly journal: Pick<SignerJournal, 'find'>
  readonly published: Pick<PublishedNotes, 'find'>
  readonly chains: readonly IssuerChain[]
  /** Publishes a stored set that has the same terms as the one in memory but other signatures. Resolves to success. */
  readonly adopt: (set: NoteSet, chain: IssuerChain) => Promise<boolean>
}

/**
 * Compares memory, journal and database for the current and the next period. Notes of earlier periods have expired. Notes
 * of later periods were signed with a wrong clock and are compared when they are due.
 */
export async function findDiscrepancies(records: NoteRecords, nowSeconds: bigint): Promise<Discrepancy[]> {
  const current = periodAt(nowSeconds)
  const found: Discrepancy[] = []
  for (const chain of records.chains) {
    for (const period of [current, periodAfter(current)]) {
      const discrepancy = await findDiscrepancy(records, { chain, period })
      if (discrepancy) found.push({ chainId: chain.id, ...discrepancy })
    }
  }
  return found
}

async function findDiscrepancy(
  { database, journal, published, adopt }: NoteRecords,
  { chain, period }: { readonly chain: IssuerChain; readonly period: Period },
): Promise<Omit<Discrepancy, 'chainId'> | undefined> {
  const key = { chainId: chain.id, periodStart: period.start }
  const signed = findSigned(journal, { chain, periodStart: period.start })
  // This replica cannot restore imported notes, so they are not missed in the database.
  const isOwn = signed && [...signed.notes.values()].some(({ isImported }) => !isImported)
  const stored = (await findNoteSet(database, key)) ?? (isOwn && (await findCommitted(database, key)))
  const about = `chain ${chain.id}, ${formatPeriod(period)}`
  if (!stored) {
    if (!isOwn) return undefined
    const message = `${about}: the database lacks signed notes. Was it restored? Run \`tallystick notes reconcile\`.`
    return { kind: 'database_behind', message }
  }
  const conflict = findConflict(signed, { notes: stored.notes, domain: chain.domain })
  if (conflict) {
    const message =
      `${about}: the ${conflict.signed.tenorDays}-day note has ${conflict.signed.coupon} bps in the journal and ` +
      `${conflict.other.coupon} bps in the database. Run \`tallystick notes reconcile\` for instructions.`
    return { kind: 'contradiction', message }
  }
  const inMemory = published.find(chain.id, period.start)
  if (!inMemory || signaturesOf(inMemory.notes) === signaturesOf(stored.notes)) return undefined
  if (inMemory.signer === stored.signer && (await adopt(stored, chain))) return undefined
  const message = `${about}: the notes in memory and in the database have different signatures, and those in the database cannot be published. \`tallystick notes show\` lists them.`
  return { kind: 'memory_differs', message }
}

/** Returns the journal's notes of a period, unless all are pending: those were never about to be stored. */
function findSigned(journal: Pick<SignerJournal, 'find'>, key: PeriodKey): SignedPeriod | undefined {
  const signed = journal.find(key)
  return signed && [...signed.notes.values()].every(({ isPending }) => isPending) ? undefined : signed
}

/** Waits for a transaction that is storing the set, because a set is journalled before its transaction commits. */
async function findCommitted(database: Database, key: SetKey): Promise<NoteSet | undefined> {
  return database.transaction(async (transaction) => {
    await transaction.query('lock table curves in row exclusive mode')
    return findNoteSet(transaction, key)
  })
}
