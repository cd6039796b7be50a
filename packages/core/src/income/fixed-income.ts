import { accrualEnd, type PositionTerms } from './position-terms.ts'

// A year of 360 days, as money markets count it, times the basis points of a whole.
const bpsSecondsPerYear = 10_000n * 31_104_000n

/**
 * Fixed income accrued at an instant, in the token's smallest unit, rounded down as the pool rounds it.
 *
 * @example
 * fixedIncome(
 *   { principal: 1000n * 10n ** 18n, coupon: 401n, lendTimestamp: 1737522000n, maturityTimestamp: 1739314800n },
 *   1739314800n,
 * ) // 2311319444444444444n
 */
export function fixedIncome(position: PositionTerms, instantSeconds: bigint): bigint {
  const seconds = accrualEnd(position, instantSeconds) - position.lendTimestamp
  return (position.principal * position.coupon * seconds) / bpsSecondsPerYear
}
