import type { Address } from 'viem'

/** Body of `GET /portal.json`, which needs no key. */
export type PortalInfo = {
  readonly chains: readonly PortalChain[]
  /** Key and wallets to try. Only a sandbox has them. */
  readonly visitor?: PortalVisitor | undefined
}

export type PortalVisitor = {
  readonly apiKey: string
  readonly wallets: readonly Address[]
  /** File of the certificate authority that examples must trust. */
  readonly caCert?: string | undefined
}

export type PortalChain = {
  readonly id: number
  readonly name: string
  readonly pool: Address
  readonly domain: { readonly name: string; readonly version: string }
  readonly signer: Address
  /** Whether `POST /data` answers for this chain. */
  readonly hasData: boolean
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
