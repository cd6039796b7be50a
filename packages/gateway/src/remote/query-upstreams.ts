import type { StopSignal, Time, Timer } from '@tallystick/base'
import type { TallystickError } from '@tallystick/core'
import { deadlineReached, type Head, type SubgraphAnswer, superseded, upstreamError } from '../chain-subgraph.ts'
import type { Call, CallOutcome } from './begin-call.ts'
import { slowError } from './transport-error.ts'

/** One of those that can answer a query: a URL of a remote subgraph, or a source of a chain that has two. */
export type Upstream<Query> = {
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
  readonly time: Pick<Time, 'monotonic' | 'setTimer'>
}

type Event<Query> =
  | { readonly kind: 'outcome'; readonly call: Call; readonly upstream: Upstream<Query>; readonly outcome: CallOutcome }
  | { readonly kind: 'timed_out' }
  | { readonly kind: 'aborted' }

/** State of one query. */
type Progress<Query> = {
  /** Upstreams not queried yet, in order of preference. */
  readonly waiting: Upstream<Query>[]
  readonly running: Map<Call, Upstream<Query>>
  readonly deadlineMs: number
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
  upstreams: readonly Upstream<Query>[],
  options: QueryUpstreamsOptions<Query>,
): Promise<SubgraphAnswer> {
  const { query, signal, timeoutMs, hedgeMs, time } = options
  const progress: Progress<Query> = {
    waiting: [...upstreams],
    running: new Map(),
    deadlineMs: time.monotonic() + timeoutMs,
    attempts: 0,
    held: undefined,
    heldUntilMs: Number.POSITIVE_INFINITY,
    lastError: undefined,
  }
  if (signal.aborted) return endAborted(progress, signal)
  const abortion = listenTo<Query>(signal)
  let ending: 'superseded' | 'cancelled' = 'superseded'
  try {
    for (;;) {
      if (progress.running.size === 0 && !beginNext(progress, query)) return settle(progress)
      const waitMs = waitMsOf(progress, { hedgeMs, nowMs: time.monotonic() })
      const event = await nextEvent(progress, { waitMs, aborted: abortion.promise, time })
      if (event.kind === 'aborted') {
        if (signal.reason !== superseded) ending = 'cancelled'
        return endAborted(progress, signal)
      }
      if (event.kind === 'timed_out') {
        if (progress.held) return progress.held
        onTimeout(progress, { query, hedgeMs })
        continue
      }
      progress.running.delete(event.call)
      const heldUntilMs = time.monotonic() + Math.min(fresherWaitMsMax, timeoutMs / 4)
      const answer = applyOutcome(progress, { upstream: event.upstream, outcome: event.outcome, heldUntilMs })
      if (answer) return answer
      beginNext(progress, query)
    }
  } finally {
    abortion.stop()
    for (const call of progress.running.keys()) call.end(ending)
  }
}

/** Queries the next upstream. Returns false if none is left. */
function beginNext<Query>(progress: Progress<Query>, query: Query): boolean {
  // With an answer held, only an upstream that may have a fresher one is queried.
  const index = progress.waiting.findIndex(({ isUsable, isBehind }) => isUsable && !(progress.held && isBehind))
  const [upstream] = index < 0 ? [] : progress.waiting.splice(index, 1)
  if (!upstream) return false
  progress.attempts += 1
  progress.running.set(upstream.begin(query, progress.attempts), upstream)
  return true
}

function settle<Query>({ held, lastError }: Progress<Query>): SubgraphAnswer {
  if (held) return held
  throw lastError
}

/** Returns how long to wait for the next event: an equal share of the time left, at most `hedgeMs`. */
function waitMsOf<Query>(
  { held, heldUntilMs, waiting, deadlineMs }: Progress<Query>,
  { hedgeMs, nowMs }: { readonly hedgeMs: number | null; readonly nowMs: number },
): number | undefined {
  if (held) return Math.max(0, heldUntilMs - nowMs)
  if (waiting.length === 0) return undefined
  const shareMs = Math.max(0, deadlineMs - nowMs) / (waiting.length + 1)
  return hedgeMs === null ? shareMs : Math.min(hedgeMs, shareMs)
}

type Wait<Query> = {
  readonly waitMs: number | undefined
  readonly aborted: Promise<Event<Query>>
  readonly time: Pick<Time, 'setTimer'>
}

async function nextEvent<Query>(
  progress: Progress<Query>,
  { waitMs, aborted, time }: Wait<Query>,
): Promise<Event<Query>> {
  const outcomes = [...progress.running].map(async ([call, upstream]): Promise<Event<Query>> => {
    return { kind: 'outcome', call, upstream, outcome: await call.outcome }
  })
  let timer: Timer | undefined
  const timedOut = new Promise<Event<Query>>((resolve) => {
    if (waitMs === undefined) return
    timer = time.setTimer({ name: 'subgraph hedge', ms: waitMs }, () => resolve({ kind: 'timed_out' }))
  })
  try {
    return await Promise.race([...outcomes, timedOut, aborted])
  } finally {
    timer?.stop()
  }
}

/** Queries the next upstream in parallel, or ends the running calls if hedging is off. */
function onTimeout<Query>(
  progress: Progress<Query>,
  { query, hedgeMs }: Pick<QueryUpstreamsOptions<Query>, 'query' | 'hedgeMs'>,
): void {
  if (hedgeMs === null) for (const call of progress.running.keys()) call.end('slow')
  else if (!beginNext(progress, query)) progress.waiting.length = 0
}

/** Records an outcome. Returns the answer if it is decided. */
function applyOutcome<Query>(
  progress: Progress<Query>,
  {
    upstream,
    outcome,
    heldUntilMs,
  }: { readonly upstream: Upstream<Query>; readonly outcome: CallOutcome; readonly heldUntilMs: number },
): SubgraphAnswer | undefined {
  if (outcome.kind === 'failed') {
    progress.lastError = outcome.error
    if (outcome.error.code === 'query_rejected' && !progress.held) throw outcome.error
  }
  if (outcome.kind === 'ended') {
    const message = 'The service is shutting down. Try again.'
    progress.lastError ??= upstreamError({ failure: 'reset', message })
  }
  if (outcome.kind !== 'answered') return undefined
  const { answer } = outcome
  if (!upstream.isTooOld(answer.head)) return answer
  if (!progress.held) progress.heldUntilMs = heldUntilMs
  progress.held = fresher(progress.held, answer)
  const mayBeFresher = [...progress.running.values(), ...progress.waiting].some(({ isBehind }) => !isBehind)
  return mayBeFresher ? undefined : progress.held
}

function fresher(held: SubgraphAnswer | undefined, answer: SubgraphAnswer): SubgraphAnswer {
  return held && (held.head?.number ?? 0) >= (answer.head?.number ?? 0) ? held : answer
}

function endAborted<Query>(progress: Progress<Query>, { reason }: StopSignal): SubgraphAnswer {
  if (reason !== deadlineReached) throw reason
  if (progress.held) return progress.held
  const latest = [...progress.running.keys()].at(-1)
  const phase = latest?.phase ?? 'headers'
  for (const call of progress.running.keys()) call.end('slow')
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
