import { Claim, Lend } from '@tallystick/contracts/pool-events'

/**
 * The events a lender looks for in a receipt, for viem's `parseEventLogs`.
 *
 * @example
 * import { toEventSelector } from 'viem'
 * toEventSelector(poolEventAbi[0]).length // => 66
 */
export const poolEventAbi = [Lend, Claim] as const
