import { backoffMs } from '@tallystick/core/retry/backoff-ms'

export type RetryGate = {
  /**
   * Runs work under a key unless it runs already (then that run is awaited) or failed a moment ago (then nothing
   * happens). `work` resolves to whether it succeeded and does not throw.
   */
  run(key: string, work: () => Promise<boolean>): Promise<void>
  /** Forgets how long to wait: something changed that may make the next try succeed. */
  reset(): void
  /** Resolves when nothing runs any more. */
  settle(): Promise<void>
}

const backoff = { minMs: 1_000, maxMs: 15_000 }

/** Lets one try at a time through for each key, and after failures fewer and fewer. */
export function createRetryGate(monotonicNow: () => number): RetryGate {
  const running = new Map<string, Promise<void>>()
  const failures = new Map<string, { count: number; notBeforeMs: number }>()

  const attempt = async (key: string, work: () => Promise<boolean>) => {
    if (await work()) {
      failures.delete(key)
      return
    }
    const count = failures.get(key)?.count ?? 0
    failures.set(key, { count: count + 1, notBeforeMs: monotonicNow() + backoffMs(count, backoff) })
  }
  return {
    run: (key, work) => {
      const known = running.get(key)
      if (known) return known
      if (monotonicNow() < (failures.get(key)?.notBeforeMs ?? 0)) return Promise.resolve()
      const started = attempt(key, work).finally(() => running.delete(key))
      running.set(key, started)
      return started
    },
    reset: () => failures.clear(),
    settle: async () => {
      while (running.size > 0) await Promise.all(running.values())
    },
  }
}
