import { Claim, Lend } from '@tallystick/contracts/pool-events'

/**
 * Events of a lender's receipt, for viem's `parseEventLogs`.
 *
 * @example
 * import { toEventSelector } from 'viem'
 * toEventSelector(poolEventAbi[0]).length // => 66
 */
export const poolEventAbi = [Lend, Claim] as const
