import type { Finding } from '@tallystick/core'
import type { Queryable } from '@tallystick/database'
import type { NoteSet, SetKey } from './note-set.ts'

export const refusalReasons = [
  'no_curve',
  'no_tenor',
  'curve_stale',
  'coupon_out_of_range',
  'coupon_above_pool_limit',
  'move_too_large',
  'maturity_too_short',
  'maturity_below_pool_limit',
  'clock_behind',
  'clock_ahead',
  'clock_off_chain',
  'clock_unconfirmed',
  'signer_failed',
  'stored_set_invalid',
  'preflight_refused',
  'preflight_unavailable',
  'pool_refuses',
  'pool_limits',
  'pool_signer',
  'pool_paused',
  'pool_wiring',
  'earlier_signer',
  'journal_contradicted',
  'journal_failed',
  'protection_contradicted',
  'protection_failed',
  'log_restored',
  'log_contradicted',
] as const

/** Why a period has no notes: `reason` for programs, `message` for operators. Its chain and period are the subject. */
export type Refusal = Pick<Finding, 'message'> & { readonly reason: (typeof refusalReasons)[number] }

/** A set, or why there is none. */
export type IssueResult =
  | { readonly set: NoteSet; readonly refusal?: undefined }
  | { readonly set?: undefined; readonly refusal: Refusal }

/** Records why a period has no notes. */
export async function recordRefusal(
  database: Queryable,
  { chainId, periodStart, refusal, nowSeconds }: SetKey & { readonly refusal: Refusal; readonly nowSeconds: bigint },
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
  { chainId, periodStart, reason }: SetKey & Pick<Refusal, 'reason'>,
): Promise<void> {
  const statement = 'delete from note_refusals where chain_id = $1 and period_start = $2 and reason = $3'
  await database.query(statement, [chainId, periodStart, reason])
}

export async function findRecordedRefusal(
  database: Queryable,
  { chainId, periodStart }: SetKey,
): Promise<Refusal | undefined> {
  const [row] = await database.query<Refusal>(
    'select reason, message from note_refusals where chain_id = $1 and period_start = $2',
    [chainId, periodStart],
  )
  return row
}
