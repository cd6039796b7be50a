import { type Abort, createAbort, type StopSignal } from '@tallystick/base'
import { deadlineReached, type SubgraphAnswer, upstreamError } from './chain-subgraph.ts'

export type Flights = {
  /**
   * Joins a pending query with the same key, or starts one with `ask`. Each caller waits for at most the timeout, or until it
   * disconnects. The query is aborted when its last caller has gone.
   */
  join(key: string, caller: Caller): Promise<SubgraphAnswer>
  /** Number of distinct pending queries. */
  readonly count: number
}

type Caller = {
  readonly ask: (signal: StopSignal) => Promise<SubgraphAnswer>
  /** Aborted when the caller disconnects. */
  readonly gone: StopSignal
  readonly onCoalesced: () => void
}

type Flight = {
  readonly answer: Promise<SubgraphAnswer>
  readonly abort: Abort['abort']
  waiting: number
  /** Whether it has taken the whole timeout. Nobody joins it then, so that a query that hangs ends. */
  isLate: boolean
}

type FlightsOptions = {
  readonly timeoutMs: number
  readonly countMax: number
}

/** Deduplicates pending queries: callers with the same key share one query. */
export function createFlights({ timeoutMs, countMax }: FlightsOptions): Flights {
  const flights = new Map<string, Flight>()
  const close = (key: string, flight: Flight) => {
    if (flights.get(key) === flight) flights.delete(key)
  }

  const start = (key: string, ask: Caller['ask']): Flight => {
    const { signal, abort } = createAbort()
    const timer = setTimeout(() => {
      flight.isLate = true
      close(key, flight)
    }, timeoutMs)
    const answer = ask(signal).finally(() => {
      clearTimeout(timer)
      close(key, flight)
    })
    const flight: Flight = { answer, abort, waiting: 0, isLate: false }
    flights.set(key, flight)
    return flight
  }

  const leave = (key: string, flight: Flight, reason: unknown) => {
    flight.waiting -= 1
    if (flight.waiting > 0) return
    // A new caller must not join a query that is being aborted.
    close(key, flight)
    flight.abort(flight.isLate ? deadlineReached : reason)
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
      return new Promise((resolve, reject) => {
        const stop = () => {
          clearTimeout(timer)
          gone.removeEventListener('abort', onGone)
        }
        const end = (reason: unknown, error = reason) => {
          stop()
          leave(key, flight, reason)
          // Lets the query reject first with a more specific error.
          setImmediate(reject, error)
        }
        const onGone = () => end(gone.reason)
        const timer = setTimeout(() => end(deadlineReached, tooSlow()), timeoutMs)
        gone.addEventListener('abort', onGone, { once: true })
        flight.answer.finally(stop).then(resolve, reject)
      })
    },
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
