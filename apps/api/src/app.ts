import { type KeyScope, TallystickError } from '@tallystick/core'
import type { FastifyInstance } from 'fastify'
import type { Config } from './config.ts'
import { createAuthenticate } from './http/authenticate.ts'
import { tlsHeaders } from './http/common-headers.ts'
import { createInstance, type InstanceParts } from './http/create-instance.ts'
import { requireForwardedHttps } from './http/https-required.ts'
import { measureRequests } from './http/measure.ts'
import { assertAcceptsJson } from './http/negotiate.ts'
import type { KeyRing } from './keys/key-ring.ts'
import type { Metrics } from './metrics.ts'
import { type NotesParts, registerNotesRoute } from './notes/route.ts'

export type AppParts = Omit<InstanceParts, 'headers'> & {
  readonly keyRing: KeyRing
  readonly notes: NotesParts
  readonly metrics: Metrics
  readonly monotonicNow: () => number
}

/** What each endpoint takes, and which scope its key needs. */
const endpoints: ReadonlyMap<string, { readonly scope: KeyScope; readonly allow: string }> = new Map([
  ['/notes', { scope: 'notes', allow: 'GET, HEAD' }],
])

/** The public API, complete but for a port: it never listens and never reads the environment. */
export function buildApp(config: Pick<Config, 'chains' | 'listen'>, parts: AppParts): FastifyInstance {
  const app = createInstance({ ...parts, headers: tlsHeaders })
  const chainIds = config.chains.map((chain) => chain.id).sort((a, b) => a - b)
  measureRequests(app, parts.metrics)
  if (config.listen.proxy) requireForwardedHttps(app, config.listen.proxy.trust)
  requireKeys(app, parts)

  registerNotesRoute(app, { parts: parts.notes, chainIds })
  return app
}

/** Key, then allowance, then the request itself: whatever else is wrong with it, a bad key is a 403. */
function requireKeys(app: FastifyInstance, { keyRing, monotonicNow }: AppParts): void {
  const authenticate = createAuthenticate(keyRing, monotonicNow)
  app.addHook('onRequest', (request, reply, done) => {
    const endpoint = endpoints.get(request.routeOptions.url ?? '')
    if (endpoint) {
      authenticate(endpoint.scope, request, reply)
      assertAcceptsJson(request.headers.accept)
    }
    done()
  })
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] as string
    const endpoint = endpoints.get(path)
    if (!endpoint) throw notFound()
    authenticate(endpoint.scope, request, reply)
    reply.header('allow', endpoint.allow)
    throw new TallystickError({
      code: 'method_not_allowed',
      message: `${path} takes ${endpoint.allow}.`,
      retryable: false,
    })
  })
}

function notFound(): TallystickError {
  return new TallystickError({
    code: 'not_found',
    message: `There is nothing at this path. The endpoints are ${[...endpoints.keys()].join(', ')}.`,
    retryable: false,
  })
}
