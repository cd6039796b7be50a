import { ClientError } from '../client-error.ts'
import type { Connection } from './connection.ts'
import { readBytes } from './read-body.ts'
import { errorOfAnswer, failedRequest } from './request-errors.ts'
import { withRetries } from './with-retries.ts'

export type BytesRequest = {
  /** Path with query string. */
  readonly path: string
  readonly bytesMax: number
  /** Whether the response never changes. It may then come from a cache. */
  readonly isConstant?: boolean | undefined
}

/** Sends a GET request and returns the bytes of the response. Retries retryable errors. Sends no key. */
export function requestBytes(connection: Connection, request: BytesRequest): Promise<Uint8Array> {
  return withRetries(connection, { run: (signal) => attempt(connection, { request, signal }) })
}

async function attempt(
  { environment, baseUrl, urlOption }: Connection,
  { request, signal }: { readonly request: BytesRequest; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  const { path, bytesMax, isConstant } = request
  const endpoint = `GET ${path.replace(/\?.*/, '')}`
  try {
    const cache = isConstant ? 'default' : 'no-store'
    const init: RequestInit & { readonly cache: typeof cache } = { method: 'GET', signal, cache }
    const response = await environment.fetch(`${baseUrl}${path}`, init)
    const bytes = await readBytes(response, { bytesMax, signal })
    if (!response.ok)
      throw errorOfAnswer(response, { endpoint, text: new TextDecoder().decode(bytes), option: urlOption })
    return bytes
  } catch (error) {
    if (error instanceof ClientError) throw error
    throw failedRequest({ baseUrl, urlOption, endpoint, cause: error })
  }
}
