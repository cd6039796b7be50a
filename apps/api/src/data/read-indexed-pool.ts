import type { AnalysedQuery } from './analyse-query.ts'
import { prepareQuery } from './prepare-query.ts'
import type { Gateway } from './query-chains.ts'

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

const poolQuery = `query FetchPool($pool: ID!) {
  pool(id: $pool) { paused signer minLendLimit maxCouponLimit minMaturityLimit }
}`
// Nothing that waits for it may wait longer.
const waitMs = 3_000

/** Creates the function that reads pools through the gateway. */
export function createReadIndexedPool(
  chains: readonly { readonly id: number; readonly domain: { readonly verifyingContract: string } }[],
  {
    analyse,
    gateway,
    chainIds,
  }: {
    readonly analyse: (text: string) => AnalysedQuery
    readonly gateway: Pick<Gateway, 'query'>
    /** Chains with a subgraph. */
    readonly chainIds: readonly number[]
  },
): ReadIndexedPool {
  const analysed = analyse(poolQuery)
  const queries = new Map(
    chains
      .filter(({ id }) => chainIds.includes(id))
      .map(({ id, domain }) => {
        const variables = { pool: domain.verifyingContract.toLowerCase() }
        return [id, prepareQuery(analysed, { variables, operationName: undefined })]
      }),
  )
  return async (chainId) => {
    const query = queries.get(chainId)
    if (!query) return undefined
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(), waitMs)
    const [result] = await gateway.query({ chains: [chainId], query, gone: controller.signal })
    clearTimeout(timer)
    return result?.answer && decodePool(result.answer.data)
  }
}

function decodePool(data: string): IndexedPool | undefined {
  const { pool } = JSON.parse(data) as { readonly pool?: unknown }
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
