import {
  createAskIndex,
  createDataSources,
  createFindMaturePositions,
  createPublicQueries,
  createReadIndexedPool,
  type EmbeddedSubgraph,
} from '@tallystick/gateway'
import { connectionsMax } from './database/service-database.ts'
import type { IndexToAsk } from './rate/read-floating-income.ts'
import type { ServiceContext } from './service-context.ts'

/** The subgraphs of all chains, as callers and the service itself query them. */
export type GatewayParts = ReturnType<typeof createGatewayParts>

/** Creates the gateway to the embedded and remote subgraphs. */
export function createGatewayParts(
  { config, database, time, metrics, log, closers }: ServiceContext,
  embedded: ReadonlyMap<number, EmbeddedSubgraph>,
) {
  const data = createDataSources(config, { embedded, time, log, metrics })
  closers.push('remote subgraphs', data.close)
  /** Queries without a key. */
  const queries = createPublicQueries(config, {
    database,
    connectionsMax: connectionsMax.publicQueries,
    embedded,
    metrics,
    closers,
    log,
    time,
  })
  /** Queries of the service itself, to the chains in `chainIds`. */
  const index: IndexToAsk = { ask: createAskIndex(data), chainIds: data.chainIds }
  const readIndexedPool = createReadIndexedPool(config.chains, index)
  return { data, queries, index, readIndexedPool, findMature: createFindMaturePositions(index) }
}
