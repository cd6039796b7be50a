import type { Address } from 'viem'
import type { ChainConfig } from '../config.ts'

/** What the page must know before it has a key. Nothing here is secret: it is public on the chain, or meant to be shown. */
export type PortalInfo = {
  readonly chains: readonly {
    readonly id: number
    readonly name: string
    readonly pool: Address
    /** Name and version of the pool's EIP-712 domain. */
    readonly domain: { readonly name: string; readonly version: string }
    /** Who signs the notes of this service. */
    readonly signer: Address
  }[]
  /** Only in a sandbox, where the key is good for nothing else. */
  readonly visitor?: PortalVisitor | undefined
}

/** What a sandbox gives to whoever opens its page. */
export type PortalVisitor = {
  readonly apiKey: string
  /** Wallets worth looking up. */
  readonly wallets: readonly Address[]
}

export function describePortal({
  chains,
  signer,
  visitor,
}: {
  readonly chains: readonly ChainConfig[]
  readonly signer: Address
  readonly visitor: PortalVisitor | undefined
}): PortalInfo {
  return {
    chains: chains
      .toSorted((a, b) => a.id - b.id)
      .map(({ id, name, domain: { verifyingContract, ...domain } }) => ({
        id,
        name,
        pool: verifyingContract,
        domain,
        signer,
      })),
    visitor,
  }
}
