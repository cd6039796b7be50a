import type { Address } from 'viem'

/** Body of `GET /portal.json`: what the page needs before it has a key. All of it is public. */
export type PortalInfo = {
  readonly chains: readonly PortalChain[]
  /** Whether `GET /ens/<name>` resolves names. */
  readonly ens: boolean
  /** Whether the page may be used without a key, with a token of `POST /portal/visit`. */
  readonly visitors?: true | undefined
  /** Origins that may show the page in a frame. Only where there are any. */
  readonly frameAncestors?: readonly string[] | undefined
  /** Only in a sandbox, where the key protects nothing. */
  readonly visitor?: PortalVisitor | undefined
}

/** Chain of a service, as its page needs it. */
export type PortalChain = {
  readonly id: number
  readonly name: string
  readonly pool: Address
  /** Name and version of the pool's EIP-712 domain. */
  readonly domain: { readonly name: string; readonly version: string }
  /** Address that signs the notes of this chain. */
  readonly signer: Address
  /** Whether `POST /data` answers for this chain. */
  readonly hasData: boolean
  /** With which a wallet adds the chain. May be empty. Never the service's own RPC URLs, which may contain a key. */
  readonly publicRpc: readonly string[]
  /** Symbol of the coin in which fees are paid. */
  readonly currency: string
  /** Block explorer, for links. */
  readonly explorer?: string | undefined
}

/** Key and wallets that a sandbox shows to every visitor. */
export type PortalVisitor = {
  readonly apiKey: string
  /** Wallets with positions. */
  readonly wallets: readonly Address[]
  readonly wallet?: TestWalletInfo | undefined
  /** File of the certificate authority that the examples of the documentation must trust. */
  readonly caCert?: string | undefined
}

/** Account of the sandbox's wallet, and the path of its JSON-RPC. */
export type TestWalletInfo = { readonly address: Address; readonly rpcPath: string }
