import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Cross-origin access of web pages to the routes that need a key (docs/decisions/0041-graphql-over-http.md). */
export type Cors = {
  isAllowed(origin: string | undefined): boolean
  /** Returns the headers of a response to a request from this origin. */
  headersOf(origin: string | undefined): Readonly<Record<string, string>>
  /** Returns the header lines by which a response to an allowed origin differs from others. */
  linesOf(origin: string | undefined): string
}

// Headers of our responses that a page could not read otherwise.
const exposedHeaders =
  'x-request-id, date, etag, link, allow, content-disposition, deprecation, retry-after, ' +
  'ratelimit, ratelimit-policy, x-tallystick-chains, x-tallystick-log'
// Headers of our requests, and those that browser tracing and Apollo Client add.
const requestHeaders =
  'x-api-key, content-type, if-none-match, last-event-id, cache-control, ' +
  'traceparent, tracestate, baggage, sentry-trace, x-requested-with, x-apollo-operation-name, ' +
  'apollographql-client-name, apollographql-client-version, apollo-require-preflight'
// Chrome keeps a preflight for no longer.
const maxAgeSeconds = 7_200

/** Header of every response whose content depends on the origin, so that no cache gives one page the response to another. */
export const varyByOrigin = { vary: 'Origin' } as const

/** Creates the access of these origins. Undefined if there are none. */
export function createCors(origins: readonly string[] = []): Cors | undefined {
  if (origins.length === 0) return undefined
  const allowed = new Map(
    origins.map((origin) => {
      const headers = { 'access-control-allow-origin': origin, 'access-control-expose-headers': exposedHeaders }
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
      return [origin, { headers: { ...headers, ...varyByOrigin }, lines: lines.join('') }] as const
    }),
  )
  const find = (origin: string | undefined) => (origin === undefined ? undefined : allowed.get(origin))
  return {
    isAllowed: (origin) => find(origin) !== undefined,
    headersOf: (origin) => find(origin)?.headers ?? varyByOrigin,
    linesOf: (origin) => find(origin)?.lines ?? '',
  }
}

/** Sets the headers on the responses to some requests, and of unknown paths. Other routes have their own. */
export function addCors(app: FastifyInstance, cors: Cors, isIncluded: (request: FastifyRequest) => boolean): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (isIncluded(request) || request.is404) {
      reply.headers(cors.headersOf(request.headers.origin))
    }
    done()
  })
}

/** Returns whether a browser asks if a page of an allowed origin may send a request. Browsers send no key with it. */
export function isPreflight({ method, headers }: FastifyRequest, cors: Cors): boolean {
  return (
    method === 'OPTIONS' && headers['access-control-request-method'] !== undefined && cors.isAllowed(headers.origin)
  )
}

/** Permits the methods of a path. */
export function sendPreflight(reply: FastifyReply, allow: string): FastifyReply {
  return reply
    .headers({
      'access-control-allow-methods': allow,
      'access-control-allow-headers': requestHeaders,
      'access-control-max-age': String(maxAgeSeconds),
      'cache-control': 'no-store',
    })
    .code(204)
    .send()
}
