import { decodeList, decodeMember, type Place, refuse } from '../decode/decode.ts'
import { ClientError } from '../errors.ts'
import type { Connection } from '../http/connection.ts'
import { type ChainError, queryData } from './query-data.ts'

/** Largest page of a subgraph. */
const pageSize = 1000

/** List that is read in pages, from the highest cursor down. */
export type PagedList<Row> = {
  /** Member of the data that contains the list. */
  readonly name: string
  /** Query of one page. The variable `below` is the exclusive upper bound of the cursor. */
  readonly query: string
  readonly decodeRow: (place: Place) => Row
  /** Returns the sort key, descending. Unlike `skip` it has no limit (5,000 in The Graph). */
  readonly cursorOf: (row: Row) => bigint
  /** Above every possible cursor. */
  readonly aboveAll: bigint
  /** Encodes a cursor for the variable of the query. */
  readonly encodeCursor: (cursor: bigint) => string | number
}

export type PagesOptions<Row> = {
  readonly list: PagedList<Row>
  readonly variables: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal | undefined
}

/** Decodes the rows of a page and checks their order. */
export function decodePage<Row>(
  list: PagedList<Row>,
  { data, below }: { readonly data: unknown; readonly below: bigint },
): readonly Row[] {
  const place = decodeMember({ value: data, path: 'POST /data: data' }, list.name)
  const rows = decodeList(place, list.decodeRow)
  let last = below
  for (const row of rows) {
    // A page that does not descend would be requested forever.
    if (list.cursorOf(row) >= last) refuse(place, 'an array in descending order below the requested cursor')
    last = list.cursorOf(row)
  }
  return rows
}

/** Reads the pages after the first one. Returns all rows of a chain, or the errors if a page fails. */
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

/** Converts the error of a request for one chain to errors of that chain. */
function toChainErrors(error: unknown): { readonly data: null; readonly errors: readonly ChainError[] } {
  if (!(error instanceof ClientError)) throw error
  return { data: null, errors: [{ message: error.message, code: error.code, details: error.details }] }
}
