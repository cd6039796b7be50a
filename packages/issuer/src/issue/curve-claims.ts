import type { Database, Migration, Queryable } from '@tallystick/database'
import type { Curve } from '../curve/curve.ts'
import { findCurve, findCurveInForce } from '../curve/curve-store.ts'
import type { SetKey } from '../note-set.ts'
import { findNoteSet } from '../note-store.ts'

/** Rows exist only while a period is being signed. Storing its set deletes the row. */
export const claimMigrations: readonly Migration[] = [
  {
    name: 'curve claims',
    statements: [
      `create table curve_claims (
         chain_id bigint not null, period_start bigint not null, curve_id bigint not null references curves,
         signed boolean not null default false, primary key (chain_id, period_start))`,
    ],
    since: '0.2.0',
    worksWith: '0.1.0',
    undo: ['drop table curve_claims'],
    loses: 'the curves of periods that are being signed',
  },
]

type Claim = SetKey & { readonly curveId: bigint }

/** Returns the curve that the period is being signed from. A curve set meanwhile is in force from a later period. */
export async function findClaimedCurve(database: Queryable, key: SetKey): Promise<Curve | undefined> {
  const curveId = await findClaim(database, key)
  return curveId === undefined ? undefined : findCurve(database, curveId)
}

/**
 * Claims a period for a curve before the signer is called, so that all replicas sign the same terms. Returns false if the
 * curve is no longer in force, or the period is stored or claimed for another curve.
 */
export function claimCurve(database: Database, { curveId, ...key }: Claim): Promise<boolean> {
  return database.transaction(async (transaction) => {
    // Conflicts with the exclusive lock of `storeCurveIf`. Several replicas can hold a share lock.
    await transaction.query('lock table curves in share mode')
    const claimed = await findClaim(transaction, key)
    if (claimed !== undefined) return claimed === curveId
    if (await findNoteSet(transaction, key)) return false
    if ((await findCurveInForce(transaction, key))?.id !== curveId) return false
    await transaction.query(
      'insert into curve_claims (chain_id, period_start, curve_id) values ($1, $2, $3) on conflict do nothing',
      [key.chainId, key.periodStart, curveId],
    )
    return true
  })
}

/** Returns whether the period is claimed for this curve. */
export async function isClaimed(database: Queryable, { curveId, ...key }: Claim): Promise<boolean> {
  return (await findClaim(database, key)) === curveId
}

/**
 * Marks the claim before a signature leaves the process, so that no replica releases it. Returns false if it is no longer
 * claimed for this curve.
 */
export async function markSigned(database: Database, { chainId, periodStart, curveId }: Claim): Promise<boolean> {
  const marked = await database.query(
    'update curve_claims set signed = true where chain_id = $1 and period_start = $2 and curve_id = $3 returning 1',
    [chainId, periodStart, curveId],
  )
  return marked.length > 0
}

/** Releases a claim from which nothing was signed, so that another curve can be set for the period. */
export async function releaseUnsigned(database: Database, { chainId, periodStart }: SetKey): Promise<void> {
  const statement = 'delete from curve_claims where chain_id = $1 and period_start = $2 and not signed'
  await database.query(statement, [chainId, periodStart])
}

/** Releases a claim whose notes the pool refused permanently. */
export async function releaseRefused(database: Database, { chainId, periodStart, curveId }: Claim): Promise<void> {
  const statement = 'delete from curve_claims where chain_id = $1 and period_start = $2 and curve_id = $3'
  await database.query(statement, [chainId, periodStart, curveId])
}

async function findClaim(database: Queryable, { chainId, periodStart }: SetKey): Promise<bigint | undefined> {
  const [row] = await database.query<{ curve_id: bigint }>(
    'select curve_id from curve_claims where chain_id = $1 and period_start = $2',
    [chainId, periodStart],
  )
  return row?.curve_id
}
