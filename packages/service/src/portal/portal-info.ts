import type { Signer } from '@tallystick/issuer'
import type { Address } from 'viem'
import type { ChainConfig, Config } from '../config/config.ts'

/** Data that the page needs before it has a key. All of it is public. */
export type PortalInfo = {
  readonly chains: readonly {
    readonly id: number
    readonly name: string
    readonly pool: Address
    /** Name and version of the pool's EIP-712 domain. */
    readonly domain: { readonly name: string; readonly version: string }
    /** Address that signs the notes of this chain. */
    readonly signer: Address
    /** Whether `POST /data` answers for this chain. */
    readonly hasData: boolean
    /** With which a wallet adds the chain. Never the service's own RPC URLs, which may contain a key. */
    readonly publicRpc: readonly string[]
    readonly currency: string
    readonly explorer?: string | undefined
  }[]
  /** Whether `GET /ens/<name>` resolves names. */
  readonly ens: boolean
  /** Only in a sandbox, where the key protects nothing. */
  readonly visitor?: PortalVisitor | undefined
}

/** Key and wallets that a sandbox shows to every visitor. */
export type PortalVisitor = {
  readonly apiKey: string
  /** Wallets with positions. */
  readonly wallets: readonly Address[]
  /** Account of the test wallet, and the path of its JSON-RPC. */
  readonly wallet?: { readonly address: Address; readonly rpcPath: string } | undefined
  /** File of the certificate authority that the examples of the documentation must trust. */
  readonly caCert?: string | undefined
}

export function describePortal({
  chains,
  ens,
  signers,
  visitor,
}: {
  readonly chains: readonly ChainConfig[]
  readonly ens?: Config['ens']
  /** By chain id. */
  readonly signers: ReadonlyMap<number, Pick<Signer, 'address'>>
  readonly visitor: PortalVisitor | undefined
}): PortalInfo {
  return {
    chains: chains
      .toSorted((a, b) => a.id - b.id)
      .map(({ id, name, domain: { verifyingContract, ...domain }, subgraph, publicRpc, currency, explorer }) => ({
        id,
        name,
        pool: verifyingContract,
        domain,
        signer: (signers.get(id) as Signer).address,
        hasData: subgraph !== undefined,
        publicRpc,
        currency,
        explorer,
      })),
    ens: ens !== undefined,
    visitor,
  }
}
