import type { Connection } from '../http/connection.ts'
import { queryData } from './query-data.ts'
import { type ChainRead, type ReadChain, readChains } from './read-chains.ts'
import { decodePage, type PagesOptions, pageQuery, readRemainingPages } from './read-pages.ts'

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
