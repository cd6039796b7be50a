import type { Queryable } from '@tallystick/database'
import { delaySecondsMax } from './attempt.ts'
import { type Hook, hookColumns } from './hook.ts'

/** Hook that one replica delivers to until the lease ends. */
export type ClaimedHook = Hook & {
  readonly lease: string
  /** Monotonic time before the lease began, in milliseconds. */
  readonly leasedAtMs: number
}

/** A request is begun only this long after the begin of the lease. A replica that was frozen then lets others go on. */
export const leaseUsableMs = 30_000

// Four times the time limit of a request. The lease ends by the database's clock, which all replicas share.
export const leaseInterval = "interval '60 seconds'"

/** Arguments of `isDue`: the second it is, and the hooks that this replica is delivering to. */
export type DueHooks = { readonly nowSeconds: bigint; readonly except: readonly string[] }

export const dueParameters = ({ nowSeconds, except }: DueHooks) => [nowSeconds, delaySecondsMax, except] as const

/**
 * Condition for hooks with new events whose next attempt is due. Its parameters are `$1` to `$3`. A time beyond the longest
 * delay was stored before the clock was set back.
 */
export const isDue = `disabled_at is null and id <> all($3::text[])
  and (lease_until is null or lease_until < clock_timestamp())
  and (next_attempt_at is null or next_attempt_at <= $1::bigint or next_attempt_at > $1::bigint + $2::bigint)
  and (after_event < (select max(id) from events) or head_event is not null)`

/**
 * Claims the hooks that are due. Another replica claims them when the lease has ended, so a
 * replica that was killed or is frozen delays its hooks by at most the lease.
 */
export async function claimHooks(
  database: Queryable,
  { lease, leasedAtMs, ...due }: Pick<ClaimedHook, 'lease' | 'leasedAtMs'> & DueHooks,
): Promise<ClaimedHook[]> {
  const rows = await database.query<Hook>(
    `update hooks set lease = $4, lease_until = clock_timestamp() + ${leaseInterval}
     where id in (select id from hooks where ${isDue} for update skip locked)
     returning ${hookColumns}`,
    [...dueParameters(due), lease],
    { isFrequent: true },
  )
  return rows.map((row) => ({ ...row, lease, leasedAtMs }))
}

/** Ends a claim. `afterEvent` skips events that are not for the hook. */
export async function releaseHook(
  database: Queryable,
  { id, lease, afterEvent }: Pick<ClaimedHook, 'id' | 'lease' | 'afterEvent'>,
): Promise<void> {
  await database.query(
    'update hooks set lease = null, lease_until = null, after_event = $3 where id = $1 and lease = $2',
    [id, lease, afterEvent],
  )
}
