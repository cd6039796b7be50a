import type { FastifyInstance } from 'fastify'
import { hasValidHost } from '../fast-path.ts'
import { refusal } from '../response/errors.ts'

/**
 * Answers 400 where RFC 9112 §3.2 demands it: HTTP/1.1 without `Host`, and any version with two of them or an invalid one.
 * HTTP/1.0 knows no `Host` and may omit it.
 */
export function requireHost(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (hasValidHost(request.raw)) return done()
    // Proxy and server may interpret such a request differently (request smuggling), so the connection is closed.
    if (request.raw.httpVersionMajor === 1) reply.header('connection', 'close')
    done(refusal('invalid_request', 'Send exactly one Host header, with the name and port of this service.'))
  })
}
