import { type Abort, createAbort, type StopSignal } from '@tallystick/core/signal/create-abort'
import { type SubgraphAnswer, upstreamError } from './chain-subgraph.ts'
import { deadlineReached } from './deadline.ts'

export type Flights = {
  /**
   * Joins a pending query with the same key, or starts one with `ask`. The query is aborted at the timeout, or when its
   * last caller disconnects.
   */
  join(key: string, caller: Caller): Promise<SubgraphAnswer>
  /** Number of distinct pending queries. */
  readonly count: number
}

export type Caller = {
  readonly ask: (signal: StopSignal) => Promise<SubgraphAnswer>
  /** Aborted when the caller disconnects. */
  readonly gone: StopSignal
  readonly onCoalesced: () => void
}

type Flight = { readonly answer: Promise<SubgraphAnswer>; readonly abort: Abort['abort']; waiting: number }

/** Deduplicates pending queries: callers with the same key share one query. */
export function createFlights({
  timeoutMs,
  countMax,
}: {
  readonly timeoutMs: number
  readonly countMax: number
}): Flights {
  const flights = new Map<string, Flight>()

  const start = (key: string, ask: Caller['ask']): Flight => {
    const { signal, abort } = createAbort()
    const timer = setTimeout(() => abort(deadlineReached), timeoutMs)
    const answer = untilAborted(ask(signal), signal).finally(() => {
      clearTimeout(timer)
      if (flights.get(key) === flight) flights.delete(key)
    })
    const flight: Flight = { answer, abort, waiting: 0 }
    flights.set(key, flight)
    return flight
  }

  return {
    get count() {
      return flights.size
    },
    join: async (key, { ask, gone, onCoalesced }) => {
      gone.throwIfAborted()
      const known = flights.get(key)
      if (known) onCoalesced()
      else if (flights.size >= countMax) throw overloaded(flights.size)
      const flight = known ?? start(key, ask)
      flight.waiting += 1
      const leave = () => {
        flight.waiting -= 1
        if (flight.waiting > 0) return
        // A new caller must not join a query that is being aborted.
        if (flights.get(key) === flight) flights.delete(key)
        flight.abort(gone.reason)
      }
      gone.addEventListener('abort', leave, { once: true })
      try {
        return await flight.answer
      } finally {
        gone.removeEventListener('abort', leave)
      }
    },
  }
}

/** Settles when the work settles or the signal is aborted. The work may ignore its signal. */
async function untilAborted(work: Promise<SubgraphAnswer>, signal: StopSignal): Promise<SubgraphAnswer> {
  let stop: (() => void) | undefined
  const aborted = new Promise<never>((_, reject) => {
    stop = () => {
      // Lets the work reject first with a more specific error.
      setImmediate(() => reject(signal.reason === deadlineReached ? tooSlow() : signal.reason))
    }
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    if (stop) signal.removeEventListener('abort', stop)
  }
}

function tooSlow() {
  return upstreamError({
    failure: 'slow_query',
    message: 'The subgraph did not answer in time. Try again or select less.',
  })
}

function overloaded(waiting: number) {
  return upstreamError({
    failure: 'overloaded',
    message: `${waiting} queries are already waiting for this subgraph. Try again in 1 s.`,
    retryAfterSeconds: 1,
  })
}
