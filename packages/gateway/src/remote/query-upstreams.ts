import type { StopSignal } from '@tallystick/base'
import type { TallystickError } from '@tallystick/core'
import { type Head, type SubgraphAnswer, upstreamError } from '../chain-subgraph.ts'
import { deadlineReached, superseded } from '../deadline.ts'
import type { Call, CallOutcome } from './begin-call.ts'
import type { StartTimer } from './start-timer.ts'
import { slowError } from './transport-error.ts'

/** An upstream, or a source of a chain that has two. */
export type Racer<Query> = {
  /** Whether callers' queries may be sent to it. */
  readonly isUsable: boolean
  readonly isBehind: boolean
  /** Sends a query. `attempt` counts the upstreams queried for it, from 1. */
  begin(query: Query, attempt: number): Call
  isTooOld(head: Head | undefined): boolean
}

export type QueryUpstreamsOptions<Query> = {
  readonly query: Query
  /** Aborted with `deadlineReached` at the deadline, or with another reason when the caller has gone. */
  readonly signal: StopSignal
  readonly timeoutMs: number
  /** Time without an answer after which the next upstream is queried in parallel. Null disables it. */
  readonly hedgeMs: number | null
  readonly monotonicNow: () => number
  readonly startTimer: StartTimer
}

type Event<Query> =
  | { readonly kind: 'outcome'; readonly call: Call; readonly upstream: Racer<Query>; readonly outcome: CallOutcome }
  | { readonly kind: 'timed_out' }
  | { readonly kind: 'aborted' }

type Race<Query> = {
  /** Upstreams not queried yet, in order of preference. */
  readonly waiting: Racer<Query>[]
  readonly running: Map<Call, Racer<Query>>
  attempts: number
  /** Freshest of the answers that lag too far behind. */
  held: SubgraphAnswer | undefined
  /** Instant until which a fresher answer is awaited. */
  heldUntilMs: number
  lastError: TallystickError | undefined
}

// Limits the wait for fresher data, so that the caller gets the older data before its timeout.
const fresherWaitMsMax = 2_000

/**
 * Queries upstreams for one answer, each at most once. The next one is queried when one fails, and in parallel to a slow
 * one. The first good answer wins and ends the other calls. A rejection of the query is final. If an answer lags too far
 * behind, the others get a short time to give a fresher one, and the freshest answer wins.
 */
export async function queryUpstreams<Query>(
  upstreams: readonly Racer<Query>[],
  options: QueryUpstreamsOptions<Query>,
): Promise<SubgraphAnswer> {
  const { signal, monotonicNow } = options
  const deadlineMs = monotonicNow() + options.timeoutMs
  const race: Race<Query> = {
    waiting: [...upstreams],
    running: new Map(),
    attempts: 0,
    held: undefined,
    heldUntilMs: Number.POSITIVE_INFINITY,
    lastError: undefined,
  }
  if (signal.aborted) return endAborted(race, signal)
  const abortion = listenTo<Query>(signal)
  let ending: 'superseded' | 'cancelled' = 'superseded'
  try {
    for (;;) {
      if (race.running.size === 0 && !beginNext(race, options.query)) return settle(race)
      const event = await nextEvent(race, {
        waitMs: waitMsOf(race, { ...options, deadlineMs }),
        aborted: abortion.promise,
        startTimer: options.startTimer,
      })
      if (event.kind === 'aborted') {
        if (signal.reason !== superseded) ending = 'cancelled'
        return endAborted(race, signal)
      }
      if (event.kind === 'timed_out') {
        if (race.held) return race.held
        onTimeout(race, options)
        continue
      }
      race.running.delete(event.call)
      const answer = applyOutcome(race, { ...event, heldUntilMs: monotonicNow() + fresherWaitMs(options.timeoutMs) })
      if (answer) return answer
      beginNext(race, options.query)
    }
  } finally {
    abortion.stop()
    for (const call of race.running.keys()) call.end(ending)
  }
}

/** Queries the next upstream. Returns false if none is left. */
function beginNext<Query>(race: Race<Query>, query: Query): boolean {
  // With an answer held, only an upstream that may have a fresher one is queried.
  const index = race.waiting.findIndex(({ isUsable, isBehind }) => isUsable && !(race.held && isBehind))
  const [upstream] = index < 0 ? [] : race.waiting.splice(index, 1)
  if (!upstream) return false
  race.attempts += 1
  race.running.set(upstream.begin(query, race.attempts), upstream)
  return true
}

function settle<Query>({ held, lastError }: Race<Query>): SubgraphAnswer {
  if (held) return held
  throw lastError
}

/** Returns how long to wait for the next event: an equal share of the time left, at most `hedgeMs`. */
function waitMsOf<Query>(
  race: Race<Query>,
  { hedgeMs, monotonicNow, deadlineMs }: QueryUpstreamsOptions<Query> & { readonly deadlineMs: number },
): number | undefined {
  if (race.held) return Math.max(0, race.heldUntilMs - monotonicNow())
  if (race.waiting.length === 0) return undefined
  const shareMs = Math.max(0, deadlineMs - monotonicNow()) / (race.waiting.length + 1)
  return hedgeMs === null ? shareMs : Math.min(hedgeMs, shareMs)
}

async function nextEvent<Query>(
  race: Race<Query>,
  {
    waitMs,
    aborted,
    startTimer,
  }: { readonly waitMs: number | undefined; readonly aborted: Promise<Event<Query>>; readonly startTimer: StartTimer },
): Promise<Event<Query>> {
  const outcomes = [...race.running].map(async ([call, upstream]): Promise<Event<Query>> => {
    return { kind: 'outcome', call, upstream, outcome: await call.outcome }
  })
  let cancelTimer: (() => void) | undefined
  const timedOut = new Promise<Event<Query>>((resolve) => {
    if (waitMs !== undefined) cancelTimer = startTimer(() => resolve({ kind: 'timed_out' }), waitMs)
  })
  try {
    return await Promise.race([...outcomes, timedOut, aborted])
  } finally {
    cancelTimer?.()
  }
}

/** Queries the next upstream in parallel, or ends the running calls if hedging is off. */
function onTimeout<Query>(race: Race<Query>, { query, hedgeMs }: QueryUpstreamsOptions<Query>): void {
  if (hedgeMs === null) for (const call of race.running.keys()) call.end('slow')
  else if (!beginNext(race, query)) race.waiting.length = 0
}

/** Records an outcome. Returns the answer if it is decided. */
function applyOutcome<Query>(
  race: Race<Query>,
  {
    upstream,
    outcome,
    heldUntilMs,
  }: { readonly upstream: Racer<Query>; readonly outcome: CallOutcome; readonly heldUntilMs: number },
): SubgraphAnswer | undefined {
  if (outcome.kind === 'failed') {
    race.lastError = outcome.error
    if (outcome.error.code === 'query_rejected' && !race.held) throw outcome.error
  }
  if (outcome.kind === 'ended') race.lastError ??= shuttingDown()
  if (outcome.kind !== 'answered') return undefined
  const { answer } = outcome
  if (!upstream.isTooOld(answer.head)) return answer
  if (!race.held) race.heldUntilMs = heldUntilMs
  race.held = fresher(race.held, answer)
  const mayBeFresher = [...race.running.values(), ...race.waiting].some(({ isBehind }) => !isBehind)
  return mayBeFresher ? undefined : race.held
}

function shuttingDown(): TallystickError {
  return upstreamError({ failure: 'reset', message: 'The service is shutting down. Try again.' })
}

function fresher(held: SubgraphAnswer | undefined, answer: SubgraphAnswer): SubgraphAnswer {
  return held && (held.head?.number ?? 0) >= (answer.head?.number ?? 0) ? held : answer
}

function fresherWaitMs(timeoutMs: number): number {
  return Math.min(fresherWaitMsMax, timeoutMs / 4)
}

function endAborted<Query>(race: Race<Query>, { reason }: StopSignal): SubgraphAnswer {
  if (reason !== deadlineReached) throw reason
  if (race.held) return race.held
  const latest = [...race.running.keys()].at(-1)
  const phase = latest?.phase ?? 'headers'
  for (const call of race.running.keys()) call.end('slow')
  throw slowError(phase)
}

/** Listens for the abort. Callers must stop listening, because a signal may outlive many queries. */
function listenTo<Query>(signal: StopSignal): { readonly promise: Promise<Event<Query>>; stop(): void } {
  let onAbort: () => void = () => undefined
  const promise = new Promise<Event<Query>>((resolve) => {
    onAbort = () => resolve({ kind: 'aborted' })
    signal.addEventListener('abort', onAbort, { once: true })
  })
  return { promise, stop: () => signal.removeEventListener('abort', onAbort) }
}
