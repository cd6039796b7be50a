import { ClientError } from '@tallystick/client'
import type { Address } from 'viem'
import { fetchService } from '../reach/page-reachability.ts'

/** Answer to an ENS name, or why it has no address, in the service's words. */
export type ResolvedName = { readonly address: Address } | { readonly problem: string }

/** Asks the service for the address of an ENS name. Throws if the service fails: that says nothing about the name. */
export async function resolveName(name: string, signal: AbortSignal): Promise<ResolvedName> {
  const response = await fetchService(`/ens/${encodeURIComponent(name)}`, { signal }).catch((cause: unknown) => {
    throw new ClientError({ code: 'connection_failed', message: 'No response.', retryable: true, cause })
  })
  const body = (await response.json().catch(() => ({}))) as { readonly address?: Address; readonly message?: string }
  if (response.ok && body.address) return { address: body.address }
  const { status } = response
  const message = body.message ?? `The service responded with status ${status}.`
  if (status >= 400 && status < 500 && status !== 429) return { problem: message }
  throw new ClientError({ code: 'http_error', message, status, retryable: true })
}
