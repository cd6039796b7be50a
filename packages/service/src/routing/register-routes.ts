import { TallystickError } from '@tallystick/core'
import { assertAccepts, type Cors, isPreflight, sendPreflight } from '@tallystick/http'
import type { RingKey } from '@tallystick/keys'
import type { FastifyInstance } from 'fastify'
import type { Authenticate } from './authenticate.ts'
import { formatAllow, listEndpoints, type Route } from './route.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Scope that the API key of a request needs. */
    scope?: Route['scope']
    mediaTypes?: Route['mediaTypes']
  }
  interface FastifyRequest {
    /** API key of the request, on a route that needs one. */
    apiKey: RingKey | undefined
  }
}

/** Registers the routes, the check of API keys and the response to a request that matches no route. */
export function registerRoutes(
  app: FastifyInstance,
  {
    routes,
    authenticate,
    cors,
  }: {
    readonly routes: readonly Route[]
    readonly authenticate: Authenticate
    readonly cors?: Cors | undefined
  },
): void {
  app.decorateRequest('apiKey', undefined)
  app.decorateRequest('encodeError', undefined)
  // First: a bad key is a 403, whatever else is wrong with the request.
  app.addHook('onRequest', (request, reply, done) => {
    const { scope, mediaTypes } = request.routeOptions.config
    if (scope) {
      request.apiKey = authenticate(scope, request, reply)
      assertAccepts(request.headers.accept, mediaTypes)
    }
    done()
  })
  for (const { method, url, scope, mediaTypes, encodeError, onRequest, handler } of routes) {
    app.route({ method, url, config: { scope, mediaTypes, encodeError }, ...(onRequest && { onRequest }), handler })
  }
  const patterns = routes.map(({ url, scope, encodeError }) => ({ url, scope, encodeError, pattern: toPattern(url) }))
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] as string
    const known = patterns.find(({ pattern }) => pattern.test(path))
    const allow = known ? formatAllow(routes, known.url) : 'GET, HEAD, POST'
    // Of an unknown path, too: otherwise a page could not read the 404.
    if (cors && isPreflight(request, cors)) return sendPreflight(reply, allow)
    if (!known) throw notFound(listEndpoints(routes))
    request.encodeError = known.encodeError
    if (known.scope) authenticate(known.scope, request, reply)
    reply.header('allow', allow)
    throw methodNotAllowed(path, allow)
  })
}

/** Returns the pattern of the paths that a URL such as `/assets/:name` or `/files/*` matches. */
function toPattern(url: string): RegExp {
  return new RegExp(`^${url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+').replaceAll('*', '.+')}$`)
}

function notFound(endpoints: readonly string[]): TallystickError {
  return new TallystickError({
    code: 'not_found',
    message: `There is nothing at this path. The endpoints are ${endpoints.join(', ')}.`,
    retryable: false,
  })
}

function methodNotAllowed(path: string, allow: string): TallystickError {
  return new TallystickError({ code: 'method_not_allowed', message: `${path} accepts ${allow}.`, retryable: false })
}
