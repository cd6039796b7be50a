import { accrualEnd, type PositionTerms } from './position-terms.ts'

/** Running sum of the pool's daily floating incomes. Days are UTC days since 1970: `timestamp / 86400`. */
export type FloatingAccumulator = {
  /** Last day with a known income; 0 if there is none. */
  readonly lastUpdatedDay: bigint
  /** Returns the sum up to and including a day, scaled by 1e25; 0 for a day before the first known one. */
  readonly accFloatingIncome: (day: bigint) => bigint
}

type FloatingTerms = Omit<PositionTerms, 'coupon'>

const secondsPerDay = 86_400n
const scale = 10n ** 25n

/**
 * Returns the floating income accrued at an instant, for the days whose income is known, in the token's smallest unit. The
 * lend day, the days between and the last day are each rounded down, like the pool does.
 *
 * @example
 * const acc: Record<string, bigint> = { 20110: 40654777192457711n }
 * floatingIncome(
 *   { principal: 1000n * 10n ** 18n, lendTimestamp: 1737522000n, maturityTimestamp: 1739314800n },
 *   { instantSeconds: 1737590400n, lastUpdatedDay: 20110n, accFloatingIncome: (day) => acc[`${day}`] ?? 0n },
 * ) // 278078675996410743n
 */
export function floatingIncome(
  position: FloatingTerms,
  { instantSeconds, lastUpdatedDay, accFloatingIncome }: FloatingAccumulator & { readonly instantSeconds: bigint },
): bigint {
  const { principal, lendTimestamp } = position
  const end = accrualEnd(position, instantSeconds)
  const lendDay = lendTimestamp / secondsPerDay
  const endDay = end / secondsPerDay
  if (lastUpdatedDay === 0n || lastUpdatedDay < lendDay) return 0n

  const earn = (accDifference: bigint, seconds: bigint) => (accDifference * principal * seconds) / scale
  const accLendDay = accFloatingIncome(lendDay)
  const incomeOfLendDay = accLendDay - accFloatingIncome(lendDay - 1n)
  // Only possible if the pool's minimum maturity is less than a day. The three terms below would overlap.
  if (endDay === lendDay) return earn(incomeOfLendDay, end - lendTimestamp)

  const isEndDayKnown = lastUpdatedDay >= endDay
  const accMiddle = accFloatingIncome(isEndDayKnown ? endDay - 1n : lastUpdatedDay)
  const onLendDay = earn(incomeOfLendDay, (lendDay + 1n) * secondsPerDay - lendTimestamp)
  const between = earn(accMiddle - accLendDay, secondsPerDay)
  if (!isEndDayKnown) return onLendDay + between
  return onLendDay + between + earn(accFloatingIncome(endDay) - accMiddle, end - endDay * secondsPerDay)
}
