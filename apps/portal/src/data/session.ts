import { type Client, createClient } from '@tallystick/client'
import type { PortalInfo } from '@tallystick/core'
import { listDataChains } from './portal-info.ts'

/** API key and its client. Both exist only in the memory of this tab. */
export type Session = { readonly apiKey: string; readonly client: Client }

/** Creates a session. Throws `InvalidApiKeyError` if the key is malformed. */
export function createSession(apiKey: string, info: Pick<PortalInfo, 'chains'>): Session {
  const client = createClient({ baseUrl: location.origin, apiKey, chains: listDataChains(info), retries: 1 })
  return { apiKey, client }
}
