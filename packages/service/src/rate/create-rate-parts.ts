import type { PoolReader } from '@tallystick/chain'
import type { RunningNotes } from '@tallystick/issuer'
import type { Follower } from '@tallystick/subgraph'
import type { GatewayParts } from '../create-gateway-parts.ts'
import type { ServiceContext } from '../service-context.ts'
import { createPoolStates, type ReadPool } from './pool-states.ts'
import { createReadFloatingIncome } from './read-floating-income.ts'
import type { RateParts } from './read-rates.ts'

/** Creates the parts of `/rate`: published notes, and the state of each pool by its chain and by its index. */
export function createRateParts(
  { config, log, time }: Pick<ServiceContext, 'config' | 'log' | 'time'>,
  {
    notes: { published, poolWatch },
    gateway: { index, readIndexedPool },
    embedded,
    pools,
  }: {
    readonly notes: Pick<RunningNotes, 'published' | 'poolWatch'>
    readonly gateway: Pick<GatewayParts, 'index' | 'readIndexedPool'>
    readonly embedded: ReadonlyMap<number, { readonly follower: Pick<Follower, 'status'> }>
    /** Readers by chain, for chains with an RPC. */
    readonly pools: ReadonlyMap<number, PoolReader>
  },
): RateParts {
  const poolStates = createPoolStates(new Map([...pools].map(([id, reader]) => [id, readPoolWith(reader)])), {
    maxAgeMs: config.data.pollMs,
    monotonicNow: time.monotonic,
    onError: (chain, error) => log.warn({ chain, err: error }, 'pool read failed; /rate falls back to the index'),
  })
  return {
    published,
    readFloatingIncome: createReadFloatingIncome(index),
    readIndexedPool,
    poolStates,
    poolWatch,
    hasRpc: (chainId) => pools.has(chainId),
    hasIndexFault: (chainId) => embedded.get(chainId)?.follower.status().fault !== undefined,
    maxLagSeconds: config.data.maxLagSeconds,
  }
}

function readPoolWith(reader: PoolReader): ReadPool {
  return async (signal) => {
    const [pauses, floating] = await Promise.all([reader.readPauses(signal), reader.readFloatingIncome(signal)])
    return { pauses, floating }
  }
}
