/** `unknown`: the connection failed, and nobody can tell whether the request was counted. */
export type Admission = 'let in' | 'sent away' | 'unknown'

type Asked = { readonly sentMs: number; readonly receivedMs: number; readonly admission: Admission }

/** A limited key on one run of one replica: whether it was let in and sent away as its limit says. */
export type Allowance = {
  /** Takes in an answer; what is wrong with it, or undefined. Answers come in the order of their requests. */
  take(asked: Asked): string | undefined
}

const windowMs = 60_000

/** Windows open with a request and close a minute later; which moment that was is known only within the request. */
export function createAllowance(limit: number): Allowance {
  let counted: Asked[] = []
  return {
    take: (asked) => {
      const { sentMs, receivedMs, admission } = asked
      counted = counted.filter((one) => one.receivedMs > sentMs - 2 * windowMs)
      if (admission === 'sent away') {
        const possible = counted.filter((one) => one.receivedMs >= sentMs - windowMs).length
        return possible < limit ? `sent away with 429 after ${possible} of ${limit} requests a minute` : undefined
      }
      counted.push(asked)
      // Two windows may touch within a minute, three may not.
      const isCertain = (one: Asked) => one.admission === 'let in' && one.sentMs > receivedMs - windowMs
      const certain = counted.filter(isCertain).length
      return certain > 2 * limit ? `let in ${certain} times within a minute with a limit of ${limit}` : undefined
    },
  }
}
