import { decodeCount, decodeList, decodeMember, decodeString, type Place, refuse } from '../decode/decode.ts'
import type { Connection } from '../http/connection.ts'
import { requestJson } from '../http/request-json.ts'
import { sampleServerTime } from '../server-time.ts'
import { type DocumentLike, printDocument } from './print-document.ts'

/** Reason why a chain has no data or only part of it. */
export type ChainError = {
  readonly message: string
  /** `query_rejected`, `upstream_failed` or `upstream_timeout` (docs/errors.md); undefined if none was sent. */
  readonly code: string | undefined
  readonly details?: Readonly<Record<string, unknown>> | undefined
}

/** Result of one chain: data, or errors. With data, `errors` are partial failures that the subgraph reports. */
export type ChainResult<Data> = {
  readonly chain: number
  /** Block of the data and its lag behind the clock, if the service sends them. */
  readonly block?: number | undefined
  readonly lagSeconds?: number | undefined
  /** Kind of subgraph that answered, if the service sends it. On a chain with both, `block` may decrease when it changes. */
  readonly source?: 'embedded' | 'remote' | undefined
  /** True while the index has errors: its data may be incomplete, and is repaired. */
  readonly hasErrors?: true | undefined
} & (
  | { readonly data: Data; readonly errors?: readonly ChainError[] | undefined }
  | { readonly data: null; readonly errors: readonly ChainError[] }
)

/** Query, variables and chains. `variables` is optional if the query requires none. */
export type DataRequest<Result, Variables> = {
  readonly query: string | TypedDocument<Result, Variables>
  /** The client's chains by default. */
  readonly chains?: readonly number[] | undefined
  /** Operation to run if the document contains several. */
  readonly operationName?: string | undefined
  readonly signal?: AbortSignal | undefined
} & (Record<never, never> extends Variables
  ? { readonly variables?: Variables | undefined }
  : { readonly variables: Variables })

export type QueryOptions = {
  readonly query: string | TypedDocument<unknown, never>
  readonly variables?: Readonly<Record<string, unknown>> | undefined
  readonly chains: readonly number[]
  readonly operationName?: string | undefined
  readonly signal?: AbortSignal | undefined
}

export type QueriedData = {
  readonly results: readonly ChainResult<unknown>[]
  /** Service's time of the response, Unix seconds. */
  readonly serverTime: bigint
}

/** Requests `POST /data`. Returns one result per chain, in order. Throws only if no chain has data. */
export async function queryData(
  connection: Connection,
  { query, variables, chains, operationName, signal }: QueryOptions,
): Promise<QueriedData> {
  const body = {
    query: textOf(query),
    variables: { ...variables, chains },
    ...(operationName !== undefined && { operationName }),
  }
  const { json, ...received } = await requestJson(connection, { path: '/data', body, signal })
  const heads = parseHeads(received.headers.get('x-tallystick-chains'))
  const answered: Place = { value: json, path: 'POST /data: body' }
  const results = decodeList(answered, (place) => decodeChainResult(place, heads))
  if (results.length !== chains.length || results.some(({ chain }, index) => chain !== chains[index])) {
    refuse(answered, `one result for each of the chains ${chains.join(', ')}, in that order`)
  }
  return { results, serverTime: BigInt(Math.floor(sampleServerTime(received).earliest / 1000)) }
}

type Head = Pick<ChainResult<unknown>, 'block' | 'lagSeconds' | 'source' | 'hasErrors'>

function decodeChainResult(place: Place, heads: ReadonlyMap<number, Head>): ChainResult<unknown> {
  const chain = decodeCount(decodeMember(place, 'chain'))
  const head = heads.get(chain)
  const data = decodeMember(place, 'data')
  const errorList = decodeMember(place, 'errors')
  const errors = errorList.value === undefined ? undefined : decodeList(errorList, decodeChainError)
  if (data.value === null) {
    return { chain, ...head, data: null, errors: errors?.length ? errors : refuse(errorList, 'a list of errors') }
  }
  if (typeof data.value !== 'object' || Array.isArray(data.value)) refuse(data, 'an object')
  return { chain, ...head, data: data.value, ...(errors && { errors }) }
}

function decodeChainError(place: Place): ChainError {
  const code = decodeMember(place, 'code')
  const details = decodeMember(place, 'details').value
  return {
    message: decodeString(decodeMember(place, 'message')),
    code: code.value === undefined ? undefined : decodeString(code),
    ...(typeof details === 'object' && details !== null && { details: details as Readonly<Record<string, unknown>> }),
  }
}

/**
 * Parses `324;block=123;lag=4;source=remote, 1;block=5;lag=0`. Unknown parameters and invalid parts are ignored: the header
 * is only informative.
 */
function parseHeads(header: string | null): ReadonlyMap<number, Head> {
  const heads = (header ?? '').split(',').map((part): readonly [number, Head] => {
    const [chain, ...parameters] = part.trim().split(';')
    const parameterOf = (name: string) =>
      parameters.find((parameter) => parameter.trim().startsWith(`${name}=`))?.split('=')[1]
    const numberOf = (name: string) => {
      const text = parameterOf(name)
      return text && /^\d{1,15}$/.test(text) ? Number(text) : undefined
    }
    const source = (['embedded', 'remote'] as const).find((kind) => kind === parameterOf('source'))
    const hasErrors = parameterOf('errors') === '1' || undefined
    return [Number(chain), { block: numberOf('block'), lagSeconds: numberOf('lag'), source, hasErrors }]
  })
  return new Map(heads)
}

/** Type marker of code generators for the result and the variables of a document. */
export type DocumentTypes<Result, Variables> = {
  readonly __apiType?: ((variables: Variables) => Result) | undefined
}

/**
 * Document with the types of its result and its variables: a `TypedDocumentNode` or codegen's `TypedDocumentString`.
 */
export type TypedDocument<Result, Variables> = DocumentTypes<Result, Variables> &
  (DocumentLike | { readonly length: number; toString(): string })

/** Returns the text of a query. */
function textOf(query: string | TypedDocument<unknown, never>): string {
  return typeof query === 'object' && 'kind' in query ? printDocument(query) : query.toString()
}
