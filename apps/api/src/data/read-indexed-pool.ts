import type { AskIndex } from './ask-index.ts'

/** State of a pool by its index. A value that the index does not have is undefined. */
export type IndexedPool = {
  readonly isPaused: boolean | undefined
  readonly signer: `0x${string}` | undefined
  readonly minLendLimit: bigint | undefined
  readonly maxCouponLimit: bigint | undefined
  readonly minMaturityLimit: bigint | undefined
}

/** Reads the pool of a chain from its subgraph. Returns undefined if the chain has none or it does not answer in time. */
export type ReadIndexedPool = (chainId: number) => Promise<IndexedPool | undefined>

/** Creates the function that reads pools. It filters by address, because a subgraph may index several pools. */
export function createReadIndexedPool(
  chains: readonly { readonly id: number; readonly domain: { readonly verifyingContract: string } }[],
  { ask, chainIds }: { readonly ask: AskIndex; readonly chainIds: readonly number[] },
): ReadIndexedPool {
  const indexed = chains.filter(({ id }) => chainIds.includes(id))
  const queries = new Map(indexed.map(({ id, domain }) => [id, poolQuery(domain.verifyingContract.toLowerCase())]))
  return async (chainId) => {
    const query = queries.get(chainId)
    const { answer } = query === undefined ? {} : await ask(chainId, query)
    return answer && decodePool(answer.data)
  }
}

function poolQuery(pool: string): string {
  return `{ pools(first: 1, where: { id: "${pool}" }) { paused signer minLendLimit maxCouponLimit minMaturityLimit } }`
}

function decodePool(data: string): IndexedPool | undefined {
  const { pools } = JSON.parse(data) as { readonly pools?: unknown }
  const [pool] = Array.isArray(pools) ? pools : []
  if (typeof pool !== 'object' || pool === null) return undefined
  const { paused, signer, ...limits } = pool as Readonly<Record<string, unknown>>
  const integer = (name: string) => {
    const value = limits[name]
    return typeof value === 'string' && /^\d{1,78}$/.test(value) ? BigInt(value) : undefined
  }
  return {
    isPaused: typeof paused === 'boolean' ? paused : undefined,
    signer:
      typeof signer === 'string' && /^0x[0-9a-f]{40}$/i.test(signer) ? (signer as IndexedPool['signer']) : undefined,
    minLendLimit: integer('minLendLimit'),
    maxCouponLimit: integer('maxCouponLimit'),
    minMaturityLimit: integer('minMaturityLimit'),
  }
}
