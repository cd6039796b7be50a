import { curveProvenanceSchema, type Period, periodAfter } from '@tallystick/core'
import {
  type AuditedChange,
  type Auditor,
  auditedTransaction,
  type Database,
  type Migration,
  type Queryable,
} from '@tallystick/database'
import type { LogRange, SetKey } from '../note-set.ts'
import type { Curve } from './curve.ts'

export const curvesChannel = 'tallystick_curves'

export const curveMigrations: readonly Migration[] = [
  {
    name: 'curves',
    statements: [
      `create table curves (
         id bigint generated always as identity primary key, chain_id bigint, effective_from bigint not null,
         points jsonb not null, confirmed boolean not null, source text not null, created_by text not null,
         created_at bigint not null)`,
      'create index curves_in_force on curves (effective_from desc, id desc)',
    ],
  },
]

export const curveProvenanceMigrations: readonly Migration[] = [
  { name: 'curve provenance', statements: ['alter table curves add column provenance jsonb'] },
]

/**
 * Returns the curve in force for a chain in a period: of the curves effective by its start the one with the latest
 * boundary, and of several with the same boundary the newest. A curve for all chains counts like one for this chain.
 */
export async function findCurveInForce(
  database: Queryable,
  { chainId, periodStart }: SetKey,
): Promise<Curve | undefined> {
  const [row] = await database.query<CurveRow>(
    `select ${columns} from curves where effective_from <= $2 and (chain_id is null or chain_id = $1)
     order by effective_from desc, id desc limit 1`,
    [chainId, periodStart],
  )
  return row && fromRow(row)
}

export async function findCurve(database: Queryable, id: bigint): Promise<Curve | undefined> {
  const [row] = await database.query<CurveRow>(`select ${columns} from curves where id = $1`, [id])
  return row && fromRow(row)
}

/** Returns the curves that are in force from an instant on and not in the public log yet, oldest first. */
export async function listUnloggedCurves(database: Queryable, fromSeconds: bigint): Promise<Curve[]> {
  const rows = await database.query<CurveRow>(
    `select ${columns} from curves where log_index is null and effective_from >= $1 order by id`,
    [fromSeconds],
  )
  return rows.map(fromRow)
}

/** Returns the curves whose entries in the public log are in a range. */
export async function findLoggedCurves(database: Queryable, { from, to }: LogRange): Promise<Curve[]> {
  const rows = await database.query<CurveRow>(
    `select ${columns} from curves where log_index >= $1 and log_index < $2`,
    [from, to],
  )
  return rows.map(fromRow)
}

export async function setCurveLogIndex(
  transaction: Queryable,
  { id, index }: { readonly id: bigint; readonly index: number },
): Promise<void> {
  await transaction.query('update curves set log_index = $2 where id = $1', [id, index])
}

/** Returns the newest curve of a chain, in force or not. */
export async function findNewestCurve(database: Queryable, chainId: number): Promise<Curve | undefined> {
  const [row] = await database.query<CurveRow>(
    `select ${columns} from curves where chain_id is null or chain_id = $1 order by id desc limit 1`,
    [chainId],
  )
  return row && fromRow(row)
}

/** Returns a stored curve that equals the given one, ignoring its id. */
export async function findSameCurve(database: Queryable, curve: Omit<Curve, 'id'>): Promise<Curve | undefined> {
  const [row] = await database.query<CurveRow>(
    `select ${columns} from curves
     where chain_id is not distinct from $1 and effective_from = $2 and points = $3::jsonb and confirmed = $4
       and source = $5 and provenance is not distinct from $6::jsonb and created_by = $7 and created_at = $8
     order by id limit 1`,
    parametersOf(curve),
  )
  return row && fromRow(row)
}

/** Returns the newest Treasury curve of a chain, or of any chain, in force or not. */
export async function findLastTreasuryCurve(database: Queryable, chainId?: number): Promise<Curve | undefined> {
  const [row] = await database.query<CurveRow>(
    `select ${columns} from curves where source = 'treasury' and ($1::bigint is null or chain_id is null or chain_id = $1)
     order by id desc limit 1`,
    [chainId ?? null],
  )
  return row && fromRow(row)
}

/** Returns the newest Treasury curve of a date from which notes of any chain were signed. */
export async function findSignedTreasuryCurve(database: Queryable, sourceDate: string): Promise<Curve | undefined> {
  const [row] = await database.query<CurveRow>(
    `select ${columns} from curves where source = 'treasury' and provenance->>'sourceDate' = $1
       and id in (select curve_id from note_sets) order by id desc limit 1`,
    [sourceDate],
  )
  return row && fromRow(row)
}

/** Returns the newest curves, newest first. */
export async function listCurves(database: Queryable, limit: number): Promise<Curve[]> {
  const rows = await database.query<CurveRow>(`select ${columns} from curves order by id desc limit $1`, [limit])
  return rows.map(fromRow)
}

/** Curve before it is stored. The store chooses its id and the boundary from which it is in force. */
type NewCurve = Omit<Curve, 'id' | 'effectiveFrom'>

type StoreCurveOptions = {
  readonly curve: NewCurve
  readonly current: Period
  /** The chains the curve is for. */
  readonly chainIds: readonly number[]
  readonly auditor: Auditor
  readonly shouldStore: (transaction: Queryable, effective: Period, record: RecordChange) => Promise<boolean>
}

export type RecordChange = (change: AuditedChange) => Promise<void>

/**
 * Stores a curve that is in force from the first unsigned period, which may be the current one. Signed notes cannot be
 * recalled, so a curve never applies to a signed period. `shouldStore` decides under the lock, so that only one of several
 * replicas stores the same curve. It may record more changes, and may throw.
 */
export async function storeCurveIf(
  database: Database,
  { curve, current, chainIds, auditor, shouldStore }: StoreCurveOptions,
): Promise<Curve | undefined> {
  const stored = await auditedTransaction(database, auditor, async (transaction, record) => {
    // Conflicts with the share lock of `storeNoteSet`: no set is stored until the commit.
    await transaction.query('lock table curves in exclusive mode')
    const effective = await findUnsignedPeriod(transaction, { current, chainIds })
    if (!(await shouldStore(transaction, effective, record))) return undefined
    const inserted = await insertCurve(transaction, { ...curve, effectiveFrom: effective.start })
    await record(describeCurve(inserted))
    return inserted
  })
  if (stored) await database.notify(curvesChannel)
  return stored
}

function describeCurve({ id, chainId, points, confirmed, source, effectiveFrom }: Curve): AuditedChange {
  const details = { chainId, points, confirmed, source, effectiveFrom: effectiveFrom.toString() }
  return { action: 'curve.set', subject: `curve ${id}`, details }
}

/** Inserts a curve unchanged. Takes no lock and chooses no boundary, unlike `storeCurveIf`. */
export async function insertCurve(transaction: Queryable, curve: Omit<Curve, 'id'>): Promise<Curve> {
  const [row] = await transaction.query<CurveRow>(
    `insert into curves (chain_id, effective_from, points, confirmed, source, provenance, created_by, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8) returning ${columns}`,
    parametersOf(curve),
  )
  return fromRow(row as CurveRow)
}

function parametersOf(curve: Omit<Curve, 'id'>): readonly unknown[] {
  const { chainId, effectiveFrom, points, confirmed, source, provenance, createdBy, createdAt } = curve
  return [chainId, effectiveFrom, points, confirmed, source, provenance, createdBy, createdAt]
}

/** Returns the first period, from the current one on, of which none of these chains has notes or is signing them. */
export async function findUnsignedPeriod(
  transaction: Queryable,
  { current, chainIds }: { readonly current: Period; readonly chainIds: readonly number[] },
): Promise<Period> {
  const rows = await transaction.query<{ period_start: bigint }>(
    `select period_start from note_sets where period_start >= $1 and chain_id = any($2::bigint[])
     union select period_start from curve_claims where period_start >= $1 and chain_id = any($2::bigint[])`,
    [current.start, chainIds.map(String)],
  )
  const signed = new Set(rows.map((row) => row.period_start))
  let period = current
  while (signed.has(period.start)) period = periodAfter(period)
  return period
}

const columns = `id, chain_id::float8 as "chainId", effective_from as "effectiveFrom", points, confirmed, source, provenance,
  created_by as "createdBy", created_at as "createdAt", log_index::float8 as "logIndex"`

type CurveRow = Omit<Curve, 'logIndex'> & { readonly logIndex: number | null }

function fromRow({ provenance, logIndex, ...row }: CurveRow): Curve {
  return {
    ...row,
    // Throws if damaged: a curve without provenance would pass the age rail.
    provenance: provenance === null ? null : curveProvenanceSchema.parse(provenance),
    ...(logIndex !== null && { logIndex }),
  }
}
