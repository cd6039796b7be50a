import type { Clock } from '../environment.ts'
import { TimeoutError } from '../errors.ts'

export type DeadlineOptions = {
  readonly timeoutMs: number
  readonly signals: readonly AbortSignal[]
}

/**
 * Runs work with a timeout and abort signals, even if the work ignores its own signal. An abort throws the signal's reason,
 * like `fetch` does.
 */
export async function withDeadline<T>(
  clock: Clock,
  { timeoutMs, signals, run }: DeadlineOptions & { readonly run: (signal: AbortSignal) => Promise<T> },
): Promise<T> {
  for (const signal of signals) signal.throwIfAborted()
  const controller = new AbortController()
  const timeout = pause(clock, { delayMs: timeoutMs, signals: [...signals, controller.signal] }).then(() => {
    throw timeoutError(timeoutMs)
  })
  try {
    return await Promise.race([run(controller.signal), timeout])
  } finally {
    controller.abort()
  }
}

/** Waits. Throws the reason of a signal that is aborted. */
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

/** Waits for work that several callers share. An abort ends the wait, not the work, and throws the signal's reason. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort)
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

function timeoutError(timeoutMs: number): TimeoutError {
  return new TimeoutError({
    code: 'timeout',
    message: `No complete response within ${timeoutMs / 1000} seconds. Try again or raise timeoutSeconds.`,
  })
}
