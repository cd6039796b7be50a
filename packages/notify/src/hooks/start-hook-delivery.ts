import { randomUUID } from 'node:crypto'
import {
  createLogThrottle,
  type MetricHelp,
  type Metrics,
  repeat,
  runOneAtATime,
  settleWithin,
  toSeconds,
} from '@tallystick/base'
import type { Finding } from '@tallystick/core'
import { eventsChannel } from '../events/event-store.ts'
import { deleteOldAttempts } from './attempt-store.ts'
import { type ClaimedHook, claimHooks } from './claim-hooks.ts'
import { type DeliveryContext, deliverHook } from './deliver-hook.ts'
import { countHooks, type HookCounts } from './hook-store.ts'
import type { Sender } from './send-request.ts'

export const hookMetricHelp: MetricHelp = {
  tallystick_hooks_disabled: 'ALARM: webhooks that were switched off because their receiver failed.',
  tallystick_hooks_failing: 'Webhooks whose last attempt failed and is retried.',
  tallystick_hook_attempts_total: 'Requests to the receivers of webhooks, by outcome.',
}

type DeliveryOptions = Pick<DeliveryContext, 'database' | 'time' | 'log' | 'sender'> & {
  readonly metrics: Metrics
  readonly random?: (() => number) | undefined
  /** How long a stop waits for requests in progress; 3 s by default. */
  readonly stopGraceMs?: number | undefined
}

export type RunningHooks = {
  readonly check: () => Finding
  /** Sends test events. */
  readonly sender: Sender
  stop(): Promise<void>
}

// A new event is delivered at once.
const tickMs = 1_000
const cleanMs = 3_600_000
// A receiver that takes longer gets the event again, from another replica.
const stopGraceMsDefault = 3_000

/** Delivers events to the hooks, each independently of the others, until it is stopped. */
export async function startHookDelivery(options: DeliveryOptions): Promise<RunningHooks> {
  const { database, time, log, metrics, stopGraceMs = stopGraceMsDefault } = options
  const aborting = new AbortController()
  let isStopping = false
  const running = new Map<string, Promise<void>>()
  const throttle = createLogThrottle({ time })
  let state: HookCounts = { due: 0, failing: 0, disabled: [] }
  const context = createContext(options, { signal: aborting.signal, isStopping: () => isStopping })
  const fail = (error: unknown) => {
    const due = isStopping ? undefined : throttle()
    if (due) log.warn({ err: error, leftOut: due.leftOut }, 'webhook delivery cannot use the database; retrying')
  }
  const deliver = (hook: ClaimedHook) => {
    const work = deliverHook(context, hook)
      .catch(fail)
      .finally(() => running.delete(hook.id))
    running.set(hook.id, work)
  }
  let cleanedAtMs = Number.NEGATIVE_INFINITY
  const clean = async () => {
    if (time.monotonic() - cleanedAtMs < cleanMs) return
    cleanedAtMs = time.monotonic()
    await deleteOldAttempts(database, toSeconds(time.now()))
  }
  const look = runOneAtATime(async () => {
    if (isStopping) return
    await clean()
    const due = { nowSeconds: toSeconds(time.now()), except: [...running.keys()] }
    state = await countHooks(database, due)
    if (state.due === 0) return
    const leasedAtMs = time.monotonic()
    const claimed = await claimHooks(database, { lease: randomUUID(), leasedAtMs, ...due })
    for (const hook of claimed) deliver(hook)
  })
  const wake = () => void look().catch(fail)
  metrics.gauge('tallystick_hooks_disabled', () => [{ value: state.disabled.length }])
  metrics.gauge('tallystick_hooks_failing', () => [{ value: state.failing }])
  const stopListening = await database.listen(eventsChannel, wake)
  const tick = repeat(time, { name: 'webhooks', ms: tickMs }, wake)
  return {
    check: () => describeState(state),
    sender: options.sender,
    stop: async () => {
      isStopping = true
      tick.stop()
      await stopListening()
      // A search in progress may still claim hooks. The second one does nothing.
      await look().catch(() => undefined)
      await settleWithin(Promise.all(running.values()), stopGraceMs)
      aborting.abort()
      await Promise.all(running.values())
    },
  }
}

function createContext(
  { database, time, sender, log, metrics, random = Math.random }: DeliveryOptions,
  { signal, isStopping }: Pick<DeliveryContext, 'signal' | 'isStopping'>,
): DeliveryContext {
  const countOf = (outcome: string) => metrics.counter('tallystick_hook_attempts_total', { outcome })
  const counters = { delivered: countOf('delivered'), failed: countOf('failed'), skipped: countOf('skipped') }
  const onAttempt: DeliveryContext['onAttempt'] = (outcome) => counters[outcome].increment()
  return { database, time, sender, log, random, signal, isStopping, onAttempt }
}

/** Notes are served without webhooks. */
function describeState({ failing, disabled }: HookCounts): Finding {
  const subject = 'webhooks'
  if (disabled.length > 0) {
    const message = `switched off: ${disabled.join(', ')}. Repair the receiver, then run \`tallystick hooks enable <id>\``
    return { subject, severity: 'warn', message, remedy: 'Repair the receiver, then switch the webhook on again.' }
  }
  return { subject, severity: 'ok', message: failing > 0 ? `${failing} failing, retried automatically` : 'no failures' }
}
