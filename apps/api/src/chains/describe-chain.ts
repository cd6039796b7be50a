import type { PoolContracts, TokenFacts } from '@tallystick/chain'
import type { ChainInfo } from '@tallystick/core'
import { type Address, getAddress } from 'viem'
import type { ChainConfig } from '../config.ts'
import type { WatchedPool } from '../notes/watch/watch-pools.ts'

export type ChainFacts = {
  readonly chain: Pick<ChainConfig, 'id' | 'name' | 'domain' | 'tenors' | 'explorer' | 'subgraph'>
  /** Address that signs this service's notes for the chain. */
  readonly signer: Address
  /** State of the pool by the last check of the pool watch. */
  readonly state: WatchedPool['state']
  /** Undefined if no RPC is configured or none has answered. */
  readonly contracts: PoolContracts | undefined
}

/** Describes a chain for `GET /chains`. A value that is not known is null. */
export function describeChain({ chain, signer, state, contracts }: ChainFacts): ChainInfo {
  const { id, name, domain, tenors, explorer, subgraph } = chain
  const embedded = subgraph?.embedded
  const dollar = contracts?.dollar
  const positionToken = contracts?.positionToken ?? (embedded && { address: embedded.positions })
  return {
    chainid: String(id),
    name,
    pool: domain.verifyingContract,
    domain: { name: domain.name, version: domain.version, chainId: id, verifyingContract: domain.verifyingContract },
    signer: getAddress(signer),
    registeredSigner: state?.signer ? getAddress(state.signer) : null,
    positionToken: positionToken ? describeToken(positionToken) : null,
    dollar: dollar ? { ...describeToken(dollar), decimals: dollar.decimals ?? null } : null,
    denylister: contracts?.denylister ?? null,
    tenors: [...tenors].sort((a, b) => a - b),
    limits: {
      minLend: state?.limits.minLendLimit?.toString() ?? null,
      maxCoupon: state?.limits.maxCouponLimit?.toString() ?? null,
      minMaturitySeconds: state?.limits.minMaturityLimit?.toString() ?? null,
    },
    explorerUrl: explorer ?? null,
    // The URLs of a remote subgraph may contain a key.
    subgraphUrl: embedded ? `/subgraphs/${id}` : null,
    hasData: subgraph !== undefined,
  }
}

function describeToken(
  token: Pick<TokenFacts, 'address'> & Partial<TokenFacts>,
): NonNullable<ChainInfo['positionToken']> {
  const { address, name, symbol, domain } = token
  return { address, name: name ?? null, symbol: symbol ?? null, domain: domain ?? null }
}
