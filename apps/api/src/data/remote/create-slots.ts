import type { StopSignal } from '@tallystick/core/signal/create-abort'
import { upstreamError } from '../chain-subgraph.ts'

export type Slots = {
  /** Waits for a free slot and takes it; what it returns gives it back. Throws the signal's reason if that comes first. */
  take(signal: StopSignal): Promise<() => void>
}

/** A limit to how many do something at once, and to how many wait for it. First come, first served. */
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
  // Not at once: where many are broken off together, the next in line is mostly one of them.
  const giveBack = () => {
    if (waiting.size === 0) free += 1
    else setImmediate(handOver)
  }
  return {
    take: async (signal) => {
      signal.throwIfAborted()
      if (free > 0) free -= 1
      else if (waiting.size >= waitingMax) throw overloaded()
      else await wait(waiting, signal)
      return giveBack
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
    message: 'Too many queries wait for the chain’s subgraph already. Try again in a few seconds.',
    retryAfterSeconds: 1,
  })
}
