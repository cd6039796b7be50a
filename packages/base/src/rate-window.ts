/** State of a rate limit after a request. */
export type RateState = {
  readonly allowed: boolean
  readonly remaining: number
  readonly resetSeconds: number
  /** Limit that the state is of. Undefined if there is only one. */
  readonly limit?: Pick<SingleLimit, 'name' | 'limit'> | undefined
}

export type RateWindow = {
  readonly limit: number
  /** Value of the `RateLimit-Policy` header. */
  readonly policy: string
  /** Counts one request at a monotonic time. */
  take(monotonicMs: number): RateState
}

/** One of the limits of a key. A request asks all of them before it is counted by each. */
export type SingleLimit = {
  /** Name in the `RateLimit` headers. */
  readonly name: 'default' | 'burst' | 'day' | 'month'
  readonly limit: number
  readonly windowSeconds: number
  hasRoom(monotonicMs: number): boolean
  /** Counts a request. Call it only after `hasRoom` returned true for the same time. */
  spend(monotonicMs: number): void
  remaining(): number
  /** Seconds until the window ends. */
  resetSeconds(monotonicMs: number): number
  /** Seconds after which a rejected request may be allowed. */
  retrySeconds(monotonicMs: number): number
}

export const rateWindowSeconds = 60

/** Creates a limit per minute for one process, with the headers of a single limit. */
export function createRateWindow(limit: number): RateWindow {
  const window = createWindowLimit(limit)
  return {
    limit,
    policy: formatPolicy(window),
    take: (monotonicMs) => {
      const allowed = window.hasRoom(monotonicMs)
      if (allowed) window.spend(monotonicMs)
      return { allowed, remaining: window.remaining(), resetSeconds: window.resetSeconds(monotonicMs) }
    },
  }
}

/**
 * Combines limits into one, the one that headers show first. A request that one of them rejects is counted by none.
 * The returned state is valid until the next call, so that a request allocates nothing.
 */
export function combineLimits(limits: readonly [SingleLimit, ...SingleLimit[]]): Pick<RateWindow, 'policy' | 'take'> {
  const [shown] = limits
  const state = { allowed: true, remaining: 0, resetSeconds: 0, limit: shown }
  const report = (limit: SingleLimit, allowed: boolean, monotonicMs: number) => {
    state.allowed = allowed
    state.limit = limit
    state.remaining = allowed ? limit.remaining() : 0
    state.resetSeconds = allowed ? limit.resetSeconds(monotonicMs) : limit.retrySeconds(monotonicMs)
    return state
  }
  return {
    policy: limits.map(formatPolicy).join(', '),
    take: (monotonicMs) => {
      for (const limit of limits) if (!limit.hasRoom(monotonicMs)) return report(limit, false, monotonicMs)
      for (const limit of limits) limit.spend(monotonicMs)
      return report(shown, true, monotonicMs)
    },
  }
}

/**
 * Creates a fixed window. It opens with the first request after the previous window closed. It uses a monotonic clock, so
 * that a step of the system time neither blocks a key nor resets its limit.
 */
export function createWindowLimit(limit: number): SingleLimit {
  let openedAtMs = Number.NEGATIVE_INFINITY
  let count = 0
  // Computed from the elapsed time: rounding in a sum of two fractions could exceed 60 s.
  const resetSeconds = (monotonicMs: number) => Math.ceil(rateWindowSeconds - (monotonicMs - openedAtMs) / 1000)
  return {
    name: 'default',
    limit,
    windowSeconds: rateWindowSeconds,
    hasRoom: (monotonicMs) => {
      if (monotonicMs - openedAtMs >= rateWindowSeconds * 1000) {
        openedAtMs = monotonicMs
        count = 0
      }
      return count < limit
    },
    spend: () => {
      count++
    },
    remaining: () => limit - count,
    resetSeconds,
    retrySeconds: resetSeconds,
  }
}

/** Formats an item of the `RateLimit-Policy` header. */
function formatPolicy({ name, limit, windowSeconds }: SingleLimit): string {
  return `"${name}";q=${limit};w=${windowSeconds}`
}

/** Formats the `RateLimit` header. */
export function formatRate({ remaining, resetSeconds, limit }: RateState): string {
  return `"${limit?.name ?? 'default'}";r=${formatCount(remaining)};t=${resetSeconds}`
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
