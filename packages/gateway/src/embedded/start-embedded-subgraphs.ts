import {
  type Closers,
  createLogThrottle,
  type MetricHelp,
  type Metrics,
  type Secret,
  type Time,
} from '@tallystick/base'
import type { ChainIdentity } from '@tallystick/chain'
import { type Database, openDatabase } from '@tallystick/database'
import {
  type Follower,
  type FollowerStatus,
  openProtocolMapping,
  openSubgraph,
  protocolSchema,
  type Subgraph,
  schemaIdOf,
  startFollower,
} from '@tallystick/subgraph'
import type { Logger } from 'pino'
import type { Address } from 'viem'

/** Index of one chain and the follower that keeps it up to date. */
export type EmbeddedSubgraph = { readonly subgraph: Subgraph; readonly follower: Follower }

/** Chain that may have an embedded subgraph. */
export type IndexedChain = {
  readonly id: number
  readonly domain: { readonly verifyingContract: Address }
  readonly rpc: readonly string[]
  /** A reorg of more blocks is not followed. */
  readonly maxReorgDepth: number
  readonly subgraph?:
    | { readonly embedded?: { readonly positions: Address; readonly startBlock: number } | undefined }
    | undefined
}

type EmbeddedParts = {
  readonly database: Database
  /** Connections to PostgreSQL for statements. */
  readonly connectionsMax: number
  readonly closers: Pick<Closers, 'push'>
  readonly log: Logger
  readonly time: Time
  readonly identities: ReadonlyMap<number, ChainIdentity>
}

/** Opens the index of every chain that has an embedded subgraph, and starts to follow those chains. */
export async function startEmbeddedSubgraphs(
  config: { readonly chains: readonly IndexedChain[]; readonly database: Secret },
  parts: EmbeddedParts,
): Promise<ReadonlyMap<number, EmbeddedSubgraph>> {
  const { log, time, identities, closers } = parts
  const chains = config.chains.filter(({ subgraph }) => subgraph?.embedded)
  const database = chains.length > 0 ? await openIndexDatabase(config.database, parts) : parts.database
  const started = new Map<number, EmbeddedSubgraph>()
  closers.push('followers', () => Promise.all([...started.values()].map(({ follower }) => follower.stop())))
  for (const { id, rpc, subgraph: settings, domain, maxReorgDepth } of chains) {
    if (!settings?.embedded) continue
    const { positions, startBlock } = settings.embedded
    const pool = domain.verifyingContract
    const namespace = namespaceOf({ id, domain })
    const chainLog = log.child({ chain: id })
    const throttle = createLogThrottle({ time })
    const subgraph = await openSubgraph({
      database,
      schema: protocolSchema,
      namespace,
      onInternalError: (error) => {
        const logged = throttle(error instanceof Error ? error.message : String(error))
        if (logged) chainLog.error({ err: error, ...logged }, 'embedded subgraph query failed')
      },
    })
    const follower = startFollower({
      subgraph,
      database,
      name: namespace,
      chainId: id,
      urls: rpc,
      mapping: openProtocolMapping({ pool, positions }),
      startBlock,
      maxReorgDepth,
      identity: identities.get(id),
      log: chainLog,
      time,
    })
    started.set(id, { subgraph, follower })
  }
  return started
}

/**
 * Returns the namespace of an index. Each pool has its own, and a release with another schema indexes into a new one, so
 * that replicas of the old release work until they are stopped.
 */
export function namespaceOf({ id, domain }: Pick<IndexedChain, 'id' | 'domain'>): string {
  const pool = domain.verifyingContract.slice(2, 10).toLowerCase()
  return `chain_${id}_${pool}_${schemaIdOf(protocolSchema)}`
}

/**
 * Opens the database of the embedded subgraphs. It is the service's database, on PostgreSQL with separate connections, so
 * that keys, notes and readiness never wait for a connection that a query holds.
 */
async function openIndexDatabase(url: Secret, { database, connectionsMax, closers }: EmbeddedParts): Promise<Database> {
  if (database.engine === 'pglite') return database
  const opened = await openDatabase(url.reveal(), { connectionsMax })
  closers.push('database of the indexes', () => opened.close())
  return opened
}

export const subgraphMetricHelp: MetricHelp = {
  tallystick_subgraph_head_block: 'Latest block of the embedded subgraph.',
  tallystick_subgraph_lag_blocks: 'Blocks the embedded subgraph is behind its chain.',
  tallystick_subgraph_lag_seconds: 'Seconds between the latest indexed block and the chain head.',
  tallystick_subgraph_events: 'Logs indexed by this process since it started.',
  tallystick_subgraph_reorgs: 'Reorgs this process has rolled back since it started.',
  tallystick_subgraph_repairs: 'Times this process has replaced blocks that were read wrongly since it started.',
  tallystick_subgraph_fault: 'ALARM: 1 while the embedded subgraph contradicts its chain and is not repaired yet.',
  tallystick_subgraph_disputed: 'ALARM: 1 while every RPC contradicts blocks that count as final.',
  tallystick_subgraph_problem: 'ALARM: 1 while the embedded subgraph cannot be read. /readyz gives the reason.',
}

export function addSubgraphMetrics(
  metrics: Metrics,
  subgraphs: ReadonlyMap<number, { readonly follower: Pick<Follower, 'status'> }>,
): void {
  const gauge = (family: string, read: (status: FollowerStatus) => number | undefined) =>
    metrics.gauge(family, () =>
      [...subgraphs].flatMap(([chain, { follower }]) => {
        const value = read(follower.status())
        return value === undefined ? [] : [{ labels: { chain }, value }]
      }),
    )
  gauge('tallystick_subgraph_head_block', ({ head }) => head?.number)
  gauge('tallystick_subgraph_lag_blocks', ({ lagBlocks }) => lagBlocks)
  gauge('tallystick_subgraph_lag_seconds', ({ lagSeconds }) => lagSeconds)
  gauge('tallystick_subgraph_events', ({ eventsIndexed }) => eventsIndexed)
  gauge('tallystick_subgraph_reorgs', ({ reorgsSeen }) => reorgsSeen)
  gauge('tallystick_subgraph_repairs', ({ repairs }) => repairs)
  gauge('tallystick_subgraph_fault', ({ fault }) => (fault === undefined ? 0 : 1))
  gauge('tallystick_subgraph_disputed', ({ state }) => (state === 'disputed' ? 1 : 0))
  gauge('tallystick_subgraph_problem', ({ problem }) => (problem === undefined ? 0 : 1))
}
