/** `unknown`: the connection failed, so the request may or may not have been counted. */
export type Admission = 'admitted' | 'throttled' | 'unknown'

type Attempt = { readonly sentMs: number; readonly receivedMs: number; readonly admission: Admission }

/** Rate limit check of a limited key on one run of one replica. */
export type Allowance = {
  /** Adds a response and returns its problem, or undefined. Responses must be added in the order of their requests. */
  take(attempt: Attempt): string | undefined
}

const windowMs = 60_000

/** Creates the check. A window opens with a request and closes a minute later. The opening time is known only within the duration of the request. */
export function createAllowance(limit: number): Allowance {
  let counted: Attempt[] = []
  return {
    take: (attempt) => {
      const { sentMs, receivedMs, admission } = attempt
      counted = counted.filter((one) => one.receivedMs > sentMs - 2 * windowMs)
      if (admission === 'throttled') {
        const possible = counted.filter((one) => one.receivedMs >= sentMs - windowMs).length
        return possible < limit ? `rejected with 429 after ${possible} of ${limit} requests per minute` : undefined
      }
      counted.push(attempt)
      // A minute can overlap two windows, but not three.
      const isCertain = (one: Attempt) => one.admission === 'admitted' && one.sentMs > receivedMs - windowMs
      const certain = counted.filter(isCertain).length
      return certain > 2 * limit ? `admitted ${certain} times within a minute with a limit of ${limit}` : undefined
    },
  }
}
