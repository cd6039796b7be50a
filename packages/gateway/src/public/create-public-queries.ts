import type { Closers, MetricHelp, Metrics, Secret, Time } from '@tallystick/base'
import type { Database } from '@tallystick/database'
import type { Logger } from 'pino'
import { type EmbeddedSubgraph, type IndexedChain, namespaceOf } from '../embedded/start-embedded-subgraphs.ts'
import { createGate, type Gate } from '../gate.ts'
import type { AnswerPublic } from './public-answer.ts'
import { createQueryThread, unavailable } from './query-thread.ts'

/** Parts that answer queries without a key. */
export type PublicQueries = {
  /** By chain. */
  readonly subgraphs: ReadonlyMap<number, AnswerPublic>
  readonly gate: Gate
}

export const publicQueryMetricHelp: MetricHelp = {
  tallystick_public_queries_running: 'Running queries without a key.',
  tallystick_public_queries_waiting: 'Queued queries without a key.',
}

const waitingMax = 200

type PublicQueriesParts = {
  readonly database: Pick<Database, 'engine' | 'openPort'>
  /** Connections to PostgreSQL for statements. */
  readonly connectionsMax: number
  readonly embedded: ReadonlyMap<number, Pick<EmbeddedSubgraph, 'subgraph'>>
  readonly metrics: Metrics
  readonly closers: Pick<Closers, 'push'>
  readonly log: Logger
  readonly time: Time
}

/**
 * Isolates public queries from all other work, in their own thread, on PostgreSQL with their own connections. The embedded
 * database runs one statement or transaction at a time, so one public query runs at a time and the others wait here.
 */
export function createPublicQueries(
  { chains, database: url }: { readonly chains: readonly IndexedChain[]; readonly database: Secret },
  { database, connectionsMax, embedded, metrics, closers, log, time }: PublicQueriesParts,
): PublicQueries {
  const runningMax = database.engine === 'pglite' ? 1 : connectionsMax
  const refuse = (waiting: number) =>
    unavailable(`${waiting} queries are already waiting for this subgraph. Try again in 1 s.`)
  const gate = createGate({ runningMax, waitingMax, refuse })
  metrics.gauge('tallystick_public_queries_running', () => [{ value: gate.running }])
  metrics.gauge('tallystick_public_queries_waiting', () => [{ value: gate.waiting }])
  const indexed = chains.filter(({ id }) => embedded.has(id))
  const namespaces = new Map(indexed.map((chain) => [chain.id, namespaceOf(chain)]))
  const findDatabase = async () => (await database.openPort?.()) ?? url.reveal()
  const thread = createQueryThread({ findDatabase, connectionsMax, namespaces, log, time })
  closers.push('public queries', thread.close)
  return {
    subgraphs: new Map(indexed.map(({ id }) => [id, (...asked) => thread.answer(id, ...asked)])),
    gate,
  }
}
