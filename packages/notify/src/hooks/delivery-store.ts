import { type EventType, TallystickError } from '@tallystick/core'
import { auditedTransaction, type Database, type Queryable } from '@tallystick/database'
import type { StoredEvent } from '../events/event-store.ts'
import type { Attempt } from './attempt.ts'
import { storeAttempt } from './attempt-store.ts'
import { type ClaimedHook, leaseInterval } from './claim-hooks.ts'
import { hostOf } from './hook.ts'
import type { RetryPlan } from './plan-retry.ts'
import { webhookIdOf } from './webhook-message.ts'

/** What became of an event for a hook. */
export type Delivery = {
  readonly eventId: bigint
  readonly webhookId: string
  readonly type: EventType
  readonly chainId: bigint
  /** `gone`: the event was deleted before it was delivered. `failed`: the hook was switched off. `skipped`: too large. */
  readonly status: 'delivered' | 'retrying' | 'failed' | 'gone' | 'skipped'
  readonly attempts: number
  readonly firstAttemptAt: bigint
  readonly lastAttemptAt: bigint
  readonly nextAttemptAt: bigint | null
  readonly responseStatus: number | null
  readonly durationMs: number | null
  readonly error: string | null
}

/** The oldest deliveries of a hook beyond this are deleted. */
const deliveriesMax = 200

type Outcome = { readonly event: StoredEvent; readonly attempt: Attempt; readonly nowSeconds: bigint }

/**
 * Records that an event is done and extends the lease. Returns the hook, or undefined if the claim has ended: the hook was
 * removed, or another replica has it.
 */
export async function recordDone(
  database: Database,
  hook: ClaimedHook,
  { event, attempt, nowSeconds }: Outcome,
): Promise<ClaimedHook | undefined> {
  const { isDelivered } = attempt
  return database.transaction(async (transaction) => {
    const claimed = await transaction.query(
      `update hooks set after_event = $3, head_event = null, attempts = 0, failing_since = null, next_attempt_at = null,
         last_error = null, last_success_at = case when $5 then $4 else last_success_at end,
         lease_until = clock_timestamp() + ${leaseInterval} where id = $1 and lease = $2 returning id`,
      [hook.id, hook.lease, event.id, nowSeconds, isDelivered],
    )
    if (claimed.length === 0) return undefined
    const status = isDelivered ? 'delivered' : 'skipped'
    await storeDelivery(transaction, { hook, event, attempt, nowSeconds, status, nextAttemptAt: null })
    await deleteOldDeliveries(transaction, hook.id)
    return { ...hook, afterEvent: event.id, headEvent: null, attempts: 0, failingSince: null }
  })
}

/** Records a failed attempt and ends the claim. Returns false if the claim has ended already. */
export async function recordFailed(
  database: Database,
  hook: ClaimedHook,
  { event, attempt, nowSeconds, plan }: Outcome & { readonly plan: RetryPlan },
): Promise<boolean> {
  const { nextAttemptAt, disabledReason } = plan
  return auditedTransaction(database, { actor: 'hooks' }, async (transaction, record) => {
    const claimed = await transaction.query(
      `update hooks set head_event = $3, attempts = $4, failing_since = $5, next_attempt_at = $6, last_error = $7,
         disabled_at = case when $8::text is null then null else $9::bigint end, disabled_reason = $8,
         lease = null, lease_until = null where id = $1 and lease = $2 returning id`,
      [
        ...[hook.id, hook.lease, event.id, plan.attempts, plan.failingSince, nextAttemptAt, attempt.error],
        ...[disabledReason, nowSeconds],
      ],
    )
    if (claimed.length === 0) return false
    const status = disabledReason === null ? 'retrying' : 'failed'
    await storeDelivery(transaction, { hook, event, attempt, nowSeconds, status, nextAttemptAt })
    if (disabledReason !== null) {
      const details = { host: hostOf(hook), reason: disabledReason }
      await record({ action: 'hook.disable', subject: hook.id, details })
    }
    return true
  })
}

/** Records that the event to try again was deleted. Returns the hook, or undefined if the claim has ended. */
export async function recordGone(database: Database, hook: ClaimedHook): Promise<ClaimedHook | undefined> {
  const { id, lease, headEvent } = hook
  if (headEvent === null) return hook
  return database.transaction(async (transaction) => {
    const claimed = await transaction.query(
      `update hooks set after_event = $3, head_event = null, attempts = 0, failing_since = null, next_attempt_at = null
       where id = $1 and lease = $2 returning id`,
      [id, lease, headEvent],
    )
    if (claimed.length === 0) return undefined
    await transaction.query(
      `update hook_deliveries set status = 'gone', next_attempt_at = null, error = $3 where hook_id = $1 and event_id = $2`,
      [id, headEvent, goneError],
    )
    return { ...hook, afterEvent: headEvent, headEvent: null, attempts: 0, failingSince: null }
  })
}

const goneError =
  'The event was deleted after 4 days, before it could be delivered. Later events of that time may be missing too.'

/** Lists the newest deliveries of a hook, newest first. */
export async function listDeliveries(
  database: Queryable,
  { id, limit }: { readonly id: string; readonly limit: number },
): Promise<Delivery[]> {
  return database.query<Delivery>(
    `select ${deliveryColumns} from hook_deliveries where hook_id = $1 order by event_id desc limit $2`,
    [id, limit],
  )
}

const deliveryColumns = `event_id as "eventId", webhook_id as "webhookId", type, chain_id as "chainId", status, attempts,
  first_attempt_at as "firstAttemptAt", last_attempt_at as "lastAttemptAt", next_attempt_at as "nextAttemptAt",
  response_status as "responseStatus", duration_ms as "durationMs", error`

/** Returns the delivery of an event. Throws `delivery_not_found`. */
export async function getDelivery(
  database: Queryable,
  { id, event }: { readonly id: string; readonly event: string },
): Promise<Delivery> {
  // Other numbers are out of the range of the column.
  const isNumber = /^\d{1,18}$/.test(event)
  const select = `select ${deliveryColumns} from hook_deliveries where hook_id = $1 and event_id = $2`
  const [delivery] = isNumber ? await database.query<Delivery>(select, [id, event]) : []
  if (delivery) return delivery
  throw new TallystickError({
    code: 'delivery_not_found',
    message: `Hook "${id}" has no delivery of event ${JSON.stringify(event.slice(0, 40))}. \`tallystick hooks deliveries ${id}\` lists the newest ones.`,
    retryable: false,
  })
}

type StoredDelivery = Outcome & Pick<Delivery, 'status' | 'nextAttemptAt'> & { readonly hook: ClaimedHook }

async function storeDelivery(
  transaction: Queryable,
  { hook, event, attempt, nowSeconds, status, nextAttemptAt }: StoredDelivery,
): Promise<void> {
  await transaction.query(
    `insert into hook_deliveries as d (hook_id, event_id, webhook_id, type, chain_id, status, attempts, first_attempt_at,
       last_attempt_at, next_attempt_at, response_status, duration_ms, error)
     values ($1, $2, $3, $4, $5, $6, 1, $7, $7, $8, $9, $10, $11)
     on conflict (hook_id, event_id) do update set status = excluded.status, attempts = d.attempts + 1,
       last_attempt_at = excluded.last_attempt_at, next_attempt_at = excluded.next_attempt_at,
       response_status = excluded.response_status, duration_ms = excluded.duration_ms, error = excluded.error`,
    [
      ...[hook.id, event.id, webhookIdOf(hook.id, event), event.type, event.chainId, status, nowSeconds, nextAttemptAt],
      ...[attempt.status, attempt.durationMs, attempt.error],
    ],
  )
  await storeAttempt(transaction, { hookId: hook.id, eventId: event.id, attempt, nowSeconds, isResend: false })
}

async function deleteOldDeliveries(transaction: Queryable, id: string): Promise<void> {
  await transaction.query(
    `delete from hook_deliveries where hook_id = $1 and event_id <= (
       select event_id from hook_deliveries where hook_id = $1 order by event_id desc offset $2 limit 1)`,
    [id, deliveriesMax],
  )
}
