import type { IndexedPool, ReadIndexedPool } from '@tallystick/issuer'
import type { AskIndex, IndexResult } from './ask-index.ts'

/** Fields to select. A subgraph that rejects a selection may be of another version and is asked for the next one. */
const selections = [
  'paused positionTokenPaused signer minLendLimit maxCouponLimit minMaturityLimit lastFloatingIncomeDay',
  'paused signer minLendLimit maxCouponLimit minMaturityLimit lastFloatingIncomeDay',
  'paused',
] as const

/** Creates the function that reads pools. It filters by address, because a subgraph may index several pools. */
export function createReadIndexedPool(
  chains: readonly {
    readonly id: number
    readonly domain: { readonly verifyingContract: string }
    readonly subgraph?: { readonly urls?: unknown; readonly embedded?: unknown } | undefined
  }[],
  { ask, chainIds }: { readonly ask: AskIndex; readonly chainIds: readonly number[] },
): ReadIndexedPool {
  const indexed = chains.filter(({ id }) => chainIds.includes(id))
  const pools = new Map(indexed.map(({ id, domain }) => [id, domain.verifyingContract.toLowerCase()]))
  const rejectedCounts = new Map<number, number>()
  // The next answer may come from the other source, which may have the fields.
  const twoSource = new Set(chains.flatMap(({ id, subgraph }) => (subgraph?.urls && subgraph.embedded ? id : [])))
  return async (chainId) => {
    const pool = pools.get(chainId)
    if (pool === undefined) return undefined
    for (let index = rejectedCounts.get(chainId) ?? 0; ; index += 1) {
      const result = await ask(chainId, `{ pools(first: 1, where: { id: "${pool}" }) { ${selections[index]} } }`)
      if (!isRejected(result) || index === selections.length - 1) return decode(result)
      if (result.failure?.code === 'query_rejected' && !twoSource.has(chainId)) rejectedCounts.set(chainId, index + 1)
    }
  }
}

/** The Graph's gateway reports a query that every indexer rejects as a failure of the indexers. */
function isRejected({ failure }: IndexResult): boolean {
  return failure?.code === 'query_rejected' || failure?.details?.['failure'] === 'bad_indexers'
}

function decode({ answer, failure }: IndexResult): IndexedPool | { readonly problem: string } {
  if (!answer) return { problem: failure.message }
  const { pools } = JSON.parse(answer.data) as { readonly pools?: unknown }
  const [pool] = Array.isArray(pools) ? pools : []
  if (typeof pool !== 'object' || pool === null) return { problem: 'It does not have this pool.' }
  const { paused, positionTokenPaused, signer, lastFloatingIncomeDay, ...limits } = pool as Readonly<
    Record<string, unknown>
  >
  const integer = (name: string) => {
    const value = limits[name]
    return typeof value === 'string' && /^\d{1,78}$/.test(value) ? BigInt(value) : undefined
  }
  const pauses = [
    ['pool', paused],
    ['position token', positionTokenPaused],
  ] as const
  return {
    tellsPauseOf: pauses.flatMap(([contract, value]) => (typeof value === 'boolean' ? contract : [])),
    paused: pauses.flatMap(([contract, value]) => (value === true ? contract : [])),
    signer:
      typeof signer === 'string' && /^0x[0-9a-f]{40}$/i.test(signer) ? (signer as IndexedPool['signer']) : undefined,
    minLendLimit: integer('minLendLimit'),
    maxCouponLimit: integer('maxCouponLimit'),
    minMaturityLimit: integer('minMaturityLimit'),
    // An Int in the embedded subgraph. Others may use BigInt, which is a string.
    lastIncomeDay: /^[1-9]\d{0,6}$/.test(String(lastFloatingIncomeDay)) ? Number(lastFloatingIncomeDay) : undefined,
    timestamp: answer.head?.timestamp,
  }
}
