import { createAbort, type StopSignal } from '@tallystick/base'

export type Deadline = {
  /** By `performance.now()`. */
  readonly deadlineMs: number
  /** Aborted at the deadline, or together with the caller's signal. */
  readonly signal: StopSignal
  stop(): void
}

/** Starts the time limit of a query. It does not use `AbortSignal.any`, which leaks memory in Node 20. */
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
