import { type Client, createClient } from '@tallystick/client'
import type { PortalInfo } from '@tallystick/core'
import { fetchService } from '../reach/page-reachability.ts'
import { createVisitorFetch, readCode } from './visitor-fetch.ts'

/** Access to the service and its client, by an API key or as a visitor. */
export type Session = {
  /** Undefined for a visitor. */
  readonly apiKey: string | undefined
  readonly client: Client
  /** Chains that can be queried. */
  readonly chainIds: readonly number[]
}

/** Session with a key, for what visitors may not do. */
export type KeySession = Session & { readonly apiKey: string }

type SessionOptions = {
  /** Undefined for a visitor. */
  readonly apiKey: string | undefined
  /** Called when the service rejects the key, or lets no visitors in. */
  readonly onRefused: () => void
}

/** Creates a session. Throws `InvalidApiKeyError` if the key is malformed. */
export function createSession(info: Pick<PortalInfo, 'chains'>, { apiKey, onRefused }: SessionOptions): Session {
  const chainIds = info.chains.filter(({ hasData }) => hasData).map(({ id }) => id)
  const own = apiKey === undefined ? createVisitorFetch({ fetch: fetchService, now: Date.now }) : fetchService
  const fetch = async (url: string, init: RequestInit) => {
    const response = await own(url, init)
    if ((await readCode(response)) === 'invalid_api_key') onRefused()
    return response
  }
  const client = createClient({ baseUrl: location.origin, apiKey, chains: chainIds, retries: 1, fetch })
  return { apiKey, client, chainIds }
}

/** Returns the session if it has a key. */
export function withKey(session: Session | undefined): KeySession | undefined {
  return session?.apiKey === undefined ? undefined : (session as KeySession)
}
