import type { TallystickError } from '@tallystick/core'
import type { IndexedPool, ReadIndexedPool } from '@tallystick/issuer'
import { type SubgraphAnswer, upstreamError } from './chain-subgraph.ts'
import type { DataSources } from './create-data-sources.ts'
import { prepareQuery } from './query/analyse-query.ts'

type IndexResult =
  | { readonly answer: SubgraphAnswer; readonly failure?: undefined }
  | { readonly answer?: undefined; readonly failure: TallystickError }

/** What an answer was made of, to tell later whether the same answer can be made again without waiting. */
export type AnswerInputs = {
  /** Each returns whether one input is in memory and unchanged at an instant. */
  readonly checks: ((nowMs: number) => boolean)[]
  /** Chains that were queried, once for each query. */
  readonly asked: number[]
}

/** Queries a chain's index. The query has no variables. Returns failures and never throws. Adds the answer to `inputs`. */
export type AskIndex = (chainId: number, text: string, inputs?: AnswerInputs) => Promise<IndexResult>

// Limits how long the rest of a response waits for an index.
const waitMs = 3_000

/** Creates the function by which the service itself queries the subgraphs, through the gateway of `/data`. */
export function createAskIndex({ analyse, gateway }: Pick<DataSources, 'analyse' | 'gateway'>): AskIndex {
  return async (chainId, text, inputs) => {
    const query = prepareQuery(analyse(text), { variables: {}, operationName: undefined })
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(timeoutError()), waitMs)
    const [result] = await gateway.query({ chains: [chainId], query, gone: controller.signal })
    clearTimeout(timer)
    const answer = result?.answer
    inputs?.asked.push(chainId)
    inputs?.checks.push(
      () => answer !== undefined && gateway.recall({ chains: [chainId], key: query.key })?.[0] === answer,
    )
    return answer ? { answer } : { failure: result?.failure ?? timeoutError() }
  }
}

function timeoutError(): TallystickError {
  return upstreamError({ failure: 'slow_query', message: 'The subgraph did not answer in time.' })
}

// Some may be of owners who cannot claim.
const positionsMax = 3
export const maturePositionsQuery = `{ positionInfos(first: ${positionsMax}, where: { status: "Active" }, orderBy: maturityTimestamp) { tokenId maturityTimestamp } }`

/** Creates a function that finds mature positions that are not claimed in the index of a chain. It never throws. */
export function createFindMaturePositions({
  ask,
  chainIds,
}: {
  readonly ask: AskIndex
  /** Chains with a subgraph. */
  readonly chainIds: readonly number[]
}): (chainId: number, nowSeconds: bigint) => Promise<readonly bigint[]> {
  return async (chainId, nowSeconds) => {
    if (!chainIds.includes(chainId)) return []
    const { answer } = await ask(chainId, maturePositionsQuery)
    return answer ? listMature(JSON.parse(answer.data), nowSeconds) : []
  }
}

/** Returns the token ids of the positions in an answer that are mature at an instant. */
export function listMature(data: unknown, nowSeconds: bigint): readonly bigint[] {
  const { positionInfos } = (data ?? {}) as { readonly positionInfos?: unknown }
  const isDecimal = (value: unknown): value is string => /^\d{1,78}$/.test(String(value))
  return (Array.isArray(positionInfos) ? positionInfos : []).flatMap((position) => {
    const { tokenId, maturityTimestamp } = (position ?? {}) as Readonly<Record<string, unknown>>
    if (!isDecimal(tokenId) || !isDecimal(maturityTimestamp)) return []
    return BigInt(maturityTimestamp) <= nowSeconds ? [BigInt(tokenId)] : []
  })
}

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
): (...request: [...Parameters<ReadIndexedPool>, inputs?: AnswerInputs]) => ReturnType<ReadIndexedPool> {
  const indexed = chains.filter(({ id }) => chainIds.includes(id))
  const pools = new Map(indexed.map(({ id, domain }) => [id, domain.verifyingContract.toLowerCase()]))
  const rejectedCounts = new Map<number, number>()
  // The next answer may come from the other source, which may have the fields.
  const twoSource = new Set(chains.flatMap(({ id, subgraph }) => (subgraph?.urls && subgraph.embedded ? id : [])))
  return async (chainId, inputs) => {
    const pool = pools.get(chainId)
    if (pool === undefined) return undefined
    for (let index = rejectedCounts.get(chainId) ?? 0; ; index += 1) {
      const result = await ask(
        chainId,
        `{ pools(first: 1, where: { id: "${pool}" }) { ${selections[index]} } }`,
        inputs,
      )
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
    limits: {
      minLendLimit: integer('minLendLimit'),
      maxCouponLimit: integer('maxCouponLimit'),
      minMaturityLimit: integer('minMaturityLimit'),
    },
    // An Int in the embedded subgraph. Others may use BigInt, which is a string.
    lastIncomeDay: /^[1-9]\d{0,6}$/.test(String(lastFloatingIncomeDay)) ? Number(lastFloatingIncomeDay) : undefined,
    timestamp: answer.head?.timestamp,
  }
}
