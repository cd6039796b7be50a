import type { PoolReader } from '@tallystick/chain'
import type { Gateway } from '@tallystick/gateway'
import type { RunningNotes } from '@tallystick/issuer'
import type { Follower } from '@tallystick/subgraph'
import type { ServiceContext } from '../service-context.ts'
import { createPoolStates } from './pool-states.ts'
import { createReadFloatingIncome, type IndexToAsk } from './read-floating-income.ts'
import type { RateParts } from './read-rates.ts'

type RateOptions = {
  readonly notes: Pick<RunningNotes, 'published' | 'poolWatch'>
  readonly gateway: Pick<RateParts, 'readIndexedPool'> & {
    readonly index: IndexToAsk
    readonly data: { readonly gateway: Pick<Gateway, 'countHits'> }
  }
  readonly embedded: ReadonlyMap<number, { readonly follower: Pick<Follower, 'status'> }>
  /** Readers by chain, for chains with an RPC. */
  readonly pools: ReadonlyMap<number, PoolReader>
}

/** Creates the parts of `/rate`: published notes, and the state of each pool by its chain and by its index. */
export function createRateParts(
  { config, log, time }: Pick<ServiceContext, 'config' | 'log' | 'time'>,
  { notes, gateway, embedded, pools }: RateOptions,
): RateParts {
  const poolStates = createPoolStates(pools, {
    maxAgeMs: config.data.pollMs,
    time,
    onError: (chain, error) => log.warn({ chain, err: error }, 'pool read failed; /rate falls back to the index'),
  })
  return {
    published: notes.published,
    readFloatingIncome: createReadFloatingIncome(gateway.index),
    readIndexedPool: gateway.readIndexedPool,
    countHits: gateway.data.gateway.countHits,
    poolStates,
    poolWatch: notes.poolWatch,
    hasRpc: (chainId) => pools.has(chainId),
    hasIndexFault: (chainId) => embedded.get(chainId)?.follower.status().fault !== undefined,
    maxLagSeconds: config.data.maxLagSeconds,
  }
}
