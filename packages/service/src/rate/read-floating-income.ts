import type { ChainRateFacts, LastFloatingIncome } from '@tallystick/core'
import type { AnswerInputs, AskIndex, SubgraphAnswer } from '@tallystick/gateway'

export type ReadFloatingIncome = (chainId: number, inputs?: AnswerInputs) => Promise<ChainRateFacts['floating']>

/** Indexes of the chains in `chainIds`, which have a subgraph. */
export type IndexToAsk = { readonly ask: AskIndex; readonly chainIds: readonly number[] }

// The only fields required of a remote subgraph, with `_meta`.
const lastIncomesQuery = `{
  floatingIncomes(first: 2, orderBy: day, orderDirection: desc) { day floatingIncome accFloatingIncome }
}`

/** Creates the function that reads a chain's last floating income from its index. It returns problems and never throws. */
export function createReadFloatingIncome({ ask, chainIds }: IndexToAsk): ReadFloatingIncome {
  const decoded = new WeakMap<SubgraphAnswer, ChainRateFacts['floating']>()
  return async (chainId, inputs) => {
    if (!chainIds.includes(chainId)) return { problem: 'No subgraph is configured for this chain.' }
    const { answer, failure } = await ask(chainId, lastIncomesQuery, inputs)
    if (!answer) return { problem: failure.message }
    // The gateway returns the same object until the chain has a new block.
    const known = decoded.get(answer)
    if (known) return known
    const floating = decode(answer)
    decoded.set(answer, floating)
    return floating
  }
}

function decode({ data, head }: SubgraphAnswer): ChainRateFacts['floating'] {
  const { floatingIncomes: incomes } = JSON.parse(data) as { readonly floatingIncomes?: unknown }
  if (!Array.isArray(incomes) || !head) return malformed
  const block = { number: head.number, timestamp: head.timestamp }
  const { hasErrors } = head
  if (incomes.length === 0) return { last: undefined, block, hasErrors }
  const decoded = incomes.slice(0, 2).flatMap((income) => decodeIncome(income) ?? [])
  const last = decoded.length === Math.min(2, incomes.length) ? lastIncomeOf(decoded) : undefined
  return last ? { last, block, hasErrors } : malformed
}

const malformed = { problem: 'The subgraph returned an invalid floating income.' }

/** Floating income of a UTC day, by its own event and by the running sum. */
export type Income = { readonly day: number; readonly floatingIncome: bigint; readonly accFloatingIncome: bigint }

function lastIncomeOf([last, before]: readonly Income[]): LastFloatingIncome['last'] {
  if (!last) return undefined
  const floatingIncome = incomeOf(last, before)
  return floatingIncome === undefined ? undefined : { day: last.day, floatingIncome }
}

/**
 * Returns the income of a day as the contract pays it: the difference of the sums, or undefined if that is negative. The
 * value of the day's own event is wrong after the day before was restated. It is used only if the index does not have the
 * day before.
 */
export function incomeOf(income: Income, before: Income | undefined): bigint | undefined {
  const { day, floatingIncome, accFloatingIncome: sum } = income
  if (before?.day !== day - 1) return floatingIncome
  return sum < before.accFloatingIncome ? undefined : sum - before.accFloatingIncome
}

/** Decodes an income of an index. Returns undefined if it is malformed. */
export function decodeIncome(income: unknown): Income | undefined {
  const { day, floatingIncome, accFloatingIncome } = (income ?? {}) as Readonly<Record<string, unknown>>
  // A day is an Int in the embedded subgraph. Others may use BigInt, which is a string.
  const isDay = /^\d{1,7}$/.test(String(day))
  if (!isDay || !isDecimal(floatingIncome) || !isDecimal(accFloatingIncome)) return undefined
  return {
    day: Number(day),
    floatingIncome: BigInt(floatingIncome),
    accFloatingIncome: BigInt(accFloatingIncome),
  }
}

function isDecimal(value: unknown): value is string {
  return typeof value === 'string' && /^\d{1,78}$/.test(value)
}
