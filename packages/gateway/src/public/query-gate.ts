import type { StopSignal } from '@tallystick/base'
import { TallystickError } from '@tallystick/core'

export type QueryGate = {
  /** Runs `work` when a slot is free. Throws `not_ready` if the queue is full, and the signal's reason when it is aborted. */
  pass<Result>(work: () => Promise<Result>, signal: StopSignal): Promise<Result>
  readonly running: number
  readonly waiting: number
}

/** Creates a gate that runs up to `runningMax` queries and queues up to `waitingMax` more, first in, first out. */
export function createQueryGate({
  runningMax,
  waitingMax,
}: {
  readonly runningMax: number
  readonly waitingMax: number
}): QueryGate {
  const queue = new Set<() => void>()
  let running = 0
  const turn = (signal: StopSignal) =>
    new Promise<void>((resolve, reject) => {
      const leave = () => {
        queue.delete(enter)
        reject(signal.reason)
      }
      const enter = () => {
        queue.delete(enter)
        signal.removeEventListener('abort', leave)
        resolve()
      }
      queue.add(enter)
      signal.addEventListener('abort', leave, { once: true })
    })
  return {
    get running() {
      return running
    },
    get waiting() {
      return queue.size
    },
    pass: async (work, signal) => {
      signal.throwIfAborted()
      if (running < runningMax) running += 1
      else if (queue.size >= waitingMax) throw tooManyWait(queue.size)
      // A query that ends passes its place to the next one, so that a new query cannot take it.
      else await turn(signal)
      try {
        return await work()
      } finally {
        const [next] = queue
        if (next) next()
        else running -= 1
      }
    },
  }
}

function tooManyWait(waiting: number): TallystickError {
  return new TallystickError({
    code: 'not_ready',
    message: `${waiting} queries are already waiting for this subgraph. Try again in 1 s.`,
    retryable: true,
    retryAfterSeconds: 1,
  })
}
