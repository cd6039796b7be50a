import type { ChainRateFacts, LastFloatingIncome } from '@tallystick/core'
import type { AnalysedQuery } from '../data/analyse-query.ts'
import { type SubgraphAnswer, upstreamError } from '../data/chain-subgraph.ts'
import { prepareQuery } from '../data/prepare-query.ts'
import type { Gateway } from '../data/query-chains.ts'

export type ReadFloatingIncome = (chainId: number) => Promise<ChainRateFacts['floating']>

// The only fields required of a remote subgraph, with `_meta`.
const lastIncomeQuery = `{
  floatingIncomes(first: 1, orderBy: day, orderDirection: desc) { day floatingIncome accFloatingIncome }
}`
// After this time `/rate` responds without the floating rate.
const waitMs = 3_000

/** Creates the function that reads a chain's last floating income through the gateway. It returns problems and never throws. */
export function createReadFloatingIncome({
  analyse,
  gateway,
  chainIds,
}: {
  readonly analyse: (text: string) => AnalysedQuery
  readonly gateway: Gateway
  /** Chains with a subgraph. */
  readonly chainIds: readonly number[]
}): ReadFloatingIncome {
  const query = prepareQuery(analyse(lastIncomeQuery), { variables: {}, operationName: undefined })
  const decoded = new WeakMap<SubgraphAnswer, ChainRateFacts['floating']>()
  return async (chainId) => {
    if (!chainIds.includes(chainId)) return { problem: 'No subgraph is configured for this chain.' }
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(timeoutError()), waitMs)
    const [result] = await gateway.query({ chains: [chainId], query, gone: controller.signal })
    clearTimeout(timer)
    if (!result?.answer) return { problem: (result?.failure ?? timeoutError()).message }
    // The gateway returns the same object until the chain has a new block.
    const known = decoded.get(result.answer)
    if (known) return known
    const floating = decode(result.answer)
    decoded.set(result.answer, floating)
    return floating
  }
}

function timeoutError() {
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

const malformed = { problem: 'The subgraph returned an invalid floating income.' }

function decodeIncome(income: unknown): LastFloatingIncome['last'] {
  const { day, floatingIncome } = (income ?? {}) as { readonly day?: unknown; readonly floatingIncome?: unknown }
  // A day is an Int in the embedded subgraph. Others may use BigInt, which is a string.
  const isDay = /^\d{1,7}$/.test(String(day))
  const isIncome = typeof floatingIncome === 'string' && /^\d{1,78}$/.test(floatingIncome)
  return isDay && isIncome ? { day: Number(day), floatingIncome: BigInt(floatingIncome) } : undefined
}
