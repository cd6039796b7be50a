export type Deadline = {
  /** By `performance.now()`. */
  readonly deadlineMs: number
  /** Aborted when it is reached, or when the caller's own signal is. */
  readonly signal: AbortSignal
  stop(): void
}

/** The time a query may take. By hand: `AbortSignal.any` keeps the memory of every query in Node 20. */
export function startDeadline(timeoutMs: number, outer: AbortSignal | undefined): Deadline {
  const controller = new AbortController()
  const abort = () => controller.abort()
  const timer = setTimeout(abort, timeoutMs)
  outer?.addEventListener('abort', abort, { once: true })
  if (outer?.aborted) abort()
  return {
    deadlineMs: performance.now() + timeoutMs,
    signal: controller.signal,
    stop: () => {
      clearTimeout(timer)
      outer?.removeEventListener('abort', abort)
    },
  }
}
