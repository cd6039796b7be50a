import type { Queryable } from '@tallystick/database'
import type { Refusal } from './refusal.ts'

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
