import type { TallystickError } from '@tallystick/core'
import { assertAccepts, type Cors, isPreflight, type LimitAddress, refusal, sendPreflight } from '@tallystick/http'
import type { RingKey } from '@tallystick/keys'
import type { FastifyInstance } from 'fastify'
import type { Authenticate } from './authenticate.ts'
import { formatAllow, listEndpoints, type Route } from './route.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Scope that the API key of a request needs. */
    scope?: Route['scope']
    mediaTypes?: Route['mediaTypes']
    openTo?: Route['openTo']
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
    limitAddress,
    cors,
  }: {
    readonly routes: readonly Route[]
    readonly authenticate: Authenticate
    readonly limitAddress: LimitAddress
    readonly cors?: Cors | undefined
  },
): void {
  app.decorateRequest('apiKey', undefined)
  app.decorateRequest('encodeError', undefined)
  // First: a bad key is a 403, whatever else is wrong with the request.
  app.addHook('onRequest', (request, reply, done) => {
    const { scope, mediaTypes, openTo } = request.routeOptions.config
    if (scope) {
      request.apiKey = authenticate(scope, request, reply)
      assertAccepts(request.headers.accept, mediaTypes)
    }
    // What needs no key is the same for everyone.
    if (openTo === 'any-origin') reply.header('access-control-allow-origin', '*')
    if (openTo) limitAddress(request, reply)
    done()
  })
  for (const { method, url, scope, mediaTypes, openTo, encodeError, onRequest = [], handler } of routes) {
    app.route({ method, url, config: { scope, mediaTypes, openTo, encodeError }, onRequest, handler })
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
  return refusal('not_found', `There is nothing at this path. The endpoints are ${endpoints.join(', ')}.`)
}

function methodNotAllowed(path: string, allow: string): TallystickError {
  return refusal('method_not_allowed', `${path} accepts ${allow}.`)
}
