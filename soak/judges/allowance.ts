/**
 * `unknown`: the connection failed, so the request may or may not have been counted. `postponed`: rejected until the
 * replicas have shared out what is left, which takes less than a second.
 */
export type Admission = 'admitted' | 'throttled' | 'postponed' | 'unknown'

type Attempt = {
  readonly sentMs: number
  readonly receivedMs: number
  readonly admission: Admission
  /** Requests that the key must get in a minute before one is throttled. */
  readonly atLeast: number
  /** Whether a window may have its limit twice, because nobody knows what was used of it. */
  readonly mayRepeat?: boolean | undefined
}

/** Rate limit check of a limited key on all replicas together. */
export type Allowance = {
  readonly limit: number
  /** Adds a response and returns its problem, or undefined. */
  take(attempt: Attempt): string | undefined
}

const windowMs = 60_000

/** Creates the check. All replicas count in one window per minute, whose start only the service knows. */
export function createAllowance(limit: number): Allowance {
  let counted: Attempt[] = []
  return {
    limit,
    take: (attempt) => {
      const { sentMs, receivedMs, admission, atLeast, mayRepeat = false } = attempt
      if (admission === 'postponed') return undefined
      counted = counted.filter((one) => one.receivedMs > sentMs - 2 * windowMs)
      if (admission === 'throttled') {
        const possible = counted.filter((one) => one.receivedMs >= sentMs - windowMs).length
        return possible < atLeast ? `rejected with 429 after ${possible} of ${limit} requests per minute` : undefined
      }
      counted.push(attempt)
      // A minute can overlap two windows, but not three.
      const isCertain = (one: Attempt) => one.admission === 'admitted' && one.sentMs > receivedMs - windowMs
      const certain = counted.filter(isCertain).length
      return certain > (mayRepeat ? 3 : 2) * limit
        ? `admitted ${certain} times within a minute with a limit of ${limit}`
        : undefined
    },
  }
}
