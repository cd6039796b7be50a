import { type Closers, createLogThrottle, type Secret, type Time } from '@tallystick/base'
import type { ChainIdentity } from '@tallystick/chain'
import type { Database } from '@tallystick/database'
import {
  createFollower,
  type Follower,
  openProtocolMapping,
  openSubgraph,
  protocolSchema,
  type Subgraph,
  schemaIdOf,
} from '@tallystick/subgraph'
import type { Logger } from 'pino'
import type { Address } from 'viem'
import { openIndexDatabase } from './open-index-database.ts'

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

/** Opens the index of every chain that has an embedded subgraph, and starts to follow those chains. */
export async function startEmbeddedSubgraphs(
  config: { readonly chains: readonly IndexedChain[]; readonly database: Secret },
  {
    log,
    time,
    identities,
    ...parts
  }: {
    readonly database: Database
    /** Connections to PostgreSQL for statements. */
    readonly connectionsMax: number
    readonly closers: Pick<Closers, 'push'>
    readonly log: Logger
    readonly time: Time
    readonly identities: ReadonlyMap<number, ChainIdentity>
  },
): Promise<ReadonlyMap<number, EmbeddedSubgraph>> {
  const chains = config.chains.filter(({ subgraph }) => subgraph?.embedded)
  const database = chains.length > 0 ? await openIndexDatabase(config.database, parts) : parts.database
  const started = new Map<number, EmbeddedSubgraph>()
  parts.closers.push('followers', () => Promise.all([...started.values()].map(({ follower }) => follower.stop())))
  for (const { id, rpc, subgraph: settings, domain, maxReorgDepth } of chains) {
    if (!settings?.embedded) continue
    const { positions, startBlock } = settings.embedded
    const pool = domain.verifyingContract
    const namespace = namespaceOf({ id, domain })
    const chainLog = log.child({ chain: id })
    const throttle = createLogThrottle({ monotonicNow: time.monotonic })
    const subgraph = await openSubgraph({
      database,
      schema: protocolSchema,
      namespace,
      onInternalError: (error) => {
        const logged = throttle(error instanceof Error ? error.message : String(error))
        if (logged) chainLog.error({ err: error, ...logged }, 'embedded subgraph query failed')
      },
    })
    const follower = createFollower({
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
export function namespaceOf({ id, domain }: IndexedPool): string {
  const pool = domain.verifyingContract.slice(2, 10).toLowerCase()
  return `chain_${id}_${pool}_${schemaIdOf(protocolSchema)}`
}

type IndexedPool = { readonly id: number; readonly domain: { readonly verifyingContract: string } }
