import type { PoolReader } from '@tallystick/chain'
import type { ReadIndexedPool, RunningNotes } from '@tallystick/issuer'
import type { Follower } from '@tallystick/subgraph'
import type { ServiceContext } from '../service-context.ts'
import { createPoolStates } from './pool-states.ts'
import { createReadFloatingIncome, type IndexToAsk } from './read-floating-income.ts'
import type { RateParts } from './read-rates.ts'

type RateOptions = {
  readonly notes: Pick<RunningNotes, 'published' | 'poolWatch'>
  readonly gateway: { readonly index: IndexToAsk; readonly readIndexedPool: ReadIndexedPool }
  readonly embedded: ReadonlyMap<number, { readonly follower: Pick<Follower, 'status'> }>
  /** Readers by chain, for chains with an RPC. */
  readonly pools: ReadonlyMap<number, PoolReader>
}

/** Creates the parts of `/rate`: published notes, and the state of each pool by its chain and by its index. */
export function createRateParts(
  { config, log, time }: Pick<ServiceContext, 'config' | 'log' | 'time'>,
  { notes, gateway, embedded, pools }: RateOptions,
): RateParts {
  const findPoolState = createPoolStates(pools, {
    maxAgeMs: config.data.pollMs,
    time,
    onError: (chain, error) => log.warn({ chain, err: error }, 'pool read failed; /rate falls back to the index'),
  })
  return {
    published: notes.published,
    readFloatingIncome: createReadFloatingIncome(gateway.index),
    readIndexedPool: gateway.readIndexedPool,
    findPoolState,
    poolWatch: notes.poolWatch,
    hasRpc: (chainId) => pools.has(chainId),
    hasIndexFault: (chainId) => embedded.get(chainId)?.follower.status().fault !== undefined,
    maxLagSeconds: config.data.maxLagSeconds,
  }
}
