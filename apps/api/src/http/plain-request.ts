import type { IncomingMessage, ServerResponse } from 'node:http'
import { hasValidHost } from './require-host.ts'

export type Handler = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Returns whether no header of a request asks for anything that a lane does not do: another version of HTTP, another
 * format, an end of the connection, a body of unknown length, a word before the body, a host that has to be rejected.
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
