import { settleWithin } from '@tallystick/base'
import type { Logger } from 'pino'

// A database that does not respond must not delay a stop.
const stopMs = 2_000

/** Runs work again and again until it is stopped. Logs the first of several failures in a row. */
export function repeatWork({
  work,
  delayMs,
  log,
  failure,
}: {
  readonly work: () => Promise<void>
  /** Returns the time to the next run. */
  readonly delayMs: (hasFailed: boolean) => number
  readonly log: Logger
  readonly failure: string
}): { readonly stop: () => Promise<void> } {
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let hasFailed = false
  const tick = async () => {
    try {
      await work()
      hasFailed = false
    } catch (error) {
      // After a stop, the database may be closed.
      if (!hasFailed && !isStopped) log.warn({ err: error }, failure)
      hasFailed = true
    }
    if (!isStopped) timer = setTimeout(run, delayMs(hasFailed)).unref()
  }
  let running = Promise.resolve()
  const run = () => {
    running = tick()
  }
  run()
  return {
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      await settleWithin(running, stopMs)
    },
  }
}
