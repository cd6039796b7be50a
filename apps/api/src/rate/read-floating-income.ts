import type { ChainRateFacts, LastFloatingIncome } from '@tallystick/core'
import type { AnalysedQuery } from '../data/analyse-query.ts'
import { type SubgraphAnswer, upstreamError } from '../data/chain-subgraph.ts'
import { prepareQuery } from '../data/prepare-query.ts'
import type { Gateway } from '../data/query-chains.ts'

export type ReadFloatingIncome = (chainId: number) => Promise<ChainRateFacts['floating']>

// Nothing more of a remote subgraph is relied on than these three fields and `_meta`.
const lastIncomeQuery = `{
  floatingIncomes(first: 1, orderBy: day, orderDirection: desc) { day floatingIncome accFloatingIncome }
}`
// A screen that shows rates waits no longer than this for the floating part, and shows the fixed one.
const waitMs = 3_000

/** Makes the function that reads a chain's last floating income, as `/data` would. It never throws: it says what is wrong. */
export function createReadFloatingIncome({
  analyse,
  gateway,
  chainIds,
}: {
  readonly analyse: (text: string) => AnalysedQuery
  readonly gateway: Gateway
  /** Those that have a subgraph. */
  readonly chainIds: readonly number[]
}): ReadFloatingIncome {
  const query = prepareQuery(analyse(lastIncomeQuery), { variables: {}, operationName: undefined })
  const decoded = new WeakMap<SubgraphAnswer, ChainRateFacts['floating']>()
  return async (chainId) => {
    if (!chainIds.includes(chainId)) return { problem: 'No subgraph of this chain is configured.' }
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(late()), waitMs)
    const [result] = await gateway.query({ chains: [chainId], query, gone: controller.signal })
    clearTimeout(timer)
    if (!result?.answer) return { problem: (result?.failure ?? late()).message }
    // As long as the chain has no new block it is the very same answer.
    const known = decoded.get(result.answer)
    if (known) return known
    const floating = decode(result.answer)
    decoded.set(result.answer, floating)
    return floating
  }
}

function late() {
  return upstreamError({ failure: 'slow_query', message: 'The subgraph did not answer in time.' })
}

function decode({ data, head }: SubgraphAnswer): ChainRateFacts['floating'] {
  const { floatingIncomes: incomes } = JSON.parse(data) as { readonly floatingIncomes?: unknown }
  if (!Array.isArray(incomes) || !head) return malformed
  const block = { number: head.number, timestamp: head.timestamp }
  if (incomes.length === 0) return { last: undefined, block }
  const last = decodeIncome(incomes[0])
  return last ? { last, block } : malformed
}

const malformed = { problem: 'The subgraph answered with something that is no floating income.' }

function decodeIncome(income: unknown): LastFloatingIncome['last'] {
  const { day, floatingIncome } = (income ?? {}) as { readonly day?: unknown; readonly floatingIncome?: unknown }
  // A day is an Int here and may be a BigInt, which is a text, elsewhere.
  const isDay = /^\d{1,7}$/.test(String(day))
  const isIncome = typeof floatingIncome === 'string' && /^\d{1,78}$/.test(floatingIncome)
  return isDay && isIncome ? { day: Number(day), floatingIncome: BigInt(floatingIncome) } : undefined
}
