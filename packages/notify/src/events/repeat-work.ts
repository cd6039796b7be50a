import { createBackgroundWork } from '@tallystick/base'
import type { Logger } from 'pino'

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
  const background = createBackgroundWork(work, (error) => log.warn({ err: error }, failure))
  const run = async () => {
    await background.run()
    if (!isStopped) timer = setTimeout(run, delayMs(background.isFailing)).unref()
  }
  void run()
  return {
    stop: () => {
      isStopped = true
      clearTimeout(timer)
      return background.stop()
    },
  }
}
