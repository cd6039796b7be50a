import type { ActivityStep } from '../connect/activity.ts'

type LendPlan = {
  readonly steps: readonly ActivityStep[]
  /** Says what the wallet asks for. */
  readonly announcement: string
}

type PaymentFacts = {
  readonly allowance: bigint | undefined
  readonly principal: bigint | undefined
  /** Undefined while unknown. */
  readonly hasPermit: boolean | undefined
}

/** How the pool gets the dollars: it already may take them, by a signed permit, or by an approval in a transaction. */
const plans = {
  allowed: {
    steps: ['send', 'wait'],
    announcement: 'Your wallet asks once: to send the transaction. The pool may already take this amount.',
  },
  permit: {
    steps: ['permit', 'send', 'wait'],
    announcement: 'Your wallet asks twice: to sign a permit, which costs nothing, and to send one transaction.',
  },
  approve: {
    steps: ['approve', 'approving', 'send', 'wait'],
    announcement: 'Your wallet asks twice: to approve the amount, and to lend it. These are two transactions.',
  },
} as const satisfies Record<string, LendPlan>

/** Returns the steps of a lend, and the sentence that announces them. While too little is known, a permit is assumed. */
export function planLend({ allowance, principal, hasPermit }: PaymentFacts): LendPlan {
  if (allowance !== undefined && principal !== undefined && allowance >= principal) return plans.allowed
  return hasPermit === false ? plans.approve : plans.permit
}
