import type { PoolReader } from '@tallystick/chain'
import type { ChainInfo } from '@tallystick/core'
import type { RunningNotes } from '@tallystick/issuer'
import type { Address } from 'viem'
import type { ServiceContext } from '../service-context.ts'
import { createContractsCache } from './contracts-cache.ts'
import { describeChain } from './describe-chain.ts'

export type ChainsParts = {
  /** Returns all chains, ascending by id. Never fails and waits for no chain longer than a moment. */
  list(): Promise<readonly ChainInfo[]>
}

/** Creates the parts of `GET /chains`. */
export function createChainsParts(
  { config, log, time }: Pick<ServiceContext, 'config' | 'log' | 'time'>,
  {
    notes: { signers, poolWatch },
    pools,
  }: {
    readonly notes: Pick<RunningNotes, 'signers' | 'poolWatch'>
    /** Readers by chain, for chains with an RPC. */
    readonly pools: ReadonlyMap<number, PoolReader>
  },
): ChainsParts {
  const chains = config.chains.toSorted((a, b) => a.id - b.id)
  const contracts = createContractsCache(pools, {
    monotonicNow: time.monotonic,
    onError: (chain, error) => log.warn({ chain, err: error }, 'contracts of the pool cannot be read; retrying'),
  })
  return {
    list: () =>
      Promise.all(
        chains.map(async (chain) => {
          const { address: signer } = signers.get(chain.id) as { readonly address: Address }
          const known = await contracts.read(chain.id)
          return describeChain({ chain, signer, watched: poolWatch.find(chain.id), contracts: known })
        }),
      ),
  }
}
