import { accrualEnd, type PositionTerms } from './position-terms.ts'

// Basis points of a whole times the seconds of a 360-day year.
const bpsSecondsPerYear = 10_000n * 31_104_000n

/**
 * Returns the fixed income accrued at an instant, in the token's smallest unit, rounded down like the pool does.
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
