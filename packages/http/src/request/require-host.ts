import type { IncomingMessage } from 'node:http'
import { TallystickError } from '@tallystick/core'
import type { FastifyInstance } from 'fastify'

// RFC 9110 §7.2: uri-host and port as RFC 3986 has them. An authority of https is never empty.
const hostForm = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d*)?$/i

/**
 * Answers 400 where RFC 9112 §3.2 demands it: HTTP/1.1 without `Host`, and any version with two of them or an invalid one.
 * HTTP/1.0 knows no `Host` and may omit it.
 */
export function requireHost(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (hasValidHost(request.raw)) return done()
    // Proxy and server may interpret such a request differently (request smuggling), so the connection is closed.
    if (request.raw.httpVersionMajor === 1) reply.header('connection', 'close')
    done(
      new TallystickError({
        code: 'invalid_request',
        message: 'Send exactly one Host header, with the name and port of this service.',
        retryable: false,
      }),
    )
  })
}

/** Returns whether a request names one host, in one valid header. Node keeps the first of two in `headers`. */
export function hasValidHost({ headers, rawHeaders, httpVersion }: IncomingMessage): boolean {
  const { host } = headers
  // HTTP/2 uses this pseudo-header instead. nghttp2 resets a stream that has neither.
  const authority = headers[':authority'] as string | undefined
  if (host === undefined) return httpVersion === '1.0' || (authority !== undefined && hostForm.test(authority))
  if (authority !== undefined && authority.toLowerCase() !== host.toLowerCase()) return false
  return hostForm.test(host) && countHosts(rawHeaders) === 1
}

/** Counts the `Host` lines. Names and values alternate. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  return count
}
