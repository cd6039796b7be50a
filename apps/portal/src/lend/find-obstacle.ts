import type { JudgedAmount } from './judge-amount.ts'
import type { Lender } from './use-lender.ts'

export type ObstacleFacts = {
  /** Whether the service does not answer. What the page shows may be old. */
  readonly isLost: boolean
  readonly isConnected: boolean
  readonly lender: Pick<Lender, 'isPaused' | 'balance' | 'minLend'> | undefined
  readonly amount: JudgedAmount
  readonly hasNote: boolean
  readonly hasExpired: boolean
  /** Whether the service says that the pool is paused. */
  readonly isPaused: boolean
  /** Why the pool would reject every note, by the service. */
  readonly rejection: string | undefined
  /** Whether the link names a partner that the pool does not know. */
  readonly isPartnerUnknown: boolean
}

/** Returns why the visitor cannot lend now, most important first, or undefined. */
export function findObstacle(facts: ObstacleFacts): string | undefined {
  const { isConnected, lender, amount, hasNote, hasExpired, isPaused, rejection, isPartnerUnknown } = facts
  if (facts.isLost) return 'The service does not respond. You can lend when it is back.'
  if (isPaused || lender?.isPaused) return 'The pool is paused. Nothing can be lent until the pause ends.'
  if (rejection !== undefined) return `The pool rejects loans. ${rejection}`
  if (!hasNote) return 'No note is on offer for this choice.'
  if (hasExpired) return 'The notes of the last period have expired. The new ones are loading.'
  if (!isConnected) return 'Connect a wallet first.'
  // Without the account nothing is known about the balance, the limits and the partner's fee.
  if (!lender) return 'Reading your account…'
  if (isPartnerUnknown) return 'The partner in this link is not known to the pool. Open the page without it.'
  if (lender.balance < lender.minLend) return 'This account has too few dollars to lend.'
  if (amount.fault !== undefined) return amount.fault
  return undefined
}
