import type { Database } from '@tallystick/database'
import {
  createFollower,
  createProtocolMapping,
  type Follower,
  openSubgraph,
  protocolSchema,
  type Subgraph,
} from '@tallystick/subgraph'
import type { Logger } from 'pino'
import type { ChainConfig } from '../config.ts'
import { createSeldom } from './seldom.ts'

/** A chain's own index, and what keeps it up to date. */
export type EmbeddedSubgraph = { readonly subgraph: Subgraph; readonly follower: Follower }

/** Opens the index of every chain that has an embedded subgraph, and starts to follow those chains. */
export async function startEmbeddedSubgraphs(
  database: Database,
  {
    chains,
    log,
    monotonicNow,
  }: { readonly chains: readonly ChainConfig[]; readonly log: Logger; readonly monotonicNow: () => number },
): Promise<ReadonlyMap<number, EmbeddedSubgraph>> {
  const started = new Map<number, EmbeddedSubgraph>()
  for (const { id, rpc, subgraph: config, domain } of chains) {
    if (!config?.embedded) continue
    const { positions, startBlock } = config.embedded
    const pool = domain.verifyingContract
    // Another pool is another index: what was read from one says nothing of the other.
    const namespace = `chain_${id}_${pool.slice(2, 10).toLowerCase()}`
    const chainLog = log.child({ chain: id })
    const seldom = createSeldom(monotonicNow)
    const subgraph = await openSubgraph({
      database,
      schema: protocolSchema,
      namespace,
      onInternalError: (error) => {
        const told = seldom(error instanceof Error ? error.message : String(error))
        if (told) chainLog.error({ err: error, ...told }, 'a query of the embedded subgraph failed')
      },
    })
    const follower = createFollower({
      subgraph,
      database,
      name: namespace,
      chainId: id,
      urls: rpc,
      mapping: createProtocolMapping({ pool, positions }),
      startBlock,
      log: chainLog,
    })
    started.set(id, { subgraph, follower })
  }
  return started
}
