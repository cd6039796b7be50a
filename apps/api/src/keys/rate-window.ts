/** What a request learns of its allowance. */
export type RateState = { readonly allowed: boolean; readonly remaining: number; readonly resetSeconds: number }

export type RateWindow = {
  readonly limit: number
  /** The limit as the `RateLimit-Policy` header tells it. */
  readonly policy: string
  /** Counts one request at a monotonic time. */
  take(monotonicMs: number): RateState
}

export const rateWindowSeconds = 60

/**
 * A fixed window that opens with the first request after the last one closed. It counts on a monotonic clock, so a step
 * of the system's time neither locks a key out nor gives it a second allowance.
 */
export function createRateWindow(limit: number): RateWindow {
  let opensAtMs = Number.NEGATIVE_INFINITY
  let count = 0
  return {
    limit,
    policy: `"default";q=${limit};w=${rateWindowSeconds}`,
    take: (monotonicMs) => {
      if (monotonicMs - opensAtMs >= rateWindowSeconds * 1000) {
        opensAtMs = monotonicMs
        count = 0
      }
      const allowed = count < limit
      if (allowed) count++
      // Of the time passed, not of the sum: the sum of two fractions can come out a hair above the minute.
      const resetSeconds = Math.ceil(rateWindowSeconds - (monotonicMs - opensAtMs) / 1000)
      return { allowed, remaining: limit - count, resetSeconds }
    },
  }
}

/** The `RateLimit` header. */
export function formatRate({ remaining, resetSeconds }: RateState): string {
  return `"default";r=${formatCount(remaining)};t=${resetSeconds}`
}

const belowThousand = Array.from({ length: 1000 }, (_, count) => String(count))
const threeDigits = belowThousand.map((text) => text.padStart(3, '0'))

/**
 * A count of up to six digits from two texts that are there already. `String` remembers the texts it made, thousands of
 * them: those of a count that never comes back would each grow old on the heap, and cost every caller a long collection.
 */
function formatCount(count: number): string {
  if (count < 1000) return belowThousand[count] as string
  if (count >= 1_000_000) return String(count)
  return `${belowThousand[Math.floor(count / 1000)]}${threeDigits[count % 1000]}`
}
