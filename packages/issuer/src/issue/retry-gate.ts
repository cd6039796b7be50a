import type { Time } from '@tallystick/base'
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

/** Allows one attempt at a time per key, with exponential backoff after failures. `name` is that of the waits. */
export function createRetryGate(time: Pick<Time, 'setTimer'>, name: string): RetryGate {
  const running = new Map<string, Promise<void>>()
  const failures = new Map<string, { readonly count: number; isOver: boolean }>()

  const attempt = async (key: string, work: () => Promise<boolean>) => {
    if (await work()) {
      failures.delete(key)
      return
    }
    const count = failures.get(key)?.count ?? 0
    const failure = { count: count + 1, isOver: false }
    failures.set(key, failure)
    time.setTimer({ name, ms: backoffMs(count, backoff) }, () => {
      failure.isOver = true
    })
  }
  return {
    run: (key, work) => {
      const known = running.get(key)
      if (known) return known
      if (failures.get(key)?.isOver === false) return Promise.resolve()
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
