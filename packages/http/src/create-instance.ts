import { type Clock, createLogThrottle } from '@tallystick/base'
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerFactory,
  LogController,
} from 'fastify'
import type { Logger } from 'pino'
import { createClientErrorHandler } from './connection/client-error.ts'
import { assertBody } from './request/assert-json.ts'
import { requireHost } from './request/require-host.ts'
import { addCommonHeaders, createDateFormatter } from './response/common-headers.ts'
import { addCors, type Cors } from './response/cors.ts'
import { isDatabaseAway, sendError } from './response/errors.ts'

export type InstanceParts = {
  readonly clock: Clock
  readonly log: Logger
  readonly nextRequestId: () => string
  /** Creates the server. By default the instance has a plain HTTP server. */
  readonly serverFactory?: FastifyServerFactory | undefined
  /** Headers of every response, besides date and request id. */
  readonly headers: Readonly<Record<string, string>>
  readonly cors?: Cors | undefined
  /** Returns whether a request's route has the CORS headers of `cors`. */
  readonly isCorsRoute?: ((request: FastifyRequest) => boolean) | undefined
}

// The largest body is a GraphQL query with its variables.
const bodyBytesMax = 64 * 1024
const requestTimeoutMs = 30_000

/** Creates a Fastify instance whose every error response has our format, wherever in Fastify the error occurs. */
export function createInstance({
  clock,
  log,
  nextRequestId,
  serverFactory,
  headers,
  cors,
  isCorsRoute = () => false,
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
        date: formatDate(clock.now()),
      })
      sendError(error, request as FastifyRequest, reply as FastifyReply)
    },
    clientErrorHandler: createClientErrorHandler({ nextRequestId, date: () => formatDate(clock.now()) }),
    // `requireHost` handles a missing `Host`. Node's own response would lack our body and headers.
    ...(serverFactory ? { serverFactory } : { http: { requireHostHeader: false } }),
  }) as unknown as FastifyInstance
  // Fastify accepts text by default. Our bodies are JSON only.
  app.removeContentTypeParser('text/plain')
  app.addHook('preValidation', (request, _reply, done) => {
    assertBody(request.body)
    done()
  })
  const throttle = createLogThrottle({ monotonicNow: () => performance.now() })
  app.setErrorHandler((error, request, reply) => {
    const noted = isDatabaseAway(error) ? throttle('database') : undefined
    if (noted) log.warn({ err: error, route: request.routeOptions.url, ...noted }, 'database unavailable')
    return sendError(error, request, reply)
  })
  addCommonHeaders(app, { clock, headers })
  // Before all checks: a page can read errors only with these headers.
  if (cors) addCors(app, cors, isCorsRoute)
  requireHost(app)
  return app
}
