import type { StopSignal } from '@tallystick/base'

export type Gate = {
  /** Runs `work` when there is room. Throws what `refuse` returns if the queue is full, or the signal's reason if it is aborted. */
  pass<Result>(work: () => Promise<Result>, signal: StopSignal): Promise<Result>
  readonly running: number
  readonly waiting: number
}

type GateOptions = {
  readonly runningMax: number
  readonly waitingMax: number
  /** Returns the error for a caller who finds the queue full. */
  readonly refuse: (waiting: number) => Error
}

/** Creates a gate that runs up to `runningMax` callers and queues up to `waitingMax` more, first in, first out. */
export function createGate({ runningMax, waitingMax, refuse }: GateOptions): Gate {
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
  // A caller who ends passes the place to the next one, so that a new caller cannot take it.
  const handOver = () => {
    const [next] = queue
    if (next) next()
    else running -= 1
  }
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
      else if (queue.size >= waitingMax) throw refuse(queue.size)
      else await turn(signal)
      try {
        return await work()
      } finally {
        // Deferred, because callers who are aborted together would otherwise pass the place to each other.
        if (queue.size === 0) running -= 1
        else setImmediate(handOver)
      }
    },
  }
}
