import type { Metrics, Secret, Time } from '@tallystick/base'
import { graphqlSchemaOf, protocolSchema } from '@tallystick/subgraph'
import type { Logger } from 'pino'
import type { ChainSubgraph } from './chain-subgraph.ts'
import { createEmbeddedSubgraph, measureSubgraph } from './embedded/embedded-subgraph.ts'
import type { EmbeddedSubgraph } from './embedded/start-embedded-subgraphs.ts'
import { type AnalysedQuery, createAnalyse } from './query/analyse-query.ts'
import { createGateway, type Gateway } from './query-chains.ts'
import { addRemoteMetrics } from './remote/remote-metrics.ts'
import { createRemoteSubgraph, type RemoteSubgraph } from './remote/remote-subgraph.ts'
import type { DataSettings } from './remote/upstream.ts'
import { createEmbeddedSource, createRemoteSource } from './sources/source.ts'
import { addSourceMetrics, createTwoSourceSubgraph, type TwoSourceSubgraph } from './sources/two-source-subgraph.ts'

export type DataSources = {
  readonly analyse: (text: string) => AnalysedQuery
  readonly gateway: Gateway
  /** Chains that have a subgraph. */
  readonly chainIds: readonly number[]
  readonly remote: readonly RemoteSubgraph[]
  /** Chains with two sources. */
  readonly twoSource: ReadonlyMap<number, TwoSourceSubgraph>
  close(): Promise<unknown>
}

/** Sources of each chain. A chain without any is not queried. */
export type GatewaySettings = {
  readonly chains: readonly { readonly id: number; readonly subgraph?: SourceSettings | undefined }[]
  readonly data: DataSettings & { readonly cacheBytesMax: number }
}

type SourceSettings = {
  readonly urls?: readonly string[] | undefined
  readonly headers?: Readonly<Record<string, Secret>> | undefined
  readonly prefer?: 'embedded' | 'urls' | undefined
}

export type DataSourcesParts = {
  readonly embedded: ReadonlyMap<number, EmbeddedSubgraph>
  readonly time: Time
  readonly log: Logger
  readonly metrics: Metrics
}

/** Creates the gateway of `/data` over the embedded and remote subgraphs of all chains. */
export function createDataSources({ chains, data }: GatewaySettings, parts: DataSourcesParts): DataSources {
  const { time, log, metrics } = parts
  const remote = chains.flatMap(({ id, subgraph }) => {
    if (!subgraph?.urls) return []
    const { urls, headers = {} } = subgraph
    return createRemoteSubgraph({ chainId: id, urls, headers, settings: data, time, log, metrics })
  })
  addRemoteMetrics(metrics, { subgraphs: remote, time })
  const embedded = [...parts.embedded].map(([id, { subgraph, follower }]) =>
    measureSubgraph(createEmbeddedSubgraph(id, { subgraph, follower, time }), { metrics, log, time }),
  )
  const twoSource = joinSources({ chains, data }, { embedded, remote, parts })
  addSourceMetrics(metrics, twoSource)
  const single = [...embedded, ...remote].map((subgraph) => [subgraph.chainId, subgraph] as const)
  const subgraphs = new Map<number, ChainSubgraph>([...single, ...twoSource])
  const { timeoutMs, cacheBytesMax } = data
  return {
    analyse: createAnalyse(graphqlSchemaOf(protocolSchema)),
    gateway: createGateway({ subgraphs, timeoutMs, cacheBytesMax, metrics, log }),
    chainIds: [...subgraphs.keys()].sort((a, b) => a - b),
    remote,
    twoSource,
    close: () => Promise.all([...twoSource.values(), ...remote].map((subgraph) => subgraph.close())),
  }
}

type JoinedParts = {
  readonly embedded: readonly ChainSubgraph[]
  readonly remote: readonly RemoteSubgraph[]
  readonly parts: DataSourcesParts
}

/** Creates the subgraphs of the chains that have an embedded and a remote one. */
function joinSources(
  { chains, data: settings }: GatewaySettings,
  { embedded, remote, parts: { time, log: commonLog, metrics } }: JoinedParts,
): ReadonlyMap<number, TwoSourceSubgraph> {
  const joined = new Map<number, TwoSourceSubgraph>()
  for (const { id, subgraph } of chains) {
    const own = embedded.find(({ chainId }) => chainId === id)
    const other = remote.find(({ chainId }) => chainId === id)
    if (!own || !other) continue
    const log = commonLog.child({ chain: id })
    const { timeoutMs } = settings
    const embeddedSource = createEmbeddedSource(own, { timeoutMs, time, log })
    const remoteSource = createRemoteSource(other)
    const isRemotePreferred = subgraph?.prefer === 'urls'
    const preferred = isRemotePreferred ? remoteSource : embeddedSource
    const fallback = isRemotePreferred ? embeddedSource : remoteSource
    joined.set(id, createTwoSourceSubgraph({ preferred, fallback, settings, time, log, metrics }))
  }
  return joined
}
