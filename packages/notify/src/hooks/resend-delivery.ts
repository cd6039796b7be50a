import type { Time } from '@tallystick/base'
import { TallystickError } from '@tallystick/core'
import { type Auditor, auditedTransaction, type Database, type Queryable } from '@tallystick/database'
import { findEvent, type StoredEvent } from '../events/event-store.ts'
import { type Attempt, attemptDelivery } from './attempt.ts'
import { storeAttempt } from './attempt-store.ts'
import { type Delivery, getDelivery } from './delivery-store.ts'
import { type Hook, hostOf } from './hook.ts'
import { readHookSecrets } from './hook-secrets.ts'
import { getHook } from './hook-store.ts'
import type { Sender } from './send-request.ts'
import { bodyBytesMax, eventMessage, type WebhookMessage, webhookIdOf } from './webhook-message.ts'

type ResendOptions = {
  readonly id: string
  readonly event: string
  readonly sender: Sender
  readonly nowMs: number
  readonly time: Pick<Time, 'monotonic'>
  readonly auditor: Auditor
}

/** Finds the body of a delivery. Undefined if its event was deleted, or a restored database counts its number again. */
export async function findMessage(
  database: Queryable,
  { id }: Pick<Hook, 'id'>,
  { eventId, webhookId }: Delivery,
): Promise<WebhookMessage | undefined> {
  const event: StoredEvent | undefined = await findEvent(database, eventId)
  return event && webhookIdOf(id, event) === webhookId ? eventMessage(id, event) : undefined
}

/**
 * Sends an event again at once, with its first id and body and a new signature, also to a hook that is switched off. If it is
 * the one that the hook waits to deliver and it succeeds, the hook continues with the next one.
 */
export async function resendDelivery(
  database: Database,
  { id, event, sender, nowMs, time, auditor }: ResendOptions,
): Promise<{ readonly hook: Hook; readonly delivery: Delivery; readonly attempt: Attempt }> {
  const hook = await getHook(database, id)
  const delivery = await getDelivery(database, { id, event })
  const message = await findMessage(database, hook, delivery)
  if (!message || message.body.length > bodyBytesMax) throw cannotBeSent(delivery, message)
  const nowSeconds = BigInt(Math.floor(nowMs / 1000))
  const secrets = await readHookSecrets(database, { id, nowSeconds })
  const signal = new AbortController().signal
  const attempt = await attemptDelivery(sender, hook, { message, secrets, nowMs, time, signal })
  return auditedTransaction(database, auditor, async (transaction, record) => {
    // Locks in the order of a delivery: hook, then delivery. Throws if it was removed meanwhile.
    await getHook(transaction, id, 'for update')
    await storeResend(transaction, { id, delivery, attempt, nowSeconds })
    const { status, isDelivered } = attempt
    const details = { host: hostOf(hook), event, webhookId: delivery.webhookId, isDelivered, status }
    await record({ action: 'hook.resend', subject: id, details })
    const stored = { hook: await getHook(transaction, id), delivery: await getDelivery(transaction, { id, event }) }
    return { ...stored, attempt }
  })
}

type Resent = {
  readonly id: string
  readonly delivery: Delivery
  readonly attempt: Attempt
  readonly nowSeconds: bigint
}

async function storeResend(transaction: Queryable, { id, delivery, attempt, nowSeconds }: Resent): Promise<void> {
  const { eventId } = delivery
  // A delivery that once succeeded stays delivered. A failed repetition does not count as one of the hook's own attempts.
  const updated = await transaction.query(
    `update hook_deliveries set attempts = attempts + 1, last_attempt_at = $3, response_status = $4, duration_ms = $5,
       error = $6, status = case when $7 then 'delivered' else status end,
       next_attempt_at = case when $7 then null else next_attempt_at end
     where hook_id = $1 and event_id = $2 returning event_id`,
    [id, eventId, nowSeconds, attempt.status, attempt.durationMs, attempt.error, attempt.isDelivered],
  )
  if (updated.length === 0) return
  await storeAttempt(transaction, { hookId: id, eventId, attempt, nowSeconds, isResend: true })
  if (!attempt.isDelivered) return
  await transaction.query('update hooks set last_success_at = $2 where id = $1', [id, nowSeconds])
  // A replica that delivers it right now records that itself.
  await transaction.query(
    `update hooks set after_event = $2, head_event = null, attempts = 0, failing_since = null, next_attempt_at = null,
       last_error = null
     where id = $1 and head_event = $2 and (lease_until is null or lease_until < clock_timestamp())`,
    [id, eventId],
  )
}

function cannotBeSent({ eventId }: Delivery, message: WebhookMessage | undefined): TallystickError {
  return new TallystickError({
    code: 'delivery_not_found',
    message: message
      ? `Nothing was sent: the body of event ${eventId} has ${message.body.length} bytes, the limit is ${bodyBytesMax}.`
      : `Nothing was sent: event ${eventId} was deleted. Events are kept for 4 days.`,
    retryable: false,
  })
}
