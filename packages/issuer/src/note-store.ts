import type { NoteSignature, Period } from '@tallystick/core'
import type { Database, Migration, Queryable } from '@tallystick/database'
import type { LogRange, NoteSet, SetKey } from './note-set.ts'

// Replicas race to insert the row of `note_sets`. The replica that inserts it stores the notes in the same transaction, so
// a period never has notes of two replicas.
export const noteMigrations: readonly Migration[] = [
  {
    name: 'notes',
    statements: [
      `create table note_sets (
         chain_id bigint not null, period_start bigint not null, period_end bigint not null, note_day bigint not null,
         signer text not null, curve_id bigint not null references curves, issued_at bigint not null,
         primary key (chain_id, period_start))`,
      `create table notes (
         chain_id bigint not null, period_start bigint not null, maturity bigint not null, tenor_days int not null,
         coupon_bps int not null, valid_after bigint not null, valid_before bigint not null,
         r text not null, s text not null, v smallint not null,
         primary key (chain_id, period_start, maturity),
         foreign key (chain_id, period_start) references note_sets)`,
      `create table note_refusals (
         chain_id bigint not null, period_start bigint not null, reason text not null, message text not null,
         refused_at bigint not null, primary key (chain_id, period_start))`,
    ],
  },
]

/** Returns the stored set of a chain and period. */
export async function findNoteSet(database: Queryable, { chainId, periodStart }: SetKey): Promise<NoteSet | undefined> {
  return readSet(database, 'period_start = $2', [chainId, periodStart])
}

/** Returns the set of the latest period of a chain, before `beforeStart` if given. */
export async function findLastNoteSet(
  database: Queryable,
  { chainId, beforeStart }: { readonly chainId: number; readonly beforeStart?: bigint | undefined },
): Promise<NoteSet | undefined> {
  if (beforeStart === undefined) return readSet(database, 'true order by period_start desc limit 1', [chainId])
  return readSet(database, 'period_start < $2 order by period_start desc limit 1', [chainId, beforeStart])
}

/** Returns the last coupon of each tenor of a chain before a period, basis points. A curve may leave out a tenor for a time. */
export async function findLastCoupons(
  database: Queryable,
  { chainId, beforeStart }: { readonly chainId: number; readonly beforeStart: bigint },
): Promise<ReadonlyMap<number, number>> {
  const rows = await database.query<{ tenor_days: number; coupon_bps: number }>(
    `select distinct on (tenor_days) tenor_days, coupon_bps from notes where chain_id = $1 and period_start < $2
     order by tenor_days, period_start desc`,
    [chainId, beforeStart],
  )
  return new Map(rows.map((row) => [row.tenor_days, row.coupon_bps]))
}

type StoreOptions = {
  /** Decides under the lock that setting a curve conflicts with. */
  readonly mayStore: (transaction: Queryable) => Promise<boolean>
  readonly beforeStore: () => Promise<void>
  /** Runs in the same transaction if this call stored the set. */
  readonly afterStore: (transaction: Queryable) => Promise<unknown>
}

/**
 * Stores a set unless the period has one, and returns the stored set. Returns undefined without storing if `mayStore` denies
 * it. Calls `beforeStore`, which may throw, right before the insert.
 */
export async function storeNoteSet(
  database: Database,
  set: NoteSet,
  { mayStore, beforeStore, afterStore }: StoreOptions,
): Promise<NoteSet | undefined> {
  const key = { chainId: set.chainId, periodStart: set.period.start }
  return database.transaction(async (transaction) => {
    // Conflicts with the exclusive lock of `storeCurveIf`. Several replicas can hold a share lock.
    await transaction.query('lock table curves in share mode')
    const stored = await findNoteSet(transaction, key)
    if (stored) return stored
    if (!(await mayStore(transaction))) return undefined
    await beforeStore()
    if (await insertNoteSet(transaction, set)) await afterStore(transaction)
    return findNoteSet(transaction, key)
  })
}

/** Inserts a set and its notes, unless the period has a set. Returns whether it did. */
export async function insertNoteSet(transaction: Queryable, set: NoteSet): Promise<boolean> {
  const inserted = await transaction.query(
    `insert into note_sets (chain_id, period_start, period_end, note_day, signer, curve_id, issued_at)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning 1`,
    [set.chainId, set.period.start, set.period.end, set.period.noteDay, set.signer, set.curveId, set.issuedAt],
  )
  if (inserted.length === 0) return false
  await insertNotes(transaction, set)
  const key = [set.chainId, set.period.start]
  // An earlier refusal does not apply to the new set.
  await transaction.query('delete from note_refusals where chain_id = $1 and period_start = $2', key)
  // The set itself protects its period now. Periods of two days ago have ended.
  await transaction.query(
    'delete from curve_claims where chain_id = $1 and (period_start = $2 or period_start < $2 - 172800)',
    key,
  )
  return true
}

/** Returns the sets whose entries in the public log are in a range, each with the index of its curve's entry. */
export async function findLoggedSets(
  database: Queryable,
  { from, to }: LogRange,
): Promise<{ readonly set: NoteSet; readonly curveIndex: number }[]> {
  const rows = await database.query<SetRow & { readonly curveIndex: number | null }>(
    `select ${setColumns}, c.log_index::float8 as "curveIndex" from note_sets s left join curves c on c.id = s.curve_id
     where s.log_index >= $1 and s.log_index < $2`,
    [from, to],
  )
  const notes = await database.query<NoteRow & { readonly setIndex: number }>(
    `select s.log_index::float8 as "setIndex", ${noteColumns} from notes join note_sets s using (chain_id, period_start)
     where s.log_index >= $1 and s.log_index < $2 order by maturity`,
    [from, to],
  )
  const notesOf = new Map<number | null, NoteRow[]>()
  for (const { setIndex, ...note } of notes) notesOf.set(setIndex, [...(notesOf.get(setIndex) ?? []), note])
  return rows.map(({ curveIndex, ...row }) => {
    return { set: fromRows(row, notesOf.get(row.logIndex) ?? []), curveIndex: curveIndex ?? -1 }
  })
}

export async function setNotesLogIndex(
  transaction: Queryable,
  { chainId, periodStart, index }: SetKey & { readonly index: number },
): Promise<void> {
  const statement = 'update note_sets set log_index = $3 where chain_id = $1 and period_start = $2'
  await transaction.query(statement, [chainId, periodStart, index])
}

const setColumns = `s.chain_id::float8 as "chainId", s.period_start as start, s.period_end as "end", s.note_day as "noteDay",
  s.signer, s.curve_id as "curveId", s.issued_at as "issuedAt", s.log_index::float8 as "logIndex"`

type SetRow = Omit<NoteSet, 'period' | 'notes' | 'logIndex' | 'log'> & Period & { readonly logIndex: number | null }

const noteColumns = `maturity as "maturityTimestamp", tenor_days as "tenorDays", coupon_bps::bigint as coupon,
  valid_after as "validAfter", valid_before as "validBefore", r, s, v`

type NoteRow = Omit<NoteSet['notes'][number], 'chainId' | 'startedAt' | 'signature'> & NoteSignature

async function readSet(
  database: Queryable,
  condition: string,
  parameters: readonly unknown[],
): Promise<NoteSet | undefined> {
  const [row] = await database.query<SetRow>(
    `select ${setColumns} from note_sets s where chain_id = $1 and ${condition}`,
    parameters,
  )
  if (!row) return undefined
  const notes = await database.query<NoteRow>(
    `select ${noteColumns} from notes where chain_id = $1 and period_start = $2 order by maturity`,
    [row.chainId, row.start],
  )
  return fromRows(row, notes)
}

async function insertNotes(transaction: Queryable, set: NoteSet): Promise<void> {
  const { chainId, period, notes } = set
  for (const { maturityTimestamp, tenorDays, coupon, validAfter, validBefore, signature } of notes) {
    const { r, s, v } = signature
    await transaction.query(
      `insert into notes (chain_id, period_start, maturity, tenor_days, coupon_bps, valid_after, valid_before, r, s, v)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [chainId, period.start, maturityTimestamp, tenorDays, coupon, validAfter, validBefore, r, s, v],
    )
  }
}

function fromRows({ start, end, noteDay, logIndex, ...row }: SetRow, notes: readonly NoteRow[]): NoteSet {
  return {
    ...row,
    period: { noteDay, start, end },
    ...(logIndex !== null && { logIndex }),
    notes: notes.map(({ r, s, v, ...note }) => {
      return { ...note, chainId: row.chainId, startedAt: noteDay, signature: { r, s, v } as NoteSignature }
    }),
  }
}
