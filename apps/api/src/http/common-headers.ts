import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../clock.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The service clock when the request arrived, Unix milliseconds: the one reading everything about it goes by. */
    nowMs: number
  }
}

/** On every answer. They are JSON, so nothing may be loaded, framed or sniffed. */
export const securityHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const

/** On what went out over TLS, and only there (RFC 6797 §7.2). */
export const tlsHeaders = { ...securityHeaders, 'strict-transport-security': 'max-age=31536000' } as const

/** Gives every request its time and every answer its id, its date and the headers all answers have. */
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

/** Ids that do not repeat, across restarts and replicas, and cost nothing: a random start and a count. */
export function createRequestIds(): () => string {
  const start = randomBytes(6).toString('hex')
  let count = 0
  return () => `${start}-${(count++).toString(36)}`
}

/** The Date header (RFC 9110 §5.6.7), made once a second. */
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
