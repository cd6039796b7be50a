import {
  batchClaim,
  claim,
  lend,
  minLendLimit,
  paused,
  permitClaim,
  permitLend,
  validatePriceFeed,
} from '@tallystick/contracts/pool-functions'

/**
 * The functions of the pool that a lender needs, for viem's `readContract` and `simulateContract`.
 *
 * @example
 * import { toFunctionSelector } from 'viem'
 * const lend = poolAbi.find(({ name }) => name === 'lend')
 * lend && toFunctionSelector(lend) // => '0x1949f17e'
 */
export const poolAbi = [
  lend,
  permitLend,
  claim,
  permitClaim,
  batchClaim,
  validatePriceFeed,
  minLendLimit,
  paused,
] as const
