/** State of a rate limit after a request. */
export type RateState = { readonly allowed: boolean; readonly remaining: number; readonly resetSeconds: number }

export type RateWindow = {
  readonly limit: number
  /** Value of the `RateLimit-Policy` header. */
  readonly policy: string
  /** Counts one request at a monotonic time. */
  take(monotonicMs: number): RateState
}

export const rateWindowSeconds = 60

/**
 * Creates a fixed window. It opens with the first request after the previous window closed. It uses a monotonic clock, so
 * that a step of the system time neither blocks a key nor resets its limit.
 */
export function createRateWindow(limit: number): RateWindow {
  let openedAtMs = Number.NEGATIVE_INFINITY
  let count = 0
  return {
    limit,
    policy: `"default";q=${limit};w=${rateWindowSeconds}`,
    take: (monotonicMs) => {
      if (monotonicMs - openedAtMs >= rateWindowSeconds * 1000) {
        openedAtMs = monotonicMs
        count = 0
      }
      const allowed = count < limit
      if (allowed) count++
      // Computed from the elapsed time: rounding in a sum of two fractions could exceed 60 s.
      const resetSeconds = Math.ceil(rateWindowSeconds - (monotonicMs - openedAtMs) / 1000)
      return { allowed, remaining: limit - count, resetSeconds }
    },
  }
}

/** Formats the `RateLimit` header. */
export function formatRate({ remaining, resetSeconds }: RateState): string {
  return `"default";r=${formatCount(remaining)};t=${resetSeconds}`
}

const belowThousand = Array.from({ length: 1000 }, (_, count) => String(count))
const threeDigits = belowThousand.map((text) => text.padStart(3, '0'))

/**
 * Formats a count of up to six digits from two prepared strings. `String` caches thousands of its results, which would
 * reach the old generation of the heap and cause long garbage collections.
 */
function formatCount(count: number): string {
  if (count < 1000) return belowThousand[count] as string
  if (count >= 1_000_000) return String(count)
  return `${belowThousand[Math.floor(count / 1000)]}${threeDigits[count % 1000]}`
}
