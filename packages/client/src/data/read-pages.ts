import { ClientError } from '../client-error.ts'
import { decodeList, decodeMember, type Place, refuse } from '../decode/decode.ts'
import type { Connection } from '../http/connection.ts'
import { type ChainError, type ChainResult, type QueriedData, queryData } from './query-data.ts'

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

type PagesOptions<Row> = {
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
function pageQuery(list: PageQuery, { isAtBlock }: { readonly isAtBlock: boolean }): string {
  const { operation, variables } = list
  return isAtBlock
    ? `query ${operation}(${variables}, $block: Int!) {\n  ${selectPage(list, '\n    block: { number: $block }')}\n}`
    : `query ${operation}(${variables}) {\n  ${selectPage(list)}\n}`
}

/** Decodes the rows of a page and checks their order. */
function decodePage<Row>(
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

/** Reads the pages after the first answer. Returns all rows of a chain, or the errors if a page fails. */
export async function readRows<Row>(
  connection: Connection,
  { list, variables, signal, first }: PagesOptions<Row> & { readonly first: FirstAnswer },
): Promise<ChainRead<readonly Row[]>> {
  const { chain, block } = first
  let page = decodePage(list, { data: first.data, below: list.aboveAll })
  const rows = [...page]
  const query = pageQuery(list, { isAtBlock: block !== undefined })
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
  return { value: rows }
}

/** Converts the error of a request for one chain to errors of that chain. */
function toChainErrors(error: unknown): { readonly data: null; readonly errors: readonly ChainError[] } {
  if (!(error instanceof ClientError)) throw error
  return { data: null, errors: [{ message: error.message, code: error.code, details: error.details }] }
}

/** Value read from one chain, or why it is not available. */
export type ChainRead<Value> =
  | { readonly value: Value; readonly errors?: undefined }
  | { readonly value?: undefined; readonly errors: readonly ChainError[] }

/** Chain that was read, and whether its index is incomplete. */
type ReadChain = Pick<ChainResult<unknown>, 'chain' | 'hasErrors'>

/** First answer of one chain. The rest is read at its `block`, if the service states one, otherwise at the head. */
type FirstAnswer = {
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
  { list, variables, signal, chains }: PagesOptions<Row> & { readonly chains: readonly number[] },
): Promise<readonly (ReadChain & ChainRead<readonly Row[]>)[]> {
  const query = pageQuery(list, { isAtBlock: false })
  const firstVariables = { ...variables, below: list.encodeCursor(list.aboveAll) }
  return readChains({
    chains,
    readFirst: (asked) => queryData(connection, { query, variables: firstVariables, chains: asked, signal }),
    readRest: (first) => readRows(connection, { list, variables, signal, first }),
  })
}
