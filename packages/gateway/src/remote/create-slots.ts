import type { StopSignal } from '@tallystick/base'
import { upstreamError } from '../chain-subgraph.ts'

export type Slots = {
  /** Waits for a slot and returns the function that releases it. Throws the signal's reason if it is aborted first. */
  take(signal: StopSignal): Promise<() => void>
}

/** Limits how many callers work and wait at the same time. Serves them in order. */
export function createSlots({
  slotsMax,
  waitingMax,
}: {
  readonly slotsMax: number
  readonly waitingMax: number
}): Slots {
  const waiting = new Set<() => void>()
  let free = slotsMax
  const handOver = () => {
    const [next] = waiting
    if (!next) {
      free += 1
      return
    }
    waiting.delete(next)
    next()
  }
  // Deferred, because callers that are aborted together would otherwise pass the slot to each other.
  const release = () => {
    if (waiting.size === 0) free += 1
    else setImmediate(handOver)
  }
  return {
    take: async (signal) => {
      signal.throwIfAborted()
      if (free > 0) free -= 1
      else if (waiting.size >= waitingMax) throw overloaded()
      else await wait(waiting, signal)
      return release
    },
  }
}

function wait(waiting: Set<() => void>, signal: StopSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      waiting.delete(onTurn)
      reject(signal.reason)
    }
    const onTurn = () => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    }
    signal.addEventListener('abort', onAbort, { once: true })
    waiting.add(onTurn)
  })
}

function overloaded() {
  return upstreamError({
    failure: 'overloaded',
    message: 'Too many queries are waiting for the chain’s subgraph. Try again in a few seconds.',
    retryAfterSeconds: 1,
  })
}
