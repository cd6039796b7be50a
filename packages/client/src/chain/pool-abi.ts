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
 * Functions of the pool for lenders, for viem's `readContract` and `simulateContract`.
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
