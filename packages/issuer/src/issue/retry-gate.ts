import { backoffMs } from '@tallystick/base/pure'

export type RetryGate = {
  /**
   * Runs `work` for a key. Joins a run in progress; skips the call while the key backs off after a failure. `work`
   * resolves to whether it succeeded and does not throw.
   */
  run(key: string, work: () => Promise<boolean>): Promise<void>
  /** Ends the backoff of all keys, because the next attempt may succeed. */
  reset(): void
  /** Resolves when all runs have ended. */
  settle(): Promise<void>
}

const backoff = { minMs: 1_000, maxMs: 15_000 }

/** Allows one attempt at a time per key, with exponential backoff after failures. */
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
