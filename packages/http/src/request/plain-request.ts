import type { IncomingMessage, ServerResponse } from 'node:http'
import { hasValidHost } from './require-host.ts'

export type Handler = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Returns whether a lane can serve a request: HTTP/1.1 with a valid host, JSON accepted, and no upgrade, `Expect`,
 * `Connection: close` or chunked body.
 */
export function isPlainRequest(request: IncomingMessage): boolean {
  const { httpVersion, headers } = request
  const { accept, connection } = headers
  return (
    httpVersion === '1.1' &&
    (connection === undefined || connection === 'keep-alive') &&
    (accept === undefined || accept === '*/*' || accept === 'application/json') &&
    headers['transfer-encoding'] === undefined &&
    headers.expect === undefined &&
    headers.upgrade === undefined &&
    hasValidHost(request)
  )
}
