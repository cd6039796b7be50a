import type { FloatingAccumulator } from '@tallystick/core'

/**
 * Converts the result of `floatingIncomes` to the input of `floatingIncome`.
 *
 * @example
 * const [chain] = await client.floatingIncomes()
 * const accumulator = floatingAccumulator(chain?.days ?? [])
 * const [held] = await client.positions(wallet)
 * for (const position of held?.positions ?? []) {
 *   console.log(floatingIncome(position, { instantSeconds: position.maturityTimestamp, ...accumulator }))
 * }
 */
export function floatingAccumulator(
  days: readonly { readonly day: bigint; readonly accFloatingIncome: bigint }[],
): FloatingAccumulator {
  const sums = new Map(days.map(({ day, accFloatingIncome }) => [day, accFloatingIncome]))
  const lastUpdatedDay = days.reduce((last, { day }) => (day > last ? day : last), 0n)
  return { lastUpdatedDay, accFloatingIncome: (day) => sums.get(day) ?? 0n }
}
