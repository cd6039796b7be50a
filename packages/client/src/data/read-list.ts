import type { Connection } from '../http/connection.ts'
import { type ChainError, queryData } from './query-data.ts'
import { decodePage, type PagesOptions, readRemainingPages } from './read-pages.ts'

export type ChainRows<Row> = { readonly chain: number } & (
  | { readonly rows: readonly Row[]; readonly errors?: undefined }
  | { readonly rows?: undefined; readonly errors: readonly ChainError[] }
)

/** Reads a list of each chain: the first page of all chains in one request, further pages chain by chain. */
export async function readList<Row>(
  connection: Connection,
  { chains, ...options }: PagesOptions<Row> & { readonly chains: readonly number[] },
): Promise<readonly ChainRows<Row>[]> {
  const { list, variables, signal } = options
  const firstVariables = { ...variables, below: list.encodeCursor(list.aboveAll) }
  const { results } = await queryData(connection, { query: list.query, variables: firstVariables, chains, signal })
  return Promise.all(
    results.map(async ({ chain, data, errors }): Promise<ChainRows<Row>> => {
      // A list with errors may be incomplete.
      if (data === null || errors?.length) return { chain, errors: errors ?? [] }
      const firstPage = decodePage(list, { data, below: list.aboveAll })
      return { chain, ...(await readRemainingPages(connection, { ...options, chain, firstPage })) }
    }),
  )
}
