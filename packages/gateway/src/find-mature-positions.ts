import type { AskIndex } from './ask-index.ts'

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
