import { type Client, createClient } from '@tallystick/client'
import type { PortalInfo } from './portal-info.ts'

/** A key and the client that uses it. Both live in this tab's memory and nowhere else. */
export type Session = { readonly apiKey: string; readonly client: Client }

/** Throws `InvalidApiKeyError` where the key cannot be one, before anything is sent. */
export function createSession(apiKey: string, { chains }: Pick<PortalInfo, 'chains'>): Session {
  const client = createClient({ baseUrl: location.origin, apiKey, chains: chains.map(({ id }) => id), retries: 1 })
  return { apiKey, client }
}
