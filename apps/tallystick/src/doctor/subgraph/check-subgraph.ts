import type { X509Certificate } from 'node:crypto'
import { countOf } from '@tallystick/base/pure'
import { createPoolReader, findJson } from '@tallystick/chain'
import { positionQuery } from '@tallystick/core'
import type { ChainConfig, Config } from '@tallystick/service'
import { newestHead, type RpcHead } from '../chain/read-heads.ts'
import type { ServiceProbe } from '../find-service.ts'
import type { Findings } from '../findings.ts'
import { type Endpoint, postQuery, type QueryOptions } from './post-query.ts'
import { embeddedEndpoint, listRemoteEndpoints } from './subgraph-endpoints.ts'

export type SubgraphCheckContext = {
  readonly chain: ChainConfig
  readonly config: Pick<Config, 'listen' | 'data'>
  readonly service: ServiceProbe
  readonly heads: readonly RpcHead[]
  /** The service's certificate; undefined behind a proxy. */
  readonly certificate: X509Certificate | undefined
  readonly nowSeconds: bigint
}

/** Checks a chain's subgraph: the embedded index, and every URL of a remote one. */
export async function checkSubgraph(findings: Findings, context: SubgraphCheckContext): Promise<void> {
  const { subgraph } = context.chain
  if (!subgraph) return findings.skip('subgraph', 'no subgraph is configured: the chain has no data')
  if (subgraph.embedded) await checkEmbedded(findings, context)
  const remote = listRemoteEndpoints(context.chain)
  await Promise.all(
    remote.map((endpoint) => queryEndpoint(findings, { name: new URL(endpoint.url).host, endpoint, context })),
  )
}

async function checkEmbedded(findings: Findings, context: SubgraphCheckContext): Promise<void> {
  const { service, chain, config, certificate } = context
  await checkPositions(findings, context)
  if (service.state !== 'running') return findings.skip('index', 'no service runs: the index is not updated')
  const readiness = await service.readReadiness()
  const own = readiness.findings.find(({ subject }) => subject === `subgraph of chain ${chain.id}`)
  if (!own) findings.fail('index', 'the running service has no such subgraph', 'Restart it with this configuration.')
  else if (own.severity === 'ok') findings.ok('index', own.message)
  else findings.fail('index', own.message, 'Fix the cause. The service retries automatically.')
  const { listen } = config
  if (listen.port === 0) return findings.skip('query', 'listen.port is 0: the service’s port is unknown')
  if (!listen.tls) return findings.skip('query', 'the service answers only its proxy: query it through the proxy')
  const endpoint = embeddedEndpoint({ chain, listen, certificate })
  await queryEndpoint(findings, { name: 'service', endpoint, context })
}

async function checkPositions(findings: Findings, { chain, heads }: SubgraphCheckContext): Promise<void> {
  const positions = chain.subgraph?.embedded?.positions
  if (!positions || !newestHead(heads, chain.id)) return findings.skip('positions', 'no RPC of this chain answers')
  const reader = createPoolReader({ chainId: chain.id, rpcUrls: chain.rpc, pool: chain.domain.verifyingContract })
  try {
    if (await reader.hasCode(positions)) findings.ok('positions', `there is a contract at ${positions}`)
    else {
      const found = `there is no contract at ${positions}: no position is indexed`
      findings.fail('positions', found, 'Correct chains[].subgraph.embedded.positions.')
    }
  } finally {
    reader.close()
  }
}

type QueriedEndpoint = {
  readonly name: string
  readonly endpoint: Endpoint
  readonly context: SubgraphCheckContext
}

/** Queries the head and the positions of an address, with the specification's query. */
async function queryEndpoint(findings: Findings, { name, endpoint, context }: QueriedEndpoint): Promise<void> {
  const { chain, heads, config, nowSeconds } = context
  const result = await querySubgraph(endpoint)
  if ('problem' in result) return findings.fail(`${name}: ${result.step}`, `it ${result.problem}`, result.advice)
  const { number, timestamp } = result.head
  findings.ok(`${name}: query`, `the position query works, as of block ${number}`)
  if (result.hasIndexingErrors) {
    const advice = 'Its data is no longer updated. Contact its operator.'
    findings.fail(`${name}: index`, 'it reports that its indexing failed', advice)
  }
  const latest = newestHead(heads, chain.id)
  if (timestamp === undefined && !latest)
    return findings.skip(`${name}: lag`, 'it reports no block time, and no RPC answers')
  const behindSeconds = timestamp === undefined ? undefined : Number(latest?.timestamp ?? nowSeconds) - timestamp
  const behindBlocks = latest ? Number(latest.number) - number : undefined
  const lag = `${behindBlocks === undefined ? '' : countOf(Math.max(0, behindBlocks), 'block')}${behindBlocks !== undefined && behindSeconds !== undefined ? ', ' : ''}${behindSeconds === undefined ? '' : `${Math.max(0, behindSeconds)} s`} behind ${latest ? 'the chain' : 'the clock'}`
  const isLate = behindSeconds !== undefined && behindSeconds > config.data.maxLagSeconds
  const advice = `The limit is ${config.data.maxLagSeconds} s (data.maxLagSeconds). Contact its operator, or add another URL.`
  if (isLate) findings.fail(`${name}: lag`, `it is ${lag}`, advice)
  else findings.ok(`${name}: lag`, `it is ${lag}`)
}

type SubgraphState =
  | {
      readonly head: { readonly number: number; readonly timestamp: number | undefined }
      readonly hasIndexingErrors: boolean
    }
  | { readonly step: 'reachable' | 'query'; readonly problem: string; readonly advice: string }

const metaQuery = '{ _meta { block { number hash timestamp } hasIndexingErrors } }'
// Older versions of graph-node have no block time.
const metaQueryWithoutTime = '{ _meta { block { number hash } hasIndexingErrors } }'
/** Queries a subgraph's head, and the positions of an empty wallet with the specification's query. */
async function querySubgraph(endpoint: Endpoint): Promise<SubgraphState> {
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
  const { status, contentType, text } = await postQuery(endpoint, { body })
  const answer = findJson(text) as GraphqlResponse | null | undefined
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
