import { TallystickError } from '@tallystick/core'
import type { StopSignal } from '@tallystick/core/signal/create-abort'

export type QueryGate = {
  /** Runs the work when it is its turn. Throws `not_ready` if too many wait, and the signal's reason once it is aborted. */
  pass<Result>(work: () => Promise<Result>, signal: StopSignal): Promise<Result>
  readonly running: number
  readonly waiting: number
}

/** Lets so many run at once; the others wait in the order they came, and not more than so many. */
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
    message: `${waiting} queries wait for this subgraph already. Try again in a moment.`,
    retryable: true,
    retryAfterSeconds: 1,
  })
}
