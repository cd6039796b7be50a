import type { StopSignal } from '@tallystick/base'

/** Settles when the work settles, or rejects with the signal's reason when it is aborted. The work may ignore the signal. */
export async function untilAborted<Result>(work: Promise<Result>, signal: StopSignal): Promise<Result> {
  let stop: (() => void) | undefined
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    if (stop) signal.removeEventListener('abort', stop)
  }
}
