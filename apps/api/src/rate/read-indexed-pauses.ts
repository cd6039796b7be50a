import type { Address } from 'viem'
import type { AskIndex, IndexResult } from '../data/ask-index.ts'

/** Pauses of a pool's contracts by the index of its chain. */
export type IndexedPauses = {
  readonly isPoolPaused: boolean
  /** Undefined if the index does not know. */
  readonly isPositionTokenPaused: boolean | undefined
  /** Time of the index's newest block in Unix seconds. Undefined if the index does not report it. */
  readonly timestamp: number | undefined
}

/** Reads the pauses from the index of a chain. Undefined if the chain has no subgraph. Never throws. */
export type ReadIndexedPauses = (chainId: number) => Promise<IndexedPauses | { readonly problem: string } | undefined>

/** Fields to select. A subgraph that rejects the first selection may be another version and is asked for the second. */
const selections = ['paused positionTokenPaused', 'paused'] as const

/** Creates the reader. It filters by address, because a subgraph may index several pools. */
export function createReadIndexedPauses({
  ask,
  chainIds,
  chains,
}: {
  readonly ask: AskIndex
  /** Chains with a subgraph. */
  readonly chainIds: readonly number[]
  readonly chains: readonly { readonly id: number; readonly domain: { readonly verifyingContract: Address } }[]
}): ReadIndexedPauses {
  const indexed = chains.filter(({ id }) => chainIds.includes(id))
  const pools = new Map(indexed.map(({ id, domain }) => [id, domain.verifyingContract.toLowerCase()]))
  const rejecting = new Set<number>()
  return async (chainId) => {
    const pool = pools.get(chainId)
    if (pool === undefined) return undefined
    const askFor = (selection: string) => ask(chainId, `{ pools(first: 1, where: { id: "${pool}" }) { ${selection} } }`)
    const first = rejecting.has(chainId) ? undefined : await askFor(selections[0])
    if (first?.failure?.code === 'query_rejected') rejecting.add(chainId)
    const isAnswered = first?.answer || first?.failure.code === 'upstream_timeout'
    return decode(isAnswered ? first : await askFor(selections[1]))
  }
}

function decode({ answer, failure }: IndexResult): IndexedPauses | { readonly problem: string } {
  if (!answer) return { problem: failure.message }
  const { pools } = JSON.parse(answer.data) as { readonly pools?: unknown }
  const [pool] = Array.isArray(pools) ? pools : []
  const { paused, positionTokenPaused } = (pool ?? {}) as Readonly<Record<string, unknown>>
  if (typeof paused !== 'boolean') return { problem: 'It does not have this pool.' }
  return {
    isPoolPaused: paused,
    isPositionTokenPaused: typeof positionTokenPaused === 'boolean' ? positionTokenPaused : undefined,
    timestamp: answer.head?.timestamp,
  }
}
