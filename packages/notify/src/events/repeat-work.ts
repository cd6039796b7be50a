import { createBackgroundWork, type Time, type Timer } from '@tallystick/base'
import type { Logger } from 'pino'

type RepeatWorkOptions = {
  readonly work: () => Promise<void>
  readonly time: Pick<Time, 'setTimer'>
  /** Name of the wait for the next run. */
  readonly name: string
  /** Returns the time to the next run. */
  readonly delayMs: () => number
  readonly log: Logger
  readonly failure: string
}

/** Runs work again and again until it is stopped. Logs the first of several failures in a row. */
export function repeatWork({ work, time, name, delayMs, log, failure }: RepeatWorkOptions): {
  readonly stop: () => Promise<void>
} {
  let timer: Timer | undefined
  let isStopped = false
  const background = createBackgroundWork(work, (error) => log.warn({ err: error }, failure))
  const run = async () => {
    await background.run()
    if (!isStopped) timer = time.setTimer({ name, ms: delayMs() }, () => void run())
  }
  void run()
  return {
    stop: () => {
      isStopped = true
      timer?.stop()
      return background.stop()
    },
  }
}
