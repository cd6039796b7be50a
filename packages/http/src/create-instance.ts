import { createLogThrottle, type MetricHelp, type Metrics, type Time } from '@tallystick/base'
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerFactory,
  LogController,
} from 'fastify'
import type { Logger } from 'pino'
import { createClientErrorHandler } from './connection/client-error.ts'
import { createDateFormatter, type FormatDate, hasValidHost } from './head.ts'
import { assertBody } from './request/content.ts'
import { addCors, type Cors } from './response/cors.ts'
import { isDatabaseAway, refusal, sendError } from './response/errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Time of the service clock when the request arrived, Unix ms. All its checks use this value. */
    nowMs: number
  }
}

export type InstanceParts = {
  readonly time: Pick<Time, 'now' | 'monotonic'>
  readonly log: Logger
  readonly nextRequestId: () => string
  /** Creates the server. By default the instance has a plain HTTP server. */
  readonly serverFactory?: FastifyServerFactory | undefined
  /** Headers of every response, besides date and request id. */
  readonly headers: Readonly<Record<string, string>>
  readonly cors?: Cors | undefined
  /** Returns whether a request's route has the CORS headers of `cors`. */
  readonly isCorsRoute?: ((request: FastifyRequest) => boolean) | undefined
  /** Responds to a path that cannot be decoded, or returns false and leaves that to the common format. */
  readonly sendWrongPath?: ((request: FastifyRequest, reply: FastifyReply, status: number) => boolean) | undefined
}

// The largest body is a GraphQL query with its variables.
const bodyBytesMax = 64 * 1024
const requestTimeoutMs = 30_000

/** Creates a Fastify instance whose every error response has our format, wherever in Fastify the error occurs. */
export function createInstance({
  time,
  log,
  nextRequestId,
  serverFactory,
  headers,
  cors,
  isCorsRoute = () => false,
  sendWrongPath,
}: InstanceParts): FastifyInstance {
  const formatDate = createDateFormatter()
  const app = fastify({
    // Fastify's own info lines repeat ours, so only its warnings are logged.
    loggerInstance: log.child({}, { level: log.level === 'silent' ? 'silent' : 'warn' }) as never,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (logger) => logger,
    genReqId: nextRequestId,
    bodyLimit: bodyBytesMax,
    // Fastify's 100 characters protect regular expressions in routes, of which there are none. Node limits the whole URL.
    routerOptions: { maxParamLength: 16 * 1024 },
    requestTimeout: requestTimeoutMs,
    // Requests on open connections are still served during the shutdown.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      const { origin } = request.headers
      reply.headers({
        ...headers,
        ...cors?.headersOf(origin),
        'x-request-id': request.id,
        date: formatDate(time.now()),
      })
      const pair = [request as FastifyRequest, reply as FastifyReply] as const
      if (error.code !== 'FST_ERR_BAD_URL' || !sendWrongPath?.(...pair, 400)) sendError(error, ...pair)
    },
    clientErrorHandler: createClientErrorHandler({ nextRequestId, date: () => formatDate(time.now()) }),
    // `requireHost` handles a missing `Host`. Node's own response would lack our body and headers.
    ...(serverFactory ? { serverFactory } : { http: { requireHostHeader: false } }),
  }) as unknown as FastifyInstance
  // Fastify accepts text by default. Our bodies are JSON only.
  app.removeContentTypeParser('text/plain')
  app.addHook('preValidation', (request, _reply, done) => {
    assertBody(request.body)
    done()
  })
  const throttle = createLogThrottle({ time })
  app.setErrorHandler((error, request, reply) => {
    const noted = isDatabaseAway(error) ? throttle('database') : undefined
    if (noted) log.warn({ err: error, route: request.routeOptions.url, ...noted }, 'database unavailable')
    return sendError(error, request, reply)
  })
  addCommonHeaders(app, { time, headers, formatDate })
  // Before all checks: a page can read errors only with these headers.
  if (cors) addCors(app, cors, isCorsRoute)
  requireHost(app)
  return app
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
function addCommonHeaders(
  app: FastifyInstance,
  { time, headers, formatDate }: Pick<InstanceParts, 'time' | 'headers'> & { readonly formatDate: FormatDate },
): void {
  app.decorateRequest('nowMs', 0)
  app.addHook('onRequest', (request, reply, done) => {
    request.nowMs = time.now()
    reply.headers(headers)
    reply.header('date', formatDate(request.nowMs))
    reply.header('x-request-id', request.id)
    done()
  })
}

/**
 * Answers 400 where RFC 9112 §3.2 demands it: HTTP/1.1 without `Host`, and any version with two of them or an invalid one.
 * HTTP/1.0 knows no `Host` and may omit it.
 */
function requireHost(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (hasValidHost(request.raw)) return done()
    // Proxy and server may interpret such a request differently (request smuggling), so the connection is closed.
    if (request.raw.httpVersionMajor === 1) reply.header('connection', 'close')
    done(refusal('invalid_request', 'Send exactly one Host header, with the name and port of this service.'))
  })
}

export const httpMetricHelp: MetricHelp = {
  tallystick_http_requests_total: 'Requests served, by route and status.',
  tallystick_http_request_duration_seconds: 'Time from a request’s headers to the end of its response, by route.',
  tallystick_plain_http_total: 'Connections refused because they were not TLS.',
}

/** Counts requests by route and status and measures how long they take. */
export function measureRequests(app: FastifyInstance, metrics: Metrics): void {
  const durationOf = remember((route) => metrics.histogram('tallystick_http_request_duration_seconds', { route }))
  const countersOf = remember((route) =>
    remember((status) => metrics.counter('tallystick_http_requests_total', { route, status: Number(status) })),
  )
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none'
    countersOf(route)(String(reply.statusCode)).increment()
    durationOf(route).observe(reply.elapsedTime / 1000)
    done()
  })
}

/** Returns the function that creates the value of a key on first use. */
function remember<Value extends object>(create: (key: string) => Value): (key: string) => Value {
  const known = new Map<string, Value>()
  return (key) => {
    const value = known.get(key)
    if (value) return value
    const created = create(key)
    known.set(key, created)
    return created
  }
}
