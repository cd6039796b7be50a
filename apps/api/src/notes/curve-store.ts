import { type Period, periodAfter } from '@tallystick/core'
import type { Database, Migration, Queryable } from '@tallystick/database'
import type { Curve, CurvePoints } from './curve.ts'

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

/**
 * The curve in force for a chain in a period: of those effective by its start the latest, and of several for the same
 * boundary the one set last, whether it was set for this chain or for all.
 */
export async function findCurveInForce(
  database: Queryable,
  { chainId, periodStart }: { readonly chainId: number; readonly periodStart: bigint },
): Promise<Curve | undefined> {
  const [row] = await database.query<CurveRow>(
    `select * from curves where effective_from <= $2 and (chain_id is null or chain_id = $1)
     order by effective_from desc, id desc limit 1`,
    [chainId, periodStart],
  )
  return row && fromRow(row)
}

/** The newest curves, newest first. */
export async function listCurves(database: Queryable, limit: number): Promise<Curve[]> {
  const rows = await database.query<CurveRow>('select * from curves order by id desc limit $1', [limit])
  return rows.map(fromRow)
}

export type NewCurve = {
  readonly chainId: number | null
  readonly points: CurvePoints
  readonly confirmed: boolean
  readonly source: string
  readonly createdBy: string
  readonly createdAt: bigint
}

/**
 * Stores a curve from the first boundary on that is not signed yet, counting the current period's own start: what is
 * signed cannot be recalled, so a curve never touches a period that has been. `check` sees the boundary before anything
 * is stored and may throw.
 */
export async function storeCurve(
  database: Database,
  {
    curve,
    current,
    chainIds,
    check,
  }: {
    readonly curve: NewCurve
    readonly current: Period
    /** The chains the curve is for. */
    readonly chainIds: readonly number[]
    readonly check: (transaction: Queryable, effective: Period) => Promise<void>
  },
): Promise<Curve> {
  const stored = await database.transaction(async (transaction) => {
    // Against the share lock of `storeNoteSet`: no set is stored between our look at what is signed and our commit.
    await transaction.query('lock table curves in exclusive mode')
    const effective = await findUnsignedPeriod(transaction, { current, chainIds })
    await check(transaction, effective)
    const [row] = await transaction.query<CurveRow>(
      `insert into curves (chain_id, effective_from, points, confirmed, source, created_by, created_at)
       values ($1, $2, $3, $4, $5, $6, $7) returning *`,
      [curve.chainId, effective.start, curve.points, curve.confirmed, curve.source, curve.createdBy, curve.createdAt],
    )
    return fromRow(row as CurveRow)
  })
  await database.notify(curvesChannel)
  return stored
}

/** The current period, or the first after it, of which none of these chains has signed notes. */
async function findUnsignedPeriod(
  transaction: Queryable,
  { current, chainIds }: { readonly current: Period; readonly chainIds: readonly number[] },
): Promise<Period> {
  const rows = await transaction.query<{ period_start: bigint }>(
    'select distinct period_start from note_sets where period_start >= $1 and chain_id = any($2::bigint[])',
    [current.start, chainIds.map(String)],
  )
  const signed = new Set(rows.map((row) => row.period_start))
  let period = current
  while (signed.has(period.start)) period = periodAfter(period)
  return period
}

type CurveRow = {
  readonly id: bigint
  readonly chain_id: bigint | null
  readonly effective_from: bigint
  readonly points: CurvePoints
  readonly confirmed: boolean
  readonly source: string
  readonly created_by: string
  readonly created_at: bigint
}

function fromRow(row: CurveRow): Curve {
  return {
    id: row.id,
    chainId: row.chain_id === null ? null : Number(row.chain_id),
    effectiveFrom: row.effective_from,
    points: row.points,
    confirmed: row.confirmed,
    source: row.source,
    createdBy: row.created_by,
    createdAt: row.created_at,
  }
}
