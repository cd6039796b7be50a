import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { readChunks } from '@tallystick/base/pure'

/** Where a subgraph is queried. */
export type Endpoint = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Fingerprint of the only accepted certificate. If undefined, the usual authorities are trusted. */
  readonly fingerprint256?: string | undefined
}

export type QueryOptions = {
  readonly body: { readonly query: string; readonly variables?: Readonly<Record<string, unknown>> }
  /** 1 MiB by default. */
  readonly responseBytesMax?: number | undefined
}

export type QueryResponse = {
  readonly status: number
  readonly contentType: string
  readonly retryAfter: string | undefined
  readonly text: string
}

const timeoutMs = 10_000
const responseBytesMaxDefault = 1_048_576

/** Posts a GraphQL query. Rejects with an error whose message does not contain the URL. */
export function postQuery(
  { url, headers, fingerprint256 }: Endpoint,
  { body, responseBytesMax = responseBytesMaxDefault }: QueryOptions,
): Promise<QueryResponse> {
  return new Promise((resolve, reject) => {
    const isTls = url.startsWith('https:')
    const outgoing = (isTls ? httpsRequest : httpRequest)(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      signal: AbortSignal.timeout(timeoutMs),
      // A known certificate is compared below, before the request is written.
      ...(isTls && { rejectUnauthorized: fingerprint256 === undefined, agent: false }),
    })
    outgoing.on('error', (error: NodeJS.ErrnoException) => reject(new Error(nameFailure(error))))
    outgoing.on('response', async (response) => {
      try {
        const tooLarge = () => new Error(`sent more than ${responseBytesMax} bytes`)
        const chunks = await readChunks(response, { bytesMax: responseBytesMax, tooLarge })
        const contentType = response.headers['content-type'] ?? 'no content type'
        const retryAfter = response.headers['retry-after']
        resolve({ status: response.statusCode ?? 0, contentType, retryAfter, text: Buffer.concat(chunks).toString() })
      } catch (error) {
        reject(error)
      } finally {
        response.destroy()
      }
    })
    const send = () => outgoing.end(JSON.stringify(body))
    if (!isTls || fingerprint256 === undefined) send()
    else {
      outgoing.on('socket', (socket) => {
        socket.once('secureConnect', () => {
          if ((socket as TLSSocket).getPeerX509Certificate()?.fingerprint256 === fingerprint256) send()
          else outgoing.destroy(Object.assign(new Error(), { code: 'another certificate' }))
        })
      })
    }
  })
}

function nameFailure({ code, name }: NodeJS.ErrnoException): string {
  if (name === 'AbortError' || name === 'TimeoutError') return `did not respond within ${timeoutMs} ms`
  return `cannot be reached (${code ?? 'connection lost'})`
}
