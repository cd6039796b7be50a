import { annualisedFloatingRate } from '@tallystick/core'
import type { SubgraphAnswer } from '@tallystick/gateway'
import { decodeIncome, type Income, type IndexToAsk, incomeOf } from '../rate/read-floating-income.ts'

/** Floating rates of a chain by UTC day, basis points, or why there are none. */
export type FloatingRates = { readonly rates: ReadonlyMap<number, bigint>; readonly problem?: undefined } | Problem
type Problem = { readonly rates?: undefined; readonly problem: string; readonly isTemporary: boolean }

export type ReadFloatingRates = (
  chainId: number,
  range: { readonly firstDay: number; readonly lastDay: number },
) => Promise<FloatingRates>

/** Creates the function that reads the floating rates of days from a chain's index. It returns problems and never throws. */
export function createReadFloatingRates({ ask, chainIds }: IndexToAsk): ReadFloatingRates {
  return async (chainId, { firstDay, lastDay }) => {
    if (!chainIds.includes(chainId)) return withoutIndex
    // With the day before the first one: the income of a day is the difference of two sums.
    const { answer, failure } = await ask(chainId, rangeQuery(firstDay - 1, lastDay))
    if (!answer) return { problem: failure.message, isTemporary: true }
    const incomes = decode(answer)
    if (!incomes) return malformed
    return { rates: ratesOf(incomes.filter(({ day }) => day >= firstDay - 1 && day <= lastDay)) }
  }
}

const withoutIndex: Problem = { problem: 'No subgraph is configured for this chain.', isTemporary: false }
const malformed: Problem = { problem: 'The subgraph returned an invalid floating income.', isTemporary: true }

function rangeQuery(firstDay: number, lastDay: number): string {
  const where = `{ day_gte: ${firstDay}, day_lte: ${lastDay} }`
  return `{
  floatingIncomes(first: ${lastDay - firstDay + 1}, orderBy: day, orderDirection: desc, where: ${where}) {
    day floatingIncome accFloatingIncome
  }
}`
}

function decode({ data }: SubgraphAnswer): Income[] | undefined {
  const { floatingIncomes } = JSON.parse(data) as { readonly floatingIncomes?: unknown }
  if (!Array.isArray(floatingIncomes)) return undefined
  const incomes = floatingIncomes.flatMap((income) => decodeIncome(income) ?? [])
  return incomes.length === floatingIncomes.length ? incomes : undefined
}

function ratesOf(incomes: readonly Income[]): ReadonlyMap<number, bigint> {
  const byDay = new Map(incomes.map((income) => [income.day, income]))
  return new Map(
    incomes.flatMap((income) => {
      const paid = incomeOf(income, byDay.get(income.day - 1))
      return paid === undefined ? [] : [[income.day, annualisedFloatingRate(paid)] as const]
    }),
  )
}
