import type { TallystickError } from '@tallystick/core'
import {
  type Cors,
  chooseMediaType,
  isPreflight,
  jsonType,
  type LimitAddress,
  refusal,
  sendPreflight,
} from '@tallystick/http'
import type { RingKey } from '@tallystick/keys'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticate } from './access.ts'
import { formatAllow, listEndpoints, type Route } from './route.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Scope that the API key of a request needs. */
    scope?: Route['scope']
    mediaTypes?: Route['mediaTypes']
    openTo?: Route['openTo']
    isOpenToVisitors?: Route['isOpenToVisitors']
  }
  interface FastifyRequest {
    /** API key of the request, on a route that needs one. */
    apiKey: RingKey | undefined
    /** Whether the request is one of a visitor, with a token instead of a key. */
    isVisitor: boolean
  }
}

/** Header of a visitor's token. No page of another origin may send it: CORS does not allow it. */
export const visitorHeader = 'x-tallystick-visitor'

/** Checks the token and the limit of a visitor's request. Rejects at the first that fails. */
export type AdmitVisitor = (
  request: FastifyRequest,
  exchange: { readonly reply: FastifyReply; readonly isOpen: boolean },
) => Promise<void>

type RegisterRoutesOptions = {
  readonly routes: readonly Route[]
  readonly authenticate: Authenticate
  readonly limitAddress: LimitAddress
  /** Checks a request with a visitor token. Undefined if there are no visitors: the token is then ignored. */
  readonly admitVisitor?: AdmitVisitor | undefined
  readonly cors?: Cors | undefined
  /** Responds to a browser whose path names nothing. Returns false for a program. */
  readonly sendWrongPath?: (request: FastifyRequest, reply: FastifyReply, status: number) => boolean
}

/** Registers the routes, the check of API keys and the response to a request that matches no route. */
export function registerRoutes(
  app: FastifyInstance,
  { routes, authenticate, limitAddress, admitVisitor, cors, sendWrongPath }: RegisterRoutesOptions,
): void {
  app.decorateRequest('apiKey', undefined)
  app.decorateRequest('isVisitor', false)
  app.decorateRequest('encodeError', undefined)
  if (admitVisitor) addVisitors(app, admitVisitor)
  // First: a bad key is a 403, whatever else is wrong with the request.
  app.addHook('onRequest', (request, reply, done) => {
    const { scope, mediaTypes, openTo } = request.routeOptions.config
    if (scope) {
      if (!request.isVisitor) request.apiKey = authenticate(scope, request, reply)
      chooseMediaType(request.headers.accept, mediaTypes ?? [jsonType])
    }
    // What needs no key is the same for everyone.
    if (openTo === 'any-origin') reply.header('access-control-allow-origin', '*')
    if (openTo) limitAddress(request, reply)
    done()
  })
  for (const { method, url, onRequest = [], handler, describe, ...config } of routes) {
    app.route({ method, url, config, onRequest, handler })
  }
  const patterns = routes.map(({ url, scope, encodeError }) => ({ url, scope, encodeError, pattern: toPattern(url) }))
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] as string
    const known = patterns.find(({ pattern }) => pattern.test(path))
    const allow = known ? formatAllow(routes, known.url) : 'GET, HEAD, POST'
    // Of an unknown path, too: otherwise a page could not read the 404.
    if (cors && isPreflight(request, cors)) return sendPreflight(reply, allow)
    if (!known) {
      if (sendWrongPath?.(request, reply, 404)) return reply
      throw notFound(listEndpoints(routes))
    }
    request.encodeError = known.encodeError
    if (known.scope) authenticate(known.scope, request, reply)
    reply.header('allow', allow)
    throw methodNotAllowed(path, allow)
  })
}

/**
 * Admits requests with a visitor token before the check of keys. A request that has a key too is one with that key: a token
 * never helps a bad key.
 */
function addVisitors(app: FastifyInstance, admit: AdmitVisitor): void {
  app.addHook('onRequest', async (request, reply) => {
    const { scope, isOpenToVisitors = false } = request.routeOptions.config
    const { [visitorHeader]: token, 'x-api-key': secret } = request.headers
    if (!scope || token === undefined || secret !== undefined) return
    await admit(request, { reply, isOpen: isOpenToVisitors })
    request.isVisitor = true
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
