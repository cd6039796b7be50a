import { isApiKey } from '@tallystick/core'
import type { Environment } from '../environment.ts'
import { HttpsRequiredError, InvalidApiKeyError, InvalidRequestError } from '../errors.ts'

/** Settings of all requests. */
export type Connection = {
  readonly environment: Environment
  /** Without a trailing slash. */
  readonly baseUrl: string
  /** Name of the option with the URL, for messages. */
  readonly urlOption: 'baseUrl' | 'log'
  readonly apiKey: string | undefined
  readonly timeoutMs: number
  readonly retries: number
  readonly signal: AbortSignal | undefined
}

/** Returns the URL without trailing slashes. Rejects an invalid URL and one that would send the key unencrypted. */
export function parseBaseUrl(baseUrl: string, apiKey: string | undefined): string {
  const address = parseUrl(baseUrl, 'baseUrl')
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol !== 'http:' || apiKey === undefined || isLoopback(url.hostname)) return address
  throw new HttpsRequiredError({
    code: 'https_required',
    message: `baseUrl http://${url.host} would send the API key in the clear. Use https.`,
  })
}

/** Returns the URL of an option without trailing slashes. */
export function parseUrl(text: string, option: Connection['urlOption']): string {
  const address = text.replace(/\/+$/, '')
  // A path of the page's own site, where the integrator's server adds the key.
  if (text.startsWith('/') && !text.startsWith('//')) return address
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    const example = option === 'log' ? 'https://notes.example/log' : 'https://notes.example'
    throw new InvalidRequestError({
      code: 'invalid_request',
      message: `${option} must be an https URL such as "${example}", without credentials, query or fragment.`,
    })
  }
  return address
}

/** Rejects a malformed key before it is sent. The message must not contain it. */
export function parseApiKey(apiKey: string | undefined): string | undefined {
  if (apiKey === undefined) return undefined
  const isSendable = /^[\x21-\x7e]+$/.test(apiKey)
  if (isSendable && (!apiKey.startsWith('tsk_') || isApiKey(apiKey))) return apiKey
  throw new InvalidApiKeyError({
    code: 'invalid_api_key',
    message: 'apiKey is malformed: its format or checksum is wrong. Copy the whole key again.',
  })
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

// Timers have 31 bits of milliseconds on every platform. A longer one fires at once.
const timeoutSecondsMax = 2_147_483

/** Returns a timeout in ms. Throws if no timer can have it. */
export function parseTimeout(timeoutSeconds: number): number {
  if (timeoutSeconds > 0 && timeoutSeconds <= timeoutSecondsMax) return timeoutSeconds * 1000
  const message = `timeoutSeconds is ${timeoutSeconds}. Use a number above 0 and up to ${timeoutSecondsMax} (24.8 days).`
  throw new InvalidRequestError({ code: 'invalid_request', message })
}
