import type { NoteSignature, Period } from '@tallystick/core'
import type { Database, Migration, Queryable } from '@tallystick/database'
import type { Address } from 'viem'
import { findCurveInForce } from './curve/curve-store.ts'
import type { Refusal } from './issue/refusal.ts'
import type { NoteSet } from './note-set.ts'

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
export async function findNoteSet(
  database: Queryable,
  { chainId, periodStart }: { readonly chainId: number; readonly periodStart: bigint },
): Promise<NoteSet | undefined> {
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
  const rows = await database.query<Pick<NoteRow, 'tenor_days' | 'coupon_bps'>>(
    `select distinct on (tenor_days) tenor_days, coupon_bps from notes where chain_id = $1 and period_start < $2
     order by tenor_days, period_start desc`,
    [chainId, beforeStart],
  )
  return new Map(rows.map((row) => [row.tenor_days, row.coupon_bps]))
}

/**
 * Stores a set unless the period has one, and returns the stored set. Returns undefined without storing if the set's curve
 * is no longer in force, because another was set meanwhile. Calls `beforeStore`, which may throw, right before the insert.
 */
export async function storeNoteSet(
  database: Database,
  set: NoteSet,
  beforeStore: () => Promise<void>,
): Promise<NoteSet | undefined> {
  const key = { chainId: set.chainId, periodStart: set.period.start }
  return database.transaction(async (transaction) => {
    // Conflicts with the exclusive lock of `storeCurveIf`. Several replicas can hold a share lock.
    await transaction.query('lock table curves in share mode')
    const stored = await findNoteSet(transaction, key)
    if (stored) return stored
    if ((await findCurveInForce(transaction, key))?.id !== set.curveId) return undefined
    await beforeStore()
    await insertNoteSet(transaction, set)
    return findNoteSet(transaction, key)
  })
}

/** Inserts a set and its notes. Does nothing if the period has a set. */
export async function insertNoteSet(transaction: Queryable, set: NoteSet): Promise<void> {
  const inserted = await transaction.query(
    `insert into note_sets (chain_id, period_start, period_end, note_day, signer, curve_id, issued_at)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning 1`,
    [set.chainId, set.period.start, set.period.end, set.period.noteDay, set.signer, set.curveId, set.issuedAt],
  )
  if (inserted.length === 0) return
  await insertNotes(transaction, set)
  // An earlier refusal does not apply to the new set.
  await transaction.query('delete from note_refusals where chain_id = $1 and period_start = $2', [
    set.chainId,
    set.period.start,
  ])
}

/** Records why a period has no notes. */
export async function recordRefusal(
  database: Queryable,
  {
    chainId,
    periodStart,
    refusal,
    nowSeconds,
  }: {
    readonly chainId: number
    readonly periodStart: bigint
    readonly refusal: Refusal
    readonly nowSeconds: bigint
  },
): Promise<void> {
  await database.query(
    `insert into note_refusals (chain_id, period_start, reason, message, refused_at) values ($1, $2, $3, $4, $5)
     on conflict (chain_id, period_start) do update set reason = $3, message = $4, refused_at = $5`,
    [chainId, periodStart, refusal.reason, refusal.message, nowSeconds],
  )
}

/** Deletes the recorded refusal of a period if it has this reason. */
export async function clearRefusal(
  database: Queryable,
  {
    chainId,
    periodStart,
    reason,
  }: { readonly chainId: number; readonly periodStart: bigint; readonly reason: Refusal['reason'] },
): Promise<void> {
  await database.query('delete from note_refusals where chain_id = $1 and period_start = $2 and reason = $3', [
    chainId,
    periodStart,
    reason,
  ])
}

export async function findRecordedRefusal(
  database: Queryable,
  { chainId, periodStart }: { readonly chainId: number; readonly periodStart: bigint },
): Promise<Refusal | undefined> {
  const [row] = await database.query<Refusal>(
    'select reason, message from note_refusals where chain_id = $1 and period_start = $2',
    [chainId, periodStart],
  )
  return row
}

type SetRow = {
  readonly chain_id: bigint
  readonly period_start: bigint
  readonly period_end: bigint
  readonly note_day: bigint
  readonly signer: string
  readonly curve_id: bigint
  readonly issued_at: bigint
}

type NoteRow = {
  readonly maturity: bigint
  readonly tenor_days: number
  readonly coupon_bps: number
  readonly valid_after: bigint
  readonly valid_before: bigint
  readonly r: string
  readonly s: string
  readonly v: number
}

async function readSet(
  database: Queryable,
  condition: string,
  parameters: readonly unknown[],
): Promise<NoteSet | undefined> {
  const [row] = await database.query<SetRow>(`select * from note_sets where chain_id = $1 and ${condition}`, parameters)
  if (!row) return undefined
  const notes = await database.query<NoteRow>(
    'select * from notes where chain_id = $1 and period_start = $2 order by maturity',
    [row.chain_id, row.period_start],
  )
  return fromRows(row, notes)
}

async function insertNotes(transaction: Queryable, set: NoteSet): Promise<void> {
  for (const note of set.notes) {
    await transaction.query(
      `insert into notes (chain_id, period_start, maturity, tenor_days, coupon_bps, valid_after, valid_before, r, s, v)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        set.chainId,
        set.period.start,
        note.maturityTimestamp,
        note.tenorDays,
        note.coupon,
        note.validAfter,
        note.validBefore,
        note.signature.r,
        note.signature.s,
        note.signature.v,
      ],
    )
  }
}

function fromRows(row: SetRow, notes: readonly NoteRow[]): NoteSet {
  const chainId = Number(row.chain_id)
  const period: Period = { noteDay: row.note_day, start: row.period_start, end: row.period_end }
  return {
    chainId,
    period,
    signer: row.signer as Address,
    curveId: row.curve_id,
    issuedAt: row.issued_at,
    notes: notes.map((note) => ({
      chainId,
      tenorDays: note.tenor_days,
      maturityTimestamp: note.maturity,
      coupon: BigInt(note.coupon_bps),
      startedAt: period.noteDay,
      validAfter: note.valid_after,
      validBefore: note.valid_before,
      signature: { r: note.r, s: note.s, v: note.v } as NoteSignature,
    })),
  }
}
