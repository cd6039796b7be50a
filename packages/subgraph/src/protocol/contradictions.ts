import type { Contradiction, IndexReader } from '../follow/mapping.ts'

/** Creates the sign that the index lacks a position. Its lend was after that of the position before it. */
export function missingPosition(tokenId: string, message: string): Contradiction {
  return { message, id: tokenId, locate: (index) => findLendBefore(index, tokenId) }
}

/** Creates the sign that the index lacks a report of floating income after the last one that it has. */
export function missingIncome(lastDay: number | null, message: string): Contradiction {
  return {
    message,
    locate: async (index) =>
      lastDay === null ? undefined : (await index.findVersions('FloatingIncome', String(lastDay)))?.last,
  }
}

/** Difference between an entity of the index and the contracts, in a sentence. */
export type Difference = {
  readonly id: string
  readonly message: string
  /** Whether a later event was missed. Otherwise the entity was wrong from its beginning, or that is not known. */
  readonly isOutdated?: boolean | undefined
}

/** Creates the sign that an entity of the index is wrong: since its last change, or at any time. */
export function wrongEntity(entity: string, { id, message, isOutdated }: Difference): Contradiction {
  const locate: Contradiction['locate'] = async (index) =>
    (await index.findVersions(entity, id))?.[isOutdated ? 'last' : 'first']
  return { message, id, locate }
}

/** Finds the block of the lend of the highest known position below a token id. */
async function findLendBefore(index: IndexReader, tokenId: string): Promise<number | undefined> {
  const query = `{ positionInfos(first: 1, orderBy: tokenId, orderDirection: desc, where: { tokenId_lt: "${tokenId}" }) { id } }`
  const { data } = await index.execute({ query })
  const [before] = (data?.['positionInfos'] ?? []) as readonly { readonly id: string }[]
  return before && (await index.findVersions('PositionInfo', before.id))?.first
}
