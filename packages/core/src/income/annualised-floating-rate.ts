/**
 * Converts a day's floating income to basis points per 360-day year, rounded down. A day's income is the income of one
 * token per second, scaled by 1e25.
 *
 * @example
 * annualisedFloatingRate(40654777192457711n) // 1264n: 12.645 %
 */
export function annualisedFloatingRate(floatingIncomeOfDay: bigint): bigint {
  return (floatingIncomeOfDay * 86_400n * 360n * 10_000n) / 10n ** 25n
}
