import { settleWithin } from './settle-within.ts'

// A database that does not respond must not delay a stop.
const stopMs = 2_000

/**
 * Creates work that runs again and again without anybody waiting for it. `onFailure` receives the first of several failures
 * in a row.
 */
export function createBackgroundWork(work: () => Promise<unknown>, onFailure: (error: unknown) => void) {
  let isFailing = false
  let isStopped = false
  let last = Promise.resolve()
  return {
    /** Runs the work once. Never rejects. Does nothing after `stop`. */
    run: (): Promise<void> => {
      if (isStopped) return last
      last = work().then(
        () => {
          isFailing = false
        },
        (error) => {
          // After a stop, the database may be closed.
          if (!isFailing && !isStopped) onFailure(error)
          isFailing = true
        },
      )
      return last
    },
    /** Whether the last run failed. */
    get isFailing() {
      return isFailing
    },
    /** Waits for the last run, at most 2 s. From the call on, no failure is reported. */
    stop: (): Promise<void> => {
      isStopped = true
      return settleWithin(last, stopMs)
    },
  }
}

/**
 * Returns a function that runs `work` one at a time. A call during a run starts one more run after it. All calls before that
 * run begins share it.
 */
export function runOneAtATime(work: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> = Promise.resolve()
  /** Run that has not begun. */
  let next: Promise<void> | undefined
  return () => {
    next ??= last
      .catch(() => undefined)
      .then(() => {
        next = undefined
        return work()
      })
    last = next
    return next
  }
}

/** Returns a function that runs `work`, where a call during a run joins it, and one that waits for the run in progress. */
export function joinRuns(work: () => Promise<void>) {
  let running: Promise<void> | undefined
  return {
    run: (): Promise<void> => {
      running ??= work().finally(() => {
        running = undefined
      })
      return running
    },
    settle: async (): Promise<void> => running,
  }
}
