import type { AccountKind } from '@tallystick/client/viem'
import type { ActivityStep } from '../connect/activity.ts'

type LendPlan = {
  readonly steps: readonly ActivityStep[]
  /** Says what the wallet asks for. */
  readonly announcement: string
}

type PaymentFacts = {
  /** Undefined while unknown. */
  readonly kind?: AccountKind | undefined
  readonly allowance: bigint | undefined
  readonly principal: bigint | undefined
  /** Undefined while unknown. */
  readonly hasPermit: boolean | undefined
}

/**
 * How the pool gets the dollars: it already may take them, by a signed permit, or by an approval in a transaction. A contract
 * cannot sign a permit. Its wallet may send approval and lend as one transaction.
 */
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
  batch: {
    steps: ['send', 'owners', 'wait'],
    announcement:
      'Your wallet asks once: for one transaction that approves the amount and lends it. Where several owners sign, they have to do so before the note expires.',
  },
} as const satisfies Record<string, LendPlan>

/** Returns the steps of a lend, and the sentence that announces them. While too little is known, a permit is assumed. */
export function planLend({ kind, allowance, principal, hasPermit }: PaymentFacts): LendPlan {
  if (kind === 'batching_contract') return plans.batch
  if (allowance !== undefined && principal !== undefined && allowance >= principal) return plans.allowed
  return hasPermit === false || kind === 'contract' ? plans.approve : plans.permit
}
