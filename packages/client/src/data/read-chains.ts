import type { Connection } from '../http/connection.ts'
import { type ChainError, type ChainResult, type QueriedData, queryData } from './query-data.ts'
import { decodePage, type PagesOptions, pageQuery, readRemainingPages, toChainErrors } from './read-pages.ts'

/** Value read from one chain, or why it is not available. */
export type ChainRead<Value> =
  | { readonly value: Value; readonly errors?: undefined }
  | { readonly value?: undefined; readonly errors: readonly ChainError[] }

/** Chain that was read, and whether its index is incomplete. */
export type ReadChain = Pick<ChainResult<unknown>, 'chain' | 'hasErrors'>

/** First answer of one chain. The rest is read at its `block`, if the service states one. */
export type FirstAnswer = {
  readonly chain: number
  readonly block: number | undefined
  readonly data: unknown
  readonly serverTime: bigint
}

type ReadChainsOptions<Value> = {
  readonly chains: readonly number[]
  readonly readFirst: (chains: readonly number[]) => Promise<QueriedData>
  readonly readRest: (first: FirstAnswer) => Promise<ChainRead<Value>>
}

/**
 * Reads a value of each chain: the first answer of all chains in one request, the rest chain by chain. If the rest fails at
 * the block of the first answer, a reorg can have removed that block, so the chain is read once more.
 */
export async function readChains<Value>({
  chains,
  readFirst,
  readRest,
}: ReadChainsOptions<Value>): Promise<readonly (ReadChain & ChainRead<Value>)[]> {
  const read = async (result: ChainResult<unknown>, serverTime: bigint): Promise<ChainRead<Value>> => {
    const { chain, block, data, errors } = result
    // Data with errors may be incomplete.
    return data === null || errors?.length ? { errors: errors ?? [] } : readRest({ chain, block, data, serverTime })
  }
  const { results, serverTime } = await readFirst(chains)
  return Promise.all(
    results.map(async (result) => {
      const { chain, hasErrors } = result
      const first = await read(result, serverTime)
      if (!isBlockLost(result, first)) return { chain, hasErrors, ...first }
      const again = await readFirst([chain]).catch(toChainErrors)
      if ('errors' in again) return { chain, errors: again.errors }
      return { chain, ...(await read(again.results[0] as ChainResult<unknown>, again.serverTime)) }
    }),
  )
}

/** Returns whether the block of a complete first answer may be gone: it is above the head, or the subgraph rejects it. */
function isBlockLost({ block, data, errors }: ChainResult<unknown>, read: ChainRead<unknown>): boolean {
  if (block === undefined || data === null || errors?.length) return false
  return read.errors?.some(({ code }) => code === 'upstream_failed' || code === 'query_rejected') ?? false
}

/** Reads a list of each chain: the first page of all chains in one request, further pages chain by chain at one block. */
export async function readList<Row>(
  connection: Connection,
  { chains, ...options }: PagesOptions<Row> & { readonly chains: readonly number[] },
): Promise<readonly (ReadChain & ChainRead<readonly Row[]>)[]> {
  const { list, signal } = options
  const query = pageQuery(list, { isAtBlock: false })
  const variables = { ...options.variables, below: list.encodeCursor(list.aboveAll) }
  return readChains({
    chains,
    readFirst: (asked) => queryData(connection, { query, variables, chains: asked, signal }),
    readRest: async ({ chain, block, data }) => {
      const firstPage = decodePage(list, { data, below: list.aboveAll })
      const read = await readRemainingPages(connection, { ...options, chain, block, firstPage })
      return 'errors' in read ? read : { value: read.rows }
    },
  })
}
