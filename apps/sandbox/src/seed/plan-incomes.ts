import { createRandom } from '@tallystick/workbench/random'
import { daySeconds, historyDays, type IncomeStep } from './history.ts'

// Income of a typical day per second and dollar, scaled by 1e25: 12.6 % per year.
const typicalIncome = 40_654_777_192_457_711n
// Days whose income is reported one day late.
const lateDays = [19, 41]
// Delay of the report after the end of a day.
export const reportedAfterSeconds = 303n

type PlanIncomesOptions = {
  readonly firstDay: bigint
  readonly nowSeconds: bigint
}

/** Plans the floating income of each day up to yesterday. */
export function planIncomes({ firstDay, nowSeconds }: PlanIncomesOptions): IncomeStep[] {
  return Array.from({ length: historyDays }, (_, index) => index)
    .filter((index) => !lateDays.includes(index))
    .map((index) => {
      const first = lateDays.includes(index - 1) ? index - 1 : index
      const incomes = incomesFrom(firstDay + BigInt(first), index - first + 1)
      const planned = reportedAt(firstDay + BigInt(index), firstDay)
      const at = planned < nowSeconds ? planned : nowSeconds
      return { kind: 'income', at, firstDay: firstDay + BigInt(first), incomes }
    })
}

/** Returns when the income of a UTC day is reported. */
export function reportedAt(day: bigint, firstDay: bigint): bigint {
  const isLate = lateDays.includes(Number(day - firstDay))
  return (day + (isLate ? 2n : 1n)) * daySeconds + reportedAfterSeconds
}

/** Returns the incomes of consecutive UTC days. */
export function incomesFrom(firstDay: bigint, count: number): bigint[] {
  return Array.from({ length: count }, (_, index) => incomeOf(firstDay + BigInt(index)))
}

/** Returns the income of a UTC day, which varies around the typical one. */
function incomeOf(day: bigint): bigint {
  const factor = 1 + 0.06 * Math.sin(Number(day) / 9) + 0.03 * (createRandom(Number(day))() - 0.5)
  return (typicalIncome * BigInt(Math.round(factor * 1e6))) / 1_000_000n
}
