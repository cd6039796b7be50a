import { type Abort, createAbort, type StopSignal } from '@tallystick/core/signal/create-abort'
import { type SubgraphAnswer, upstreamError } from './chain-subgraph.ts'
import { deadlineReached } from './deadline.ts'

export type Flights = {
  /**
   * The answer to a question: of the one who asked the same and still waits, or of `ask`. It is broken off when the time
   * is over, or when the last of those who wait has left.
   */
  join(key: string, caller: Caller): Promise<SubgraphAnswer>
  /** How many different questions are under way. */
  readonly count: number
}

export type Caller = {
  readonly ask: (signal: StopSignal) => Promise<SubgraphAnswer>
  /** Aborted when the caller has left. */
  readonly gone: StopSignal
  readonly onCoalesced: () => void
}

type Flight = { readonly answer: Promise<SubgraphAnswer>; readonly abort: Abort['abort']; waiting: number }

/** Questions under way, each asked once however many want to know. */
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
        // Nobody may join what is about to end.
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

/** Settles with the work or with the abort, whichever is first: nothing below is trusted to keep the time. */
async function untilAborted(work: Promise<SubgraphAnswer>, signal: StopSignal): Promise<SubgraphAnswer> {
  let stop: (() => void) | undefined
  const aborted = new Promise<never>((_, reject) => {
    stop = () => {
      // What was asked gets the chance to say itself how far it came.
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
    message: 'The subgraph did not answer in time. Try again, or ask for less at once.',
  })
}

function overloaded(waiting: number) {
  return upstreamError({
    failure: 'overloaded',
    message: `${waiting} queries wait for this subgraph already. Try again in a moment.`,
    retryAfterSeconds: 1,
  })
}
