import type { Address } from 'viem'

/** `GET /portal.json`: what the service tells everyone. */
export type PortalInfo = {
  readonly chains: readonly PortalChain[]
  /** In a sandbox: a key and wallets to try. */
  readonly visitor?: { readonly apiKey: string; readonly wallets: readonly Address[] } | undefined
}

export type PortalChain = {
  readonly id: number
  readonly name: string
  readonly pool: Address
  readonly domain: { readonly name: string; readonly version: string }
  readonly signer: Address
}

export async function fetchPortalInfo(): Promise<PortalInfo> {
  const response = await fetch('/portal.json', { cache: 'no-store' })
  if (!response.ok) throw new Error(`The service answered with status ${response.status}.`)
  return (await response.json()) as PortalInfo
}
