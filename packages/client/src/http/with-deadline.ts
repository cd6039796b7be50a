import type { Clock } from '../environment.ts'
import { TimeoutError } from '../errors.ts'

export type DeadlineOptions = {
  readonly timeoutMs: number
  readonly signals: readonly AbortSignal[]
}

/**
 * Runs work that is given up when it takes too long or a signal is aborted, whether the work heeds its own signal or not.
 * An abort throws the signal's reason, as `fetch` does.
 */
export function withDeadline<T>(
  clock: Clock,
  { timeoutMs, signals, run }: DeadlineOptions & { readonly run: (signal: AbortSignal) => Promise<T> },
): Promise<T> {
  const aborted = signals.find((signal) => signal.aborted)
  if (aborted) return Promise.reject(aborted.reason)
  return new Promise((resolve, reject) => {
    const controller = new AbortController()
    const onAbort = () => end(() => reject(signals.find((signal) => signal.aborted)?.reason))
    const timer = clock.setTimeout(() => end(() => reject(timeoutError(timeoutMs))), timeoutMs)
    const end = (settle: () => void) => {
      clock.clearTimeout(timer)
      for (const signal of signals) signal.removeEventListener('abort', onAbort)
      settle()
      controller.abort()
    }
    for (const signal of signals) signal.addEventListener('abort', onAbort)
    run(controller.signal).then(
      (value) => end(() => resolve(value)),
      (error) => end(() => reject(error)),
    )
  })
}

/** Waits, unless a signal is aborted: that throws its reason. */
export function pause(
  clock: Clock,
  { delayMs, signals }: { readonly delayMs: number; readonly signals: readonly AbortSignal[] },
): Promise<void> {
  const aborted = signals.find((signal) => signal.aborted)
  if (aborted) return Promise.reject(aborted.reason)
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clock.clearTimeout(timer)
      for (const signal of signals) signal.removeEventListener('abort', onAbort)
      settle()
    }
    const onAbort = () => end(() => reject(signals.find((signal) => signal.aborted)?.reason))
    const timer = clock.setTimeout(() => end(resolve), delayMs)
    for (const signal of signals) signal.addEventListener('abort', onAbort)
  })
}

function timeoutError(timeoutMs: number): TimeoutError {
  return new TimeoutError({
    code: 'timeout',
    message: `No whole answer came within ${timeoutMs / 1000} seconds. Try again, or raise timeoutSeconds.`,
  })
}
