import { graphqlSchemaOf, protocolSchema } from '@tallystick/subgraph'
import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Metrics } from '../metrics.ts'
import { createAnalyse } from './analyse-query.ts'
import type { ChainSubgraph } from './chain-subgraph.ts'
import { createDataMetrics } from './data-metrics.ts'
import type { DataParts } from './data-route.ts'
import { createEmbeddedSubgraph } from './embedded-subgraph.ts'
import type { EmbeddedSubgraph } from './embedded-subgraphs.ts'
import { createKnownRequests } from './known-requests.ts'
import { measureSubgraph } from './measure-subgraph.ts'
import { createAnalysePersisted } from './persisted-queries.ts'
import { createGateway } from './query-chains.ts'
import { addRemoteMetrics } from './remote/remote-metrics.ts'
import { createRemoteSubgraph, type RemoteSubgraph } from './remote-subgraph.ts'

export type OpenData = DataParts & {
  readonly remote: readonly RemoteSubgraph[]
  close(): Promise<unknown>
}

/** Opens the gateway of `/data` to the embedded and remote subgraphs of all chains. */
export function openData(
  config: Pick<Config, 'chains' | 'data'>,
  {
    embedded,
    clock,
    ...parts
  }: {
    readonly embedded: ReadonlyMap<number, EmbeddedSubgraph>
    readonly clock: Clock
    readonly log: Logger
    readonly metrics: Metrics
    readonly monotonicNow: () => number
  },
): OpenData {
  const now = () => clock.now()
  const remote = config.chains.flatMap(({ id, subgraph }) => {
    if (!subgraph?.urls) return []
    const { urls, headers = {} } = subgraph
    return createRemoteSubgraph({ chainId: id, urls, headers, settings: config.data, now, ...parts })
  })
  addRemoteMetrics(parts.metrics, { subgraphs: remote, now })
  const subgraphs = new Map<number, ChainSubgraph>([
    ...[...embedded].map(([id, { subgraph, follower }]) => {
      return [id, measureSubgraph(createEmbeddedSubgraph(id, { subgraph, follower }), parts)] as const
    }),
    ...remote.map((subgraph) => [subgraph.chainId, subgraph] as const),
  ])
  const { timeoutMs, cacheBytesMax } = config.data
  const metrics = createDataMetrics(parts.metrics)
  const analyse = createAnalyse(graphqlSchemaOf(protocolSchema))
  return {
    analyse,
    analysePersisted: createAnalysePersisted(analyse),
    gateway: createGateway({ subgraphs, timeoutMs, cacheBytesMax, metrics, log: parts.log }),
    chainIds: [...subgraphs.keys()].sort((a, b) => a - b),
    knownRequests: createKnownRequests(),
    remote,
    close: () => Promise.all(remote.map((subgraph) => subgraph.close())),
  }
}
