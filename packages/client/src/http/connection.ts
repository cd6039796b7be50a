import { isApiKey } from '@tallystick/core/key/api-key'
import type { Environment } from '../environment.ts'
import { HttpsRequiredError, InvalidApiKeyError, InvalidRequestError } from '../errors.ts'

/** Where and how every request goes. */
export type Connection = {
  readonly environment: Environment
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly apiKey: string | undefined
  readonly timeoutMs: number
  readonly retries: number
  readonly signal: AbortSignal | undefined
}

/** The address without its last slash. Refuses one that would send the key in the clear, or that is none. */
export function parseBaseUrl(baseUrl: string, apiKey: string | undefined): string {
  const address = baseUrl.replace(/\/+$/, '')
  // A path of the page's own site, where a server of the integrator's adds the key.
  if (baseUrl.startsWith('/') && !baseUrl.startsWith('//')) return address
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new InvalidRequestError({
      code: 'invalid_request',
      message:
        'baseUrl must be an https address such as "https://notes.example", without credentials, query or fragment.',
    })
  }
  if (url.protocol === 'http:' && apiKey !== undefined && !isLoopback(url.hostname)) {
    throw new HttpsRequiredError({
      code: 'https_required',
      message: `baseUrl http://${url.host} would send the API key in the clear. Use https.`,
    })
  }
  return address
}

/** Refuses what cannot be a key before it is sent anywhere. The message must not quote it. */
export function parseApiKey(apiKey: string | undefined): string | undefined {
  if (apiKey === undefined) return undefined
  const isSendable = /^[\x21-\x7e]+$/.test(apiKey)
  if (isSendable && (!apiKey.startsWith('tsk_') || isApiKey(apiKey))) return apiKey
  throw new InvalidApiKeyError({
    code: 'invalid_api_key',
    message: 'apiKey is not a whole key: its form or its checksum is wrong. Copy it again from where it was issued.',
  })
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}
