import { createAbort, type StopSignal } from '@tallystick/core/signal/create-abort'

export type Deadline = {
  /** By `performance.now()`. */
  readonly deadlineMs: number
  /** Aborted when it is reached, or when the caller's own signal is. */
  readonly signal: StopSignal
  stop(): void
}

/** The time a query may take. By hand: `AbortSignal.any` keeps the memory of every query in Node 20. */
export function startDeadline(timeoutMs: number, outer: StopSignal | undefined): Deadline {
  const { signal, abort: abortWith } = createAbort()
  const abort = () => abortWith()
  const timer = setTimeout(abort, timeoutMs)
  outer?.addEventListener('abort', abort, { once: true })
  if (outer?.aborted) abort()
  return {
    deadlineMs: performance.now() + timeoutMs,
    signal,
    stop: () => {
      clearTimeout(timer)
      outer?.removeEventListener('abort', abort)
    },
  }
}
