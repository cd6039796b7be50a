import {
  createAskIndex,
  createDataSources,
  createFindMaturePositions,
  createPublicQueries,
  createReadIndexedPool,
  type DataSources,
  type EmbeddedSubgraph,
  type PublicQueries,
} from '@tallystick/gateway'
import type { ReadIndexedPool } from '@tallystick/issuer'
import { connectionsMax } from './database/service-database.ts'
import type { IndexToAsk } from './rate/read-floating-income.ts'
import type { ServiceContext } from './service-context.ts'

/** The subgraphs of all chains, as callers and the service itself query them. */
export type GatewayParts = {
  readonly data: DataSources
  /** Queries without a key. */
  readonly queries: PublicQueries
  /** Queries of the service itself, to the chains in `chainIds`. */
  readonly index: IndexToAsk
  readonly readIndexedPool: ReadIndexedPool
  readonly findMature: ReturnType<typeof createFindMaturePositions>
}

/** Creates the gateway to the embedded and remote subgraphs. */
export function createGatewayParts(
  { config, database, time, metrics, log, closers }: ServiceContext,
  embedded: ReadonlyMap<number, EmbeddedSubgraph>,
): GatewayParts {
  const data = createDataSources(config, { embedded, time, log, metrics })
  closers.push('remote subgraphs', data.close)
  const queries = createPublicQueries(config, {
    database,
    connectionsMax: connectionsMax.publicQueries,
    embedded,
    metrics,
    closers,
    log,
    monotonicNow: time.monotonic,
  })
  const index = { ask: createAskIndex(data), chainIds: data.chainIds }
  const readIndexedPool = createReadIndexedPool(config.chains, index)
  return { data, queries, index, readIndexedPool, findMature: createFindMaturePositions(index) }
}
