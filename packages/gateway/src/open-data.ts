import type { Clock, Metrics, Secret } from '@tallystick/base'
import { graphqlSchemaOf, protocolSchema } from '@tallystick/subgraph'
import type { Logger } from 'pino'
import type { ChainSubgraph } from './chain-subgraph.ts'
import { createDataMetrics } from './data-metrics.ts'
import { createEmbeddedSubgraph } from './embedded/embedded-subgraph.ts'
import type { EmbeddedSubgraph } from './embedded/embedded-subgraphs.ts'
import { measureSubgraph } from './embedded/measure-subgraph.ts'
import { type AnalysedQuery, createAnalyse } from './query/analyse-query.ts'
import { createGateway, type Gateway } from './query-chains.ts'
import { addRemoteMetrics } from './remote/remote-metrics.ts'
import { createRemoteSubgraph, type DataSettings, type RemoteSubgraph } from './remote/remote-subgraph.ts'
import { startTimer } from './remote/start-timer.ts'
import { createEmbeddedSource, createRemoteSource } from './sources/source.ts'
import { addSourceMetrics } from './sources/source-metrics.ts'
import { createTwoSourceSubgraph, type TwoSourceSubgraph } from './sources/two-source-subgraph.ts'

export type OpenData = {
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

export type OpenDataParts = {
  readonly embedded: ReadonlyMap<number, EmbeddedSubgraph>
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
  readonly monotonicNow: () => number
}

/** Opens the gateway of `/data` to the embedded and remote subgraphs of all chains. */
export function openData(config: GatewaySettings, parts: OpenDataParts): OpenData {
  const now = () => parts.clock.now()
  const remote = config.chains.flatMap(({ id, subgraph }) => {
    if (!subgraph?.urls) return []
    const { urls, headers = {} } = subgraph
    return createRemoteSubgraph({ ...parts, chainId: id, urls, headers, settings: config.data, now })
  })
  addRemoteMetrics(parts.metrics, { subgraphs: remote, now })
  const { monotonicNow } = parts
  const embedded = new Map(
    [...parts.embedded].map(([id, index]) => [
      id,
      measureSubgraph(createEmbeddedSubgraph(id, { ...index, monotonicNow }), parts),
    ]),
  )
  const twoSource = joinSources(config, { ...parts, embedded, remote })
  addSourceMetrics(parts.metrics, twoSource)
  const single = [...embedded.values(), ...remote].map((subgraph) => [subgraph.chainId, subgraph] as const)
  const subgraphs = new Map<number, ChainSubgraph>([...single, ...twoSource])
  const { timeoutMs, cacheBytesMax } = config.data
  const metrics = createDataMetrics(parts.metrics)
  const analyse = createAnalyse(graphqlSchemaOf(protocolSchema))
  return {
    analyse,
    gateway: createGateway({ subgraphs, timeoutMs, cacheBytesMax, metrics, log: parts.log }),
    chainIds: [...subgraphs.keys()].sort((a, b) => a - b),
    remote,
    twoSource,
    close: () => Promise.all([...twoSource.values(), ...remote].map((subgraph) => subgraph.close())),
  }
}

/** Creates the subgraphs of the chains that have an embedded and a remote one. */
function joinSources(
  { chains, data: settings }: GatewaySettings,
  {
    embedded,
    remote,
    clock,
    ...parts
  }: Omit<OpenDataParts, 'embedded'> & {
    readonly embedded: ReadonlyMap<number, ChainSubgraph>
    readonly remote: readonly RemoteSubgraph[]
  },
): ReadonlyMap<number, TwoSourceSubgraph> {
  const joined = new Map<number, TwoSourceSubgraph>()
  for (const { id, subgraph } of chains) {
    const own = embedded.get(id)
    const other = remote.find(({ chainId }) => chainId === id)
    if (!own || !other) continue
    const log = parts.log.child({ chain: id })
    const sources = [
      createEmbeddedSource(own, { ...parts, ...settings, startTimer, log }),
      createRemoteSource(other),
    ] as const
    const [preferred, fallback] = subgraph?.prefer === 'urls' ? [sources[1], sources[0]] : sources
    const now = () => clock.now()
    joined.set(id, createTwoSourceSubgraph({ ...parts, preferred, fallback, settings, now, startTimer, log }))
  }
  return joined
}
