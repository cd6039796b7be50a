import { redact } from '@tallystick/base/pure'
import { parseJson } from '@tallystick/core'
import { ClientError } from '../client-error.ts'
import type { Reading } from '../environment.ts'
import { MalformedAnswerError } from '../errors.ts'
import type { Connection } from './connection.ts'
import { readText } from './read-body.ts'
import { errorOfAnswer, failedRequest } from './request-errors.ts'
import { withRetries } from './with-retries.ts'

export type ApiRequest = {
  /** Path with query string. */
  readonly path: string
  /** Body. The request is then a POST. */
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
  /** Overrides the connection's. */
  readonly retries?: number | undefined
}

export type ApiAnswer = {
  readonly json: unknown
  readonly headers: Headers
  readonly sentAt: Reading
  readonly receivedAt: Reading
}

/** Sends a request and returns the JSON of the response. Retries retryable errors, also of POST: every endpoint only reads. */
export function requestJson(connection: Connection, request: ApiRequest): Promise<ApiAnswer> {
  const { signal, retries } = request
  return withRetries(connection, { signal, retries, run: (each) => attempt(connection, { request, signal: each }) })
}

async function attempt(
  { environment: { fetch, clock }, baseUrl, urlOption, apiKey }: Connection,
  { request, signal }: { readonly request: ApiRequest; readonly signal: AbortSignal },
): Promise<ApiAnswer> {
  const { path, body } = request
  const endpoint = `${body === undefined ? 'GET' : 'POST'} ${path.replace(/\?.*/, '')}`
  const sentAt = clock.read()
  try {
    const headers = { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) }
    const init = initOf(headers, { apiKey, signal })
    const post = body !== undefined && { method: 'POST', body: JSON.stringify(body) }
    const response = await fetch(`${baseUrl}${path}`, { ...init, ...post })
    const text = await readText(response, signal)
    const receivedAt = clock.read()
    if (!response.ok) {
      // A proxy may echo the request.
      const safeText = redact(text, [apiKey ?? ''], '[API key]')
      throw errorOfAnswer(response, { endpoint, text: safeText, option: urlOption })
    }
    return { json: parseAnswer(text, endpoint), headers: response.headers, sentAt, receivedAt }
  } catch (error) {
    if (error instanceof ClientError) throw error
    throw failedRequest({ baseUrl, urlOption, endpoint, cause: error })
  }
}

/** Returns what requests with a key have in common. */
export function initOf(
  headers: Readonly<Record<string, string>>,
  { apiKey, signal }: { readonly apiKey: string | undefined; readonly signal: AbortSignal },
) {
  return {
    method: 'GET',
    headers: { ...headers, ...(apiKey !== undefined && { 'x-api-key': apiKey }) },
    signal,
    // A redirect would send the key to another host.
    redirect: 'manual',
    // A cached response has an old Date, and its age is computed from the local clock, which may be wrong.
    cache: 'no-store',
  } as const
}

/** Parses the JSON of a response. Throws an error that can be retried. */
export function parseAnswer(text: string, endpoint: string): unknown {
  try {
    return parseJson(text)
  } catch {
    const message = `${endpoint} returned invalid or incomplete JSON. Check for a proxy in between.`
    throw new MalformedAnswerError({ code: 'malformed_answer', message, retryable: true })
  }
}
