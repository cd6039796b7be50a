import type { Address } from 'viem'

/** Answer to an ENS name, or why there is none, in the service's words. */
export type ResolvedName = { readonly address: Address } | { readonly problem: string }

/** Asks the service for the address of an ENS name. */
export async function resolveName(name: string, signal: AbortSignal): Promise<ResolvedName> {
  const response = await fetch(`/ens/${encodeURIComponent(name)}`, { signal }).catch(() => undefined)
  if (!response) return { problem: 'The service cannot be reached. Check your connection, then try again.' }
  const body = (await response.json().catch(() => ({}))) as { readonly address?: Address; readonly message?: string }
  if (response.ok && body.address) return { address: body.address }
  return { problem: body.message ?? `The service responded with status ${response.status}.` }
}
