import { settleWithin } from './settle-within.ts'

/** Work that runs again and again without anybody waiting for it. */
export type BackgroundWork = {
  /** Runs the work once. Never rejects. Does nothing after `stop`. */
  run(): Promise<void>
  /** Whether the last run failed. */
  readonly isFailing: boolean
  /** Waits for the last run, at most 2 s. From the call on, no failure is reported. */
  stop(): Promise<void>
}

// A database that does not respond must not delay a stop.
const stopMs = 2_000

/** Creates background work. `onFailure` receives the first of several failures in a row. */
export function createBackgroundWork(
  work: () => Promise<unknown>,
  onFailure: (error: unknown) => void,
): BackgroundWork {
  let isFailing = false
  let isStopped = false
  let last = Promise.resolve()
  return {
    run: () => {
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
    get isFailing() {
      return isFailing
    },
    stop: () => {
      isStopped = true
      return settleWithin(last, stopMs)
    },
  }
}
