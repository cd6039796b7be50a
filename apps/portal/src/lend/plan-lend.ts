import type { ActivityStep } from '../connect/activity.ts'

/** How the pool gets the dollars: it already may take them, by a signed permit, or by an approval in a transaction. */
export type PaymentMethod = 'allowed' | 'permit' | 'approve'

export type PaymentFacts = {
  readonly allowance: bigint | undefined
  readonly principal: bigint | undefined
  /** Undefined while unknown. */
  readonly hasPermit: boolean | undefined
}

/** Returns how the pool will get the dollars. While too little is known, a permit is assumed. */
export function choosePayment({ allowance, principal, hasPermit }: PaymentFacts): PaymentMethod {
  if (allowance !== undefined && principal !== undefined && allowance >= principal) return 'allowed'
  return hasPermit === false ? 'approve' : 'permit'
}

const plans: Readonly<Record<PaymentMethod, readonly ActivityStep[]>> = {
  allowed: ['send', 'wait'],
  permit: ['permit', 'send', 'wait'],
  approve: ['approve', 'approving', 'send', 'wait'],
}

const announcements: Readonly<Record<PaymentMethod, string>> = {
  allowed: 'Your wallet asks once: to send the transaction. The pool may already take this amount.',
  permit: 'Your wallet asks twice: to sign a permit, which costs nothing, and to send one transaction.',
  approve: 'Your wallet asks twice: to approve the amount, and to lend it. These are two transactions.',
}

/** Returns the steps of a lend, and the sentence that announces them. */
export function planLend(method: PaymentMethod) {
  return { steps: plans[method], announcement: announcements[method] }
}
