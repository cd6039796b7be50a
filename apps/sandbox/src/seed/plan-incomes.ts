import { daySeconds, historyDays, type IncomeStep } from './history.ts'
import { createRandom } from './random.ts'

// What the protocol paid on an ordinary day, per second and dollar and scaled by 1e25: 12.6 % a year.
const ordinaryIncome = 40_654_777_192_457_711n
// Days whose income is given a day late, with the next one's.
const lateDays = [19, 41]
// The day is over, and whoever reports it has had five minutes.
export const reportedAfterSeconds = 303n

/** Each day's floating income, the last one yesterday's. */
export function planIncomes({
  firstDay,
  nowSeconds,
}: {
  readonly firstDay: bigint
  readonly nowSeconds: bigint
}): IncomeStep[] {
  return Array.from({ length: historyDays }, (_, index) => index)
    .filter((index) => !lateDays.includes(index))
    .map((index) => {
      const first = lateDays.includes(index - 1) ? index - 1 : index
      const incomes = Array.from({ length: index - first + 1 }, (_, offset) =>
        incomeOf(firstDay + BigInt(first + offset)),
      )
      const reportedAt = (firstDay + BigInt(index) + 1n) * daySeconds + reportedAfterSeconds
      const at = reportedAt < nowSeconds ? reportedAt : nowSeconds
      return { kind: 'income', at, firstDay: firstDay + BigInt(first), incomes }
    })
}

/** The income of a UTC day: an ordinary one, a little more or less. */
export function incomeOf(day: bigint): bigint {
  const factor = 1 + 0.06 * Math.sin(Number(day) / 9) + 0.03 * (createRandom(Number(day))() - 0.5)
  return (ordinaryIncome * BigInt(Math.round(factor * 1e6))) / 1_000_000n
}
