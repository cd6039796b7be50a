import { parseJson, positionQuery } from '@tallystick/core'
import { postQuery, type QueryOptions } from './post-query.ts'

export type Endpoint = Pick<QueryOptions, 'url' | 'headers' | 'fingerprint256'>

export type SubgraphState =
  | {
      readonly head: { readonly number: number; readonly timestamp: number | undefined }
      readonly hasIndexingErrors: boolean
    }
  | { readonly step: 'reachable' | 'query'; readonly problem: string; readonly advice: string }

const metaQuery = '{ _meta { block { number hash timestamp } hasIndexingErrors } }'
// Older versions of graph-node have no block time.
const metaQueryWithoutTime = '{ _meta { block { number hash } hasIndexingErrors } }'
/** Queries a subgraph's head, and the positions of an empty wallet with the specification's query. */
export async function querySubgraph(endpoint: Endpoint): Promise<SubgraphState> {
  try {
    const meta = await readMeta(endpoint)
    const variables = { walletAddress: `0x${'00'.repeat(20)}` }
    const { positionInfos } = await query(endpoint, { query: positionQuery, variables })
    if (!Array.isArray(positionInfos)) throw new QueryError('answered the position query without positionInfos')
    return meta
  } catch (error) {
    if (error instanceof QueryError) return { step: 'query', problem: error.message, advice: error.advice }
    return {
      step: 'reachable',
      problem: (error as Error).message,
      advice: 'Check that it runs and that its URL in chains[].subgraph is correct.',
    }
  }
}

async function readMeta(endpoint: Endpoint): Promise<Extract<SubgraphState, { readonly head: unknown }>> {
  const { _meta: meta } = await query(endpoint, { query: metaQuery }).catch((error) => {
    if (error instanceof QueryError && /timestamp/.test(error.message)) {
      return query(endpoint, { query: metaQueryWithoutTime })
    }
    throw error
  })
  const { block, hasIndexingErrors } = (meta ?? {}) as {
    readonly block?: { readonly number?: unknown; readonly timestamp?: unknown }
    readonly hasIndexingErrors?: unknown
  }
  if (typeof block?.number !== 'number') throw new QueryError('answered without a block. Is it a subgraph?')
  const timestamp = block.timestamp === null || block.timestamp === undefined ? undefined : Number(block.timestamp)
  return { head: { number: block.number, timestamp }, hasIndexingErrors: hasIndexingErrors === true }
}

async function query(endpoint: Endpoint, body: QueryOptions['body']): Promise<Readonly<Record<string, unknown>>> {
  const { status, contentType, text } = await postQuery({ ...endpoint, body })
  const answer = parse(text)
  const [first] = answer?.errors ?? []
  if (first) throw new QueryError(`answers "${String(first.message).slice(0, 200)}"`, adviseOn(String(first.message)))
  if (status !== 200) throw new QueryError(`answers with status ${status} (${contentType})`, adviseOnStatus(status))
  if (!answer?.data) throw new QueryError(`answers with ${contentType}, not with a GraphQL response`)
  return answer.data
}

type GraphqlResponse = {
  readonly data?: Readonly<Record<string, unknown>> | null
  readonly errors?: readonly { readonly message?: unknown }[]
}

function parse(text: string): GraphqlResponse | undefined {
  try {
    const value: unknown = parseJson(text)
    return typeof value === 'object' && value !== null ? (value as GraphqlResponse) : undefined
  } catch {
    return undefined
  }
}

/** Matches the messages of The Graph's gateway, which has no error codes. */
function adviseOn(message: string): string {
  if (/^auth error|api key|unauthori[sz]ed|payment/i.test(message)) return 'Correct chains[].subgraph.headers.'
  if (/not found|deployment .*does not exist/i.test(message)) return 'Correct the URL in chains[].subgraph.urls.'
  if (/^(no|bad) indexers/i.test(message)) return 'No indexer serves it reliably at the moment. Add another URL.'
  return 'Is it this protocol’s subgraph, in this version? Its schema is in packages/subgraph/src/protocol/schema.graphql.'
}

function adviseOnStatus(status: number): string {
  if (status === 401 || status === 403) return 'Correct chains[].subgraph.headers.'
  if (status === 404) return 'Correct the URL in chains[].subgraph.urls.'
  return 'Check its operator’s status page, or add another URL.'
}

/** Thrown if a subgraph answers, but not with the requested data. */
class QueryError extends Error {
  override readonly name = 'QueryError' as const
  readonly advice: string

  constructor(message: string, advice = 'Correct the URL in chains[].subgraph.urls: is it a GraphQL endpoint?') {
    super(message)
    this.advice = advice
  }
}
