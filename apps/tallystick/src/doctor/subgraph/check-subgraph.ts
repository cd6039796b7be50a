import type { X509Certificate } from 'node:crypto'
import { createPoolReader } from '@tallystick/chain'
import type { ChainConfig, Config } from '@tallystick/service'
import { newestHead, type RpcHead } from '../chain/read-heads.ts'
import type { ServiceProbe } from '../find-service.ts'
import type { Findings } from '../findings.ts'
import { type Endpoint, querySubgraph } from './query-subgraph.ts'
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
    remote.map((endpoint) => queryEndpoint(findings, { ...context, ...endpoint, name: new URL(endpoint.url).host })),
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
  await queryEndpoint(findings, { ...context, ...embeddedEndpoint({ chain, listen, certificate }), name: 'service' })
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

/** Queries the head and the positions of an address, with the specification's query. */
async function queryEndpoint(
  findings: Findings,
  { name, chain, heads, config, nowSeconds, ...endpoint }: SubgraphCheckContext & Endpoint & { readonly name: string },
): Promise<void> {
  const result = await querySubgraph(endpoint)
  if ('problem' in result) return findings.fail(`${name}: ${result.step}`, `it ${result.problem}`, result.advice)
  const { number, timestamp } = result.head
  findings.ok(`${name}: query`, `the position query works, as of block ${number}`)
  if (result.hasIndexingErrors) {
    findings.fail(
      `${name}: index`,
      'it reports that its indexing failed',
      'Its data is no longer updated. Contact its operator.',
    )
  }
  const latest = newestHead(heads, chain.id)
  if (timestamp === undefined && !latest)
    return findings.skip(`${name}: lag`, 'it reports no block time, and no RPC answers')
  const behindSeconds = timestamp === undefined ? undefined : Number(latest?.timestamp ?? nowSeconds) - timestamp
  const behindBlocks = latest ? Number(latest.number) - number : undefined
  const lag = `${behindBlocks === undefined ? '' : `${Math.max(0, behindBlocks)} blocks`}${behindBlocks !== undefined && behindSeconds !== undefined ? ', ' : ''}${behindSeconds === undefined ? '' : `${Math.max(0, behindSeconds)} s`} behind ${latest ? 'the chain' : 'the clock'}`
  const isLate = behindSeconds !== undefined && behindSeconds > config.data.maxLagSeconds
  const advice = `The limit is ${config.data.maxLagSeconds} s (data.maxLagSeconds). Contact its operator, or add another URL.`
  if (isLate) findings.fail(`${name}: lag`, `it is ${lag}`, advice)
  else findings.ok(`${name}: lag`, `it is ${lag}`)
}
