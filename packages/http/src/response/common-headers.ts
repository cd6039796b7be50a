import { randomBytes } from 'node:crypto'
import type { Clock } from '@tallystick/base'
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** Time of the service clock when the request arrived, Unix ms. All its checks use this value. */
    nowMs: number
  }
}

/** Headers of every response. Responses are JSON, so nothing may be loaded, framed or sniffed. */
export const securityHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const

/** Headers of every response over TLS. HSTS is not allowed elsewhere (RFC 6797 §7.2). */
export const tlsHeaders = { ...securityHeaders, 'strict-transport-security': 'max-age=31536000' } as const

/** Sets the time of every request, and the id, date and common headers of every response. */
export function addCommonHeaders(
  app: FastifyInstance,
  { clock, headers }: { readonly clock: Clock; readonly headers: Readonly<Record<string, string>> },
): void {
  const formatDate = createDateFormatter()
  app.decorateRequest('nowMs', 0)
  app.addHook('onRequest', (request, reply, done) => {
    request.nowMs = clock.now()
    reply.headers(headers)
    reply.header('date', formatDate(request.nowMs))
    reply.header('x-request-id', request.id)
    done()
  })
}

/** Creates request ids that are unique across restarts and replicas: a random prefix and a counter. */
export function createRequestIds(): () => string {
  const start = randomBytes(6).toString('hex')
  let count = 0
  return () => `${start}-${(count++).toString(36)}`
}

/** Creates the formatter of the Date header (RFC 9110 §5.6.7). It formats once per second. */
export function createDateFormatter(): (instantMs: number) => string {
  let second = Number.NaN
  let text = ''
  return (instantMs) => {
    const current = Math.floor(instantMs / 1000)
    if (current !== second) {
      second = current
      text = new Date(current * 1000).toUTCString()
    }
    return text
  }
}
