import { decodeList, decodeMember, type Place, refuse } from '../decode/decode.ts'
import { ClientError } from '../errors.ts'
import type { Connection } from '../http/connection.ts'
import { type ChainError, queryData } from './query-data.ts'

/** The most that a subgraph gives at once. */
const pageSize = 1000

/** A list that is read from the highest cursor down, a page at a time. */
export type PagedList<Row> = {
  /** The member of the data that holds it. */
  readonly name: string
  /** A query for one page, with a variable `below` for the cursor the page is to stay under. */
  readonly query: string
  readonly decodeRow: (place: Place) => Row
  /** What it is sorted by, descending. Unlike `skip`, this has no end (The Graph stops at 5,000). */
  readonly cursorOf: (row: Row) => bigint
  /** Above every cursor there can be. */
  readonly aboveAll: bigint
  /** A cursor as the query's variable takes it. */
  readonly encodeCursor: (cursor: bigint) => string | number
}

export type PagesOptions<Row> = {
  readonly list: PagedList<Row>
  readonly variables: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal | undefined
}

/** The rows of the data's page, in the order they must have. */
export function decodePage<Row>(
  list: PagedList<Row>,
  { data, below }: { readonly data: unknown; readonly below: bigint },
): readonly Row[] {
  const place = decodeMember({ value: data, path: 'POST /data: data' }, list.name)
  const rows = decodeList(place, list.decodeRow)
  let last = below
  for (const row of rows) {
    // A page that does not go down would be asked for for ever.
    if (list.cursorOf(row) >= last) refuse(place, 'a list that goes down from the row asked for')
    last = list.cursorOf(row)
  }
  return rows
}

/** All rows of one chain, going on from a first page; or why they cannot all be had. Half a list is none. */
export async function readRemainingPages<Row>(
  connection: Connection,
  {
    list,
    variables,
    signal,
    chain,
    firstPage,
  }: PagesOptions<Row> & { readonly chain: number; readonly firstPage: readonly Row[] },
): Promise<{ readonly rows: readonly Row[] } | { readonly errors: readonly ChainError[] }> {
  const rows = [...firstPage]
  let page = firstPage
  while (page.length >= pageSize) {
    const below = list.cursorOf(page[page.length - 1] as Row)
    const options = {
      query: list.query,
      variables: { ...variables, below: list.encodeCursor(below) },
      chains: [chain],
      signal,
    }
    const result = await queryData(connection, options)
      .then(({ results }) => results[0])
      .catch(toChainErrors)
    if (!result || result.data === null) return { errors: result?.errors ?? [] }
    page = decodePage(list, { data: result.data, below })
    rows.push(...page)
  }
  return { rows }
}

/** Where one chain is asked alone, its failure is that of the whole request. */
function toChainErrors(error: unknown): { readonly data: null; readonly errors: readonly ChainError[] } {
  if (!(error instanceof ClientError)) throw error
  return { data: null, errors: [{ message: error.message, code: error.code, details: error.details }] }
}
