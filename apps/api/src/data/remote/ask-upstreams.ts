import type { TallystickError } from '@tallystick/core'
import type { StopSignal } from '@tallystick/core/signal/create-abort'
import { type SubgraphAnswer, upstreamError } from '../chain-subgraph.ts'
import { deadlineReached } from '../deadline.ts'
import type { Call, CallOutcome } from './begin-call.ts'
import type { WireQuery } from './create-sender.ts'
import { slowError } from './transport-error.ts'
import type { Upstream } from './upstream.ts'

export type AskOptions = {
  readonly query: WireQuery
  /** Aborted with `deadlineReached` when the time is over, with anything else when nobody waits any more. */
  readonly signal: StopSignal
  readonly timeoutMs: number
  /** After how long without an answer the next upstream is asked as well; null is never. */
  readonly hedgeMs: number | null
  readonly monotonicNow: () => number
}

type Event =
  | { readonly kind: 'outcome'; readonly call: Call; readonly upstream: Upstream; readonly outcome: CallOutcome }
  | { readonly kind: 'waited' }
  | { readonly kind: 'aborted' }

type Race = {
  /** Not asked yet, in the order they should be. */
  readonly waiting: Upstream[]
  readonly running: Map<Call, Upstream>
  attempts: number
  /** The freshest of the answers that are older than they should be. */
  held: SubgraphAnswer | undefined
  /** Until when a fresher answer than that is waited for. */
  heldUntilMs: number
  lastError: TallystickError | undefined
}

// Old data now is worth more than fresh data when the caller has gone.
const fresherWaitMsMax = 2_000

/**
 * Asks upstreams for one answer, each at most once: the next when one fails, and beside one that takes long. The first
 * good answer wins and ends the others. A query that is rejected is rejected everywhere. Where an answer is too old, a
 * fresher one is sought for a while, and the freshest there is wins.
 */
export async function askUpstreams(upstreams: readonly Upstream[], options: AskOptions): Promise<SubgraphAnswer> {
  const { signal, monotonicNow } = options
  const deadlineMs = monotonicNow() + options.timeoutMs
  const race: Race = {
    waiting: [...upstreams],
    running: new Map(),
    attempts: 0,
    held: undefined,
    heldUntilMs: Number.POSITIVE_INFINITY,
    lastError: undefined,
  }
  if (signal.aborted) return endAborted(race, signal)
  const abortion = listenTo(signal)
  let ending: 'outrun' | 'cancelled' = 'outrun'
  try {
    for (;;) {
      if (race.running.size === 0 && !beginNext(race, options.query)) return settle(race)
      const event = await nextEvent(race, {
        waitMs: patienceMs(race, { ...options, deadlineMs }),
        aborted: abortion.promise,
      })
      if (event.kind === 'aborted') {
        ending = 'cancelled'
        return endAborted(race, signal)
      }
      if (event.kind === 'waited') {
        if (race.held) return race.held
        loseWait(race, options)
        continue
      }
      race.running.delete(event.call)
      const answer = takeOutcome(race, { ...event, heldUntilMs: monotonicNow() + fresherWaitMs(options.timeoutMs) })
      if (answer) return answer
      beginNext(race, options.query)
    }
  } finally {
    abortion.stop()
    for (const call of race.running.keys()) call.end(ending)
  }
}

/** Whether there was one to begin. */
function beginNext(race: Race, query: WireQuery): boolean {
  // With an old answer in hand only one that may have a fresher one is worth asking.
  const index = race.waiting.findIndex(({ isUsable, isBehind }) => isUsable && !(race.held && isBehind))
  const [upstream] = index < 0 ? [] : race.waiting.splice(index, 1)
  if (!upstream) return false
  race.attempts += 1
  race.running.set(upstream.begin(query, race.attempts), upstream)
  return true
}

function settle({ held, lastError }: Race): SubgraphAnswer {
  if (held) return held
  throw lastError
}

/** How long nothing may happen: each that is left gets its share of the time, and none more than the hedge allows. */
function patienceMs(
  race: Race,
  { hedgeMs, monotonicNow, deadlineMs }: AskOptions & { readonly deadlineMs: number },
): number | undefined {
  if (race.held) return Math.max(0, race.heldUntilMs - monotonicNow())
  if (race.waiting.length === 0) return undefined
  const shareMs = Math.max(0, deadlineMs - monotonicNow()) / (race.waiting.length + 1)
  return hedgeMs === null ? shareMs : Math.min(hedgeMs, shareMs)
}

async function nextEvent(
  race: Race,
  { waitMs, aborted }: { readonly waitMs: number | undefined; readonly aborted: Promise<Event> },
): Promise<Event> {
  const outcomes = [...race.running].map(async ([call, upstream]): Promise<Event> => {
    return { kind: 'outcome', call, upstream, outcome: await call.outcome }
  })
  let timer: NodeJS.Timeout | undefined
  const waited = new Promise<Event>((resolve) => {
    if (waitMs !== undefined) timer = setTimeout(() => resolve({ kind: 'waited' }), waitMs)
  })
  try {
    return await Promise.race([...outcomes, waited, aborted])
  } finally {
    clearTimeout(timer)
  }
}

/** Nobody answered in time: the next one is asked beside them, or in their place where hedging is off. */
function loseWait(race: Race, { query, hedgeMs }: AskOptions): void {
  if (hedgeMs === null) for (const call of race.running.keys()) call.end('slow')
  else if (!beginNext(race, query)) race.waiting.length = 0
}

/** The answer, if this decides it. */
function takeOutcome(
  race: Race,
  {
    upstream,
    outcome,
    heldUntilMs,
  }: { readonly upstream: Upstream; readonly outcome: CallOutcome; readonly heldUntilMs: number },
): SubgraphAnswer | undefined {
  if (outcome.kind === 'failed') {
    race.lastError = outcome.error
    if (outcome.error.code === 'query_rejected' && !race.held) throw outcome.error
  }
  if (outcome.kind === 'ended') race.lastError ??= stopping()
  if (outcome.kind !== 'answered') return undefined
  const { answer } = outcome
  if (!upstream.isTooOld(answer.head)) return answer
  if (!race.held) race.heldUntilMs = heldUntilMs
  race.held = fresher(race.held, answer)
  const mayBeFresher = [...race.running.values(), ...race.waiting].some(({ isBehind }) => !isBehind)
  return mayBeFresher ? undefined : race.held
}

function stopping(): TallystickError {
  return upstreamError({ failure: 'reset', message: 'The service is stopping. Try again.' })
}

function fresher(held: SubgraphAnswer | undefined, answer: SubgraphAnswer): SubgraphAnswer {
  return held && (held.head?.number ?? 0) >= (answer.head?.number ?? 0) ? held : answer
}

function fresherWaitMs(timeoutMs: number): number {
  return Math.min(fresherWaitMsMax, timeoutMs / 4)
}

function endAborted(race: Race, { reason }: StopSignal): SubgraphAnswer {
  if (reason !== deadlineReached) throw reason
  if (race.held) return race.held
  const latest = [...race.running.keys()].at(-1)
  const phase = latest?.phase ?? 'headers'
  for (const call of race.running.keys()) call.end('slow')
  throw slowError(phase)
}

/** By hand: a signal may outlive many queries, and must not gather what they leave behind. */
function listenTo(signal: StopSignal): { readonly promise: Promise<Event>; stop(): void } {
  let onAbort: () => void = () => undefined
  const promise = new Promise<Event>((resolve) => {
    onAbort = () => resolve({ kind: 'aborted' })
    signal.addEventListener('abort', onAbort, { once: true })
  })
  return { promise, stop: () => signal.removeEventListener('abort', onAbort) }
}
