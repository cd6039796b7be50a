import type { Database } from '@tallystick/database'
import { graphqlSchemaOf, protocolSchema } from '@tallystick/subgraph'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Metrics } from '../metrics.ts'
import { type EmbeddedSubgraph, namespaceOf } from './embedded-subgraphs.ts'
import { type AnswerPublic, createPublicAnswer } from './public-answer.ts'
import { createQueryGate, type QueryGate } from './query-gate.ts'
import { createQueryThread } from './query-thread.ts'
import { addPublicQueryMetrics } from './subgraph-metrics.ts'

/** What answers the queries that need no key. */
export type PublicQueries = {
  /** By chain. */
  readonly subgraphs: ReadonlyMap<number, AnswerPublic>
  readonly gate: QueryGate
}

// A query has a connection as long as it runs, and these are all that public ones ever have.
const connectionsMax = 4
const waitingMax = 200

/**
 * Public queries apart from all else. On PostgreSQL they have a thread and connections of their own. The embedded database
 * is one connection in this very thread, so there one of them runs at a time, and the others wait here, not in its queue.
 */
export function openPublicQueries(
  { chains, database: url }: Pick<Config, 'chains' | 'database'>,
  {
    database,
    embedded,
    metrics,
    closers,
    ...threadParts
  }: {
    readonly database: Pick<Database, 'engine'>
    readonly embedded: ReadonlyMap<number, Pick<EmbeddedSubgraph, 'subgraph'>>
    readonly metrics: Metrics
    readonly closers: (() => unknown)[]
    readonly log: Logger
    readonly monotonicNow: () => number
  },
): PublicQueries {
  const gate = createQueryGate({ runningMax: database.engine === 'pglite' ? 1 : connectionsMax, waitingMax })
  addPublicQueryMetrics(metrics, gate)
  if (database.engine === 'pglite') {
    const schema = graphqlSchemaOf(protocolSchema)
    return {
      subgraphs: new Map([...embedded].map(([id, { subgraph }]) => [id, createPublicAnswer(subgraph, schema)])),
      gate,
    }
  }
  const indexed = chains.filter(({ id }) => embedded.has(id))
  const namespaces = new Map(indexed.map((chain) => [chain.id, namespaceOf(chain)]))
  const thread = createQueryThread({ databaseUrl: url.reveal(), connectionsMax, namespaces, ...threadParts })
  closers.push(thread.close)
  return {
    subgraphs: new Map(indexed.map(({ id }) => [id, (...asked) => thread.answer(id, ...asked)])),
    gate,
  }
}
