import { type Time, toSeconds } from '@tallystick/base'
import type { Database } from '@tallystick/database'
import type { Logger } from 'pino'
import { readEvents, type StoredEvent } from '../events/event-store.ts'
import { type Attempt, attemptDelivery } from './attempt.ts'
import { type ClaimedHook, leaseUsableMs, releaseHook } from './claim-hooks.ts'
import { recordDone, recordFailed, recordGone } from './delivery-store.ts'
import { hostOf } from './hook.ts'
import { readHookSecrets } from './hook-secrets.ts'
import { planRetry } from './plan-retry.ts'
import type { Sender } from './send-request.ts'
import { bodyBytesMax, eventMessage } from './webhook-message.ts'

export type DeliveryContext = {
  readonly database: Database
  readonly time: Time
  readonly sender: Sender
  readonly log: Logger
  /** Returns a number from 0 up to, but not including, 1. */
  readonly random: () => number
  /** Returns whether the process stops. Then no further request is begun. */
  readonly isStopping: () => boolean
  /** Aborts the requests in progress. */
  readonly signal: AbortSignal
  readonly onAttempt: (outcome: 'delivered' | 'failed' | 'skipped') => void
}

/**
 * Delivers the events of a claimed hook in order until none is left, one fails or the claim ends. An event that was sent
 * but not recorded is sent again under the same id.
 */
export async function deliverHook(context: DeliveryContext, claimed: ClaimedHook): Promise<void> {
  let hook: ClaimedHook | undefined = claimed
  while (hook) {
    const { event, lastId } = await findNext(context, hook)
    if (hook.headEvent !== null && event?.id !== hook.headEvent) hook = await recordGone(context.database, hook)
    else if (!event || context.isStopping()) {
      return releaseHook(context.database, { ...hook, afterEvent: event ? hook.afterEvent : lastId })
    } else hook = await deliverEvent(context, { hook, event })
  }
}

/** Finds the next event for a hook, and the last of all. The last one is read first: later ones may be for the hook. */
async function findNext(
  { database }: DeliveryContext,
  { afterEvent, types, chainId }: ClaimedHook,
): Promise<{ readonly event: StoredEvent | undefined; readonly lastId: bigint }> {
  const [last] = await database.query<{ id: bigint | null }>('select max(id) as id from events')
  const [event] = await readEvents(database, { afterId: afterEvent, limit: 1, types, chainId })
  return { event, lastId: last?.id && last.id > afterEvent ? last.id : afterEvent }
}

type Sending = { readonly hook: ClaimedHook; readonly event: StoredEvent }

/** Returns the hook for the next event, or undefined if the claim has ended. */
async function deliverEvent(context: DeliveryContext, { hook, event }: Sending): Promise<ClaimedHook | undefined> {
  const { database, time } = context
  if (time.monotonic() - hook.leasedAtMs > leaseUsableMs) return undefined
  const attempt = await sendEvent(context, { hook, event }).catch(async (error) => {
    if (!context.signal.aborted) throw error
    await releaseHook(database, hook)
    return undefined
  })
  if (!attempt) return undefined
  const leasedAtMs = time.monotonic()
  const nowSeconds = toSeconds(time.now())
  context.onAttempt(attempt.isDelivered ? 'delivered' : attempt.isTooLarge ? 'skipped' : 'failed')
  if (attempt.isDelivered || attempt.isTooLarge) {
    return recordDone(database, { ...hook, leasedAtMs }, { event, attempt, nowSeconds })
  }
  const plan = planRetry(hook, { attempt, nowSeconds, random: context.random })
  const isRecorded = await recordFailed(database, hook, { event, attempt, nowSeconds, plan })
  if (isRecorded) logFailure(context.log, { hook, event, attempt, reason: plan.disabledReason })
  return undefined
}

/** Returns undefined, and sends nothing, if the claim has ended. */
async function sendEvent(
  { database, time, sender, signal }: DeliveryContext,
  { hook, event }: Sending,
): Promise<(Attempt & { readonly isTooLarge?: boolean | undefined }) | undefined> {
  const message = eventMessage(hook.id, event)
  if (message.body.length > bodyBytesMax) {
    const error = `the body has ${message.body.length} bytes, the limit is ${bodyBytesMax}. The receiver can request the data instead`
    return { isDelivered: false, status: null, error, durationMs: 0, response: null, isTooLarge: true }
  }
  const nowMs = time.now()
  const secrets = await readHookSecrets(database, { id: hook.id, nowSeconds: toSeconds(nowMs), lease: hook.lease })
  if (secrets.length === 0) return undefined
  return attemptDelivery(sender, hook, { message, secrets, nowMs, time, signal })
}

function logFailure(
  log: Logger,
  { hook, event, attempt, reason }: Sending & { readonly attempt: Attempt; readonly reason: string | null },
): void {
  const facts = { hook: hook.id, host: hostOf(hook), event: event.id.toString() }
  if (reason !== null) log.error({ ...facts, reason }, 'webhook switched off')
  // The first failure only: the following ones are in the list of deliveries.
  else if (hook.attempts === 0) log.warn({ ...facts, problem: attempt.error }, 'webhook delivery failed; retrying')
}
