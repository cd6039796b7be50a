type Fetch = (url: string, init: RequestInit) => Promise<Response>

type Issued = { readonly token: string; readonly renewAtMs: number }

type VisitorFetchOptions = {
  readonly fetch: Fetch
  /** Returns the time of this browser in milliseconds. */
  readonly now: () => number
}

// Of the lifetime that the service states. The rest is for a renewal that fails.
const renewAfter = 0.7
// A token of another service clock, of a replaced secret, or that expired while the machine slept. A service that no longer
// lets visitors in ignores it.
const refusals = ['visitor_token_invalid', 'visitor_token_expired', 'invalid_api_key']

/**
 * Creates the `fetch` of visitors. It adds their token, gets it when it is first needed, renews it before it expires, and once
 * more when the service refuses it. If the service issues none, its response to the request without a token says why.
 */
export function createVisitorFetch({ fetch, now }: VisitorFetchOptions): Fetch {
  let held: Issued | undefined
  let visiting: Promise<Response | undefined> | undefined
  const visit = async (): Promise<Response | undefined> => {
    const response = await fetch('/portal/visit', { method: 'POST', cache: 'no-store', redirect: 'manual' })
    if (!response.ok) return response
    const { token, expiresInSeconds } = await response.json()
    held = { token, renewAtMs: now() + expiresInSeconds * 1000 * renewAfter }
    return undefined
  }
  /** Gets a new token, once for all requests that wait. Returns the response that refused it. */
  const renew = () => {
    visiting ??= visit().finally(() => {
      visiting = undefined
    })
    return visiting
  }
  const send = (url: string, init: RequestInit) => {
    const token = held && { 'x-tallystick-visitor': held.token }
    return fetch(url, { ...init, headers: { ...(init.headers as Record<string, string>), ...token } })
  }
  return async (url, init) => {
    if (!held) {
      const refused = await renew()
      if (refused && refused.status !== 404) return refused
    } else if (now() >= held.renewAtMs) {
      // The token is still good for a while.
      await renew().catch(() => undefined)
    }
    const used = held
    const response = await send(url, init)
    if (!used || !refusals.includes((await readCode(response)) ?? '')) return response
    // Another request may have renewed it meanwhile.
    if (held === used) {
      const refused = await renew()
      if (refused?.status === 404) held = undefined
      if (refused) return refused.status === 404 ? send(url, init) : refused
    }
    return send(url, init)
  }
}

/** Returns the error code of a 403 of the service, and leaves the response as it was. */
export async function readCode(response: Response): Promise<string | undefined> {
  if (response.status !== 403) return undefined
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  return (body as { readonly code?: string } | null | undefined)?.code
}
