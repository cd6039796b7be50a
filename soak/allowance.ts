/** A limited key on one run of one replica: whether it was let in and sent away as its limit says. */
export type Allowance = {
  /** Takes in an answer; what is wrong with it, or undefined. Answers come in the order of their requests. */
  take(answer: {
    readonly sentMs: number
    readonly receivedMs: number
    readonly isRefused: boolean
  }): string | undefined
}

const windowMs = 60_000

/** Windows open with a request and close a minute later; which moment that was is known only within the request. */
export function createAllowance(limit: number): Allowance {
  let letIn: { readonly sentMs: number; readonly receivedMs: number }[] = []
  return {
    take: ({ sentMs, receivedMs, isRefused }) => {
      letIn = letIn.filter((one) => one.receivedMs > sentMs - 2 * windowMs)
      if (isRefused) {
        const possible = letIn.filter((one) => one.receivedMs >= sentMs - windowMs).length
        return possible < limit ? `sent away with 429 after ${possible} of ${limit} requests a minute` : undefined
      }
      letIn.push({ sentMs, receivedMs })
      // Two windows may touch within a minute, three may not.
      const certain = letIn.filter((one) => one.sentMs > receivedMs - windowMs).length
      return certain > 2 * limit ? `let in ${certain} times within a minute with a limit of ${limit}` : undefined
    },
  }
}
