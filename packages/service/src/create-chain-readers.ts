import { createChainIdentity, createChainTimeReader, createPoolReader } from '@tallystick/chain'
import type { ServiceContext } from './service-context.ts'

/** Readers of the chains that have an RPC. */
export type ChainReaders = ReturnType<typeof createChainReaders>

/** Creates the readers of all chains. */
export function createChainReaders({ config, closers }: Pick<ServiceContext, 'config' | 'closers'>) {
  // One per chain: an endpoint that serves another chain is used by nobody in the process.
  const identities = new Map(config.chains.map(({ id }) => [id, createChainIdentity(id)]))
  const reachable = config.chains.filter(({ rpc }) => rpc.length > 0)
  const pools = new Map(
    reachable.map(({ id, rpc, domain, subgraph }) => [
      id,
      createPoolReader({
        chainId: id,
        rpcUrls: rpc,
        identity: identities.get(id),
        pool: domain.verifyingContract,
        startBlock: subgraph?.embedded?.startBlock,
      }),
    ]),
  )
  closers.push('pool readers', () => {
    for (const pool of pools.values()) pool.close()
  })
  return { identities, pools, readChainTime: createChainTimeReader(config.chains, identities) }
}
