import { ClientError } from '../client-error.ts'
import { decodeList, decodeMember, type Place, refuse } from '../decode/decode.ts'
import type { Connection } from '../http/connection.ts'
import { type ChainError, queryData } from './query-data.ts'

/** Largest page of a subgraph. */
const pageSize = 1000

/** Query of one page of a list. */
type PageQuery = {
  /** Field of the query and member of the data. */
  readonly name: string
  /** Name of the query. */
  readonly operation: string
  /** Declarations of the variables of `where`. */
  readonly variables: string
  /** Filter. The variable `below` is the exclusive upper bound of the cursor. */
  readonly where: string
  /** Sort key, descending. Unlike `skip` it has no limit (5,000 in The Graph). */
  readonly orderBy: string
  readonly fields: string
}

/** List that is read in pages, from the highest cursor down. */
export type PagedList<Row> = PageQuery & {
  readonly decodeRow: (place: Place) => Row
  /** Returns the sort key of a row. */
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

/** Returns the field of a query that selects one page. */
export function selectPage({ name, where, orderBy, fields }: PageQuery, block = ''): string {
  return `${name}(
    where: ${where}
    orderBy: ${orderBy}
    orderDirection: desc
    first: ${pageSize}${block}
  ) {
    ${fields}
  }`
}

/** Returns the query of one page (API specification, §4.2), at the head or at the block of the variable `block`. */
export function pageQuery(list: PageQuery, { isAtBlock }: { readonly isAtBlock: boolean }): string {
  const { operation, variables } = list
  return isAtBlock
    ? `query ${operation}(${variables}, $block: Int!) {\n  ${selectPage(list, '\n    block: { number: $block }')}\n}`
    : `query ${operation}(${variables}) {\n  ${selectPage(list)}\n}`
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

type RemainingPages<Row> = PagesOptions<Row> & {
  readonly chain: number
  /** Block of the first page. Without it, the remaining pages are read at the head. */
  readonly block: number | undefined
  readonly firstPage: readonly Row[]
}

/** Reads the pages after the first one. Returns all rows of a chain, or the errors if a page fails. */
export async function readRemainingPages<Row>(
  connection: Connection,
  { list, variables, signal, chain, block, firstPage }: RemainingPages<Row>,
): Promise<{ readonly rows: readonly Row[] } | { readonly errors: readonly ChainError[] }> {
  const rows = [...firstPage]
  const query = pageQuery(list, { isAtBlock: block !== undefined })
  let page = firstPage
  while (page.length >= pageSize) {
    const below = list.cursorOf(page[page.length - 1] as Row)
    const pageVariables = { ...variables, below: list.encodeCursor(below), ...(block !== undefined && { block }) }
    const result = await queryData(connection, { query, variables: pageVariables, chains: [chain], signal })
      .then(({ results }) => results[0])
      .catch(toChainErrors)
    // A page with errors may be incomplete.
    if (!result || result.data === null || result.errors?.length) return { errors: result?.errors ?? [] }
    page = decodePage(list, { data: result.data, below })
    rows.push(...page)
  }
  return { rows }
}

/** Converts the error of a request for one chain to errors of that chain. */
export function toChainErrors(error: unknown): { readonly data: null; readonly errors: readonly ChainError[] } {
  if (!(error instanceof ClientError)) throw error
  return { data: null, errors: [{ message: error.message, code: error.code, details: error.details }] }
}
