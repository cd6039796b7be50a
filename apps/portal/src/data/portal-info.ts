import type { Address } from 'viem'

/** Body of `GET /portal.json`, which needs no key. */
export type PortalInfo = {
  readonly chains: readonly PortalChain[]
  /** Whether the service resolves ENS names. */
  readonly ens?: boolean | undefined
  /** Key and wallets to try. Only a sandbox has them. */
  readonly visitor?: PortalVisitor | undefined
}

type PortalVisitor = {
  readonly apiKey: string
  readonly wallets: readonly Address[]
  /** File of the certificate authority that examples must trust. */
  readonly caCert?: string | undefined
  readonly wallet?: TestWalletInfo | undefined
}

/** Account of the sandbox's wallet, and the path of its JSON-RPC. */
export type TestWalletInfo = { readonly address: Address; readonly rpcPath: string }

export type PortalChain = {
  readonly id: number
  readonly name: string
  readonly pool: Address
  readonly domain: { readonly name: string; readonly version: string }
  readonly signer: Address
  /** Whether `POST /data` answers for this chain. */
  readonly hasData: boolean
  /** Public RPC URLs with which a wallet adds the chain. May be empty. */
  readonly publicRpc: readonly string[]
  /** Symbol of the coin in which fees are paid. */
  readonly currency: string
  /** Block explorer, for links. */
  readonly explorer?: string | undefined
}

/** Returns the ids of the chains that can be queried. */
export function listDataChains({ chains }: Pick<PortalInfo, 'chains'>): readonly number[] {
  return chains.filter(({ hasData }) => hasData).map(({ id }) => id)
}

export async function fetchPortalInfo(): Promise<PortalInfo> {
  const response = await fetch('/portal.json', { cache: 'no-store' })
  if (!response.ok) throw new Error(`The service responded with status ${response.status}.`)
  return (await response.json()) as PortalInfo
}
