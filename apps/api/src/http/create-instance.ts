import { createLogThrottle } from '@tallystick/core/log/log-throttle'
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerFactory,
  LogController,
} from 'fastify'
import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import { assertBody } from './assert-json.ts'
import { createClientErrorHandler } from './client-error.ts'
import { addCommonHeaders, createDateFormatter } from './common-headers.ts'
import { isDatabaseAway, sendError } from './errors.ts'
import { requireHost } from './require-host.ts'

export type InstanceParts = {
  readonly clock: Clock
  readonly log: Logger
  readonly nextRequestId: () => string
  /** Left out, the instance has a plain server of its own, which nothing need ever listen on. */
  readonly serverFactory?: FastifyServerFactory | undefined
  /** Headers of every answer, beside the date and the request's id. */
  readonly headers: Readonly<Record<string, string>>
}

// SPEC.md has no larger body than a GraphQL query with its variables.
const bodyBytesMax = 64 * 1024
const requestTimeoutMs = 30_000

/** A Fastify that answers every failure in our words, wherever in its machinery it happens. */
export function createInstance({ clock, log, nextRequestId, serverFactory, headers }: InstanceParts): FastifyInstance {
  const formatDate = createDateFormatter()
  const app = fastify({
    // Its own notices (where it listens) are said better by us; only what is wrong is worth a line.
    loggerInstance: log.child({}, { level: log.level === 'silent' ? 'silent' : 'warn' }) as never,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (logger) => logger,
    genReqId: nextRequestId,
    bodyLimit: bodyBytesMax,
    requestTimeout: requestTimeoutMs,
    // What still arrives on an open connection while we close is answered like anything else: it is all in memory.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      reply.headers({ ...headers, 'x-request-id': request.id, date: formatDate(clock.now()) })
      sendError(error, request as FastifyRequest, reply as FastifyReply)
    },
    clientErrorHandler: createClientErrorHandler({ nextRequestId, date: () => formatDate(clock.now()) }),
    // `requireHost` answers a request without `Host`. Node would without our body and headers.
    ...(serverFactory ? { serverFactory } : { http: { requireHostHeader: false } }),
  }) as unknown as FastifyInstance
  // What Fastify reads by itself beside JSON; a body of ours is never text.
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
  requireHost(app)
  return app
}
