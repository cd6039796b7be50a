import { type Client, createClient } from '@tallystick/client'
import type { PortalInfo } from '@tallystick/core'

/** API key and its client. Both exist only in the memory of this tab. */
export type Session = {
  readonly apiKey: string
  readonly client: Client
  /** Chains that can be queried. */
  readonly chainIds: readonly number[]
}

/** Creates a session. Throws `InvalidApiKeyError` if the key is malformed. */
export function createSession(apiKey: string, info: Pick<PortalInfo, 'chains'>): Session {
  const chainIds = info.chains.filter(({ hasData }) => hasData).map(({ id }) => id)
  const client = createClient({ baseUrl: location.origin, apiKey, chains: chainIds, retries: 1 })
  return { apiKey, client, chainIds }
}
