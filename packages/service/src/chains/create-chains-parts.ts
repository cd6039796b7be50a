import type { PoolContracts, PoolReader, TokenFacts } from '@tallystick/chain'
import type { ChainInfo } from '@tallystick/core'
import type { RunningNotes, WatchedPool } from '@tallystick/issuer'
import { type Address, getAddress } from 'viem'
import type { ChainConfig } from '../config/config.ts'
import type { ServiceContext } from '../service-context.ts'
import { createContractsCache } from './contracts-cache.ts'

export type ChainsParts = {
  /** Lists all chains, ascending by id. Never fails and waits for no chain longer than a moment. */
  list(): Promise<ListedChains>
}

type ListedChains = {
  readonly chains: readonly ChainInfo[]
  /** Returns whether a new list would be the same, without a read. */
  readonly isLatest: () => boolean
}

type ChainsOptions = {
  readonly notes: Pick<RunningNotes, 'signers' | 'poolWatch'>
  /** Readers by chain, for chains with an RPC. */
  readonly pools: ReadonlyMap<number, PoolReader>
}

/** Creates the parts of `GET /chains`. */
export function createChainsParts(
  { config, log, time }: Pick<ServiceContext, 'config' | 'log' | 'time'>,
  { notes: { signers, poolWatch }, pools }: ChainsOptions,
): ChainsParts {
  const chains = config.chains.toSorted((a, b) => a.id - b.id)
  const contractsOf = createContractsCache(pools, {
    time,
    onError: (chain, error) => log.warn({ chain, err: error }, 'contracts of the pool cannot be read; retrying'),
  })
  return {
    list: async () => {
      const listed = await Promise.all(
        chains.map(async (chain) => {
          const { id } = chain
          const { address: signer } = signers.get(id) as { readonly address: Address }
          const contracts = await contractsOf.find(id)
          const watched = poolWatch.find(id)
          const isLatest = () => {
            const { problems, state } = poolWatch.find(id) ?? {}
            const isWatched = problems === watched?.problems && state === watched?.state
            return isWatched && contractsOf.isLatest(id, contracts)
          }
          return { info: describeChain({ chain, signer, watched, contracts }), isLatest }
        }),
      )
      return { chains: listed.map(({ info }) => info), isLatest: () => listed.every(({ isLatest }) => isLatest()) }
    },
  }
}

type ChainFacts = {
  readonly chain: Pick<ChainConfig, 'id' | 'name' | 'domain' | 'tenors' | 'explorer' | 'subgraph'>
  /** Address that signs this service's notes for the chain. */
  readonly signer: Address
  /** The pool by the last check of the pool watch. Undefined if it is not watched. */
  readonly watched: WatchedPool | undefined
  /** Undefined if no RPC is configured or none has answered. */
  readonly contracts: PoolContracts | undefined
}

/** A value that is not known is null. */
function describeChain({ chain, signer, watched, contracts }: ChainFacts): ChainInfo {
  const { id, name, domain, tenors, explorer, subgraph } = chain
  const limits = watched?.state?.limits
  // A signer that was registered some time ago may have been replaced because its key leaked.
  const registered = watched?.problems?.has('unknown') ? undefined : watched?.state?.signer
  const embedded = subgraph?.embedded
  const dollar = contracts?.dollar
  const positionToken = contracts?.positionToken ?? (embedded && { address: embedded.positions })
  return {
    chainid: String(id),
    name,
    pool: domain.verifyingContract,
    domain: { name: domain.name, version: domain.version, chainId: id, verifyingContract: domain.verifyingContract },
    signer: getAddress(signer),
    registeredSigner: registered ? getAddress(registered) : null,
    positionToken: positionToken ? describeToken(positionToken) : null,
    dollar: dollar ? { ...describeToken(dollar), decimals: dollar.decimals ?? null } : null,
    denylister: contracts?.denylister ?? null,
    tenors: [...tenors].sort((a, b) => a - b),
    limits: {
      minLend: limits?.minLendLimit?.toString() ?? null,
      maxCoupon: limits?.maxCouponLimit?.toString() ?? null,
      minMaturitySeconds: limits?.minMaturityLimit?.toString() ?? null,
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
