import { type KeyScope, TallystickError } from '@tallystick/core'
import type { FastifyInstance } from 'fastify'
import type { Config } from './config.ts'
import { type DataParts, registerDataRoutes } from './data/data-route.ts'
import type { PublicQueries } from './data/open-public-queries.ts'
import { registerSubgraphRoutes } from './data/subgraph-route.ts'
import { createAddressLimit } from './http/address-limit.ts'
import { createAuthenticate } from './http/authenticate.ts'
import { createNameCaller } from './http/client-address.ts'
import { tlsHeaders } from './http/common-headers.ts'
import { createInstance, type InstanceParts } from './http/create-instance.ts'
import { requireForwardedHttps } from './http/https-required.ts'
import { measureRequests } from './http/measure.ts'
import { assertAcceptsJson } from './http/negotiate.ts'
import { createTimeBudget } from './http/time-budget.ts'
import type { KeyRing } from './keys/key-ring.ts'
import type { Metrics } from './metrics.ts'
import { type NotesParts, registerNotesRoute } from './notes/route.ts'
import { buildDocument } from './openapi/build-document.ts'
import { registerOpenapiRoutes } from './openapi/route.ts'
import { type PortalParts, registerPortalRoutes } from './portal/portal-routes.ts'
import { type RateParts, registerRateRoute } from './rate/route.ts'

export type AppParts = Omit<InstanceParts, 'headers'> & {
  readonly keyRing: KeyRing
  readonly notes: NotesParts
  readonly data: DataParts
  readonly rate: RateParts
  /** Of the embedded subgraphs. */
  readonly queries: PublicQueries
  readonly portal: PortalParts
  readonly metrics: Metrics
  readonly monotonicNow: () => number
}

type Endpoint = {
  /** As its route is registered. */
  readonly url: string
  readonly path: RegExp
  readonly allow: string
  /** The scope its key needs; undefined where it needs none. */
  readonly scope?: KeyScope
}

/** What there is, and which methods it takes. */
const endpoints: readonly Endpoint[] = [
  { url: '/notes', path: /^\/notes$/, allow: 'GET, HEAD', scope: 'notes' },
  { url: '/data', path: /^\/data$/, allow: 'POST', scope: 'data' },
  { url: '/graphql', path: /^\/graphql$/, allow: 'POST', scope: 'data' },
  { url: '/rate', path: /^\/rate$/, allow: 'GET, HEAD', scope: 'rate' },
  { url: '/subgraphs/:chainid', path: /^\/subgraphs\/[^/]+$/, allow: 'GET, HEAD, POST, OPTIONS' },
  { url: '/openapi.json', path: /^\/openapi\.json$/, allow: 'GET, HEAD' },
  { url: '/docs', path: /^\/docs$/, allow: 'GET, HEAD' },
]

/** What the web page asks for itself: no part of the API. */
const portalPaths: readonly Endpoint[] = [
  { url: '/portal.json', path: /^\/portal\.json$/, allow: 'GET, HEAD' },
  { url: '/portal/last-period', path: /^\/portal\/last-period$/, allow: 'GET, HEAD', scope: 'notes' },
]

/** There only where the page was built. */
const portalPage: readonly Endpoint[] = [
  { url: '/', path: /^\/$/, allow: 'GET, HEAD' },
  { url: '/assets/:name', path: /^\/assets\/[^/]+$/, allow: 'GET, HEAD' },
]

/** The public API, complete but for a port: it never listens and never reads the environment. */
export function buildApp(config: Pick<Config, 'chains' | 'listen'>, parts: AppParts): FastifyInstance {
  const app = createInstance({ ...parts, headers: tlsHeaders })
  const chainIds = config.chains.map((chain) => chain.id).sort((a, b) => a - b)
  measureRequests(app, parts.metrics)
  if (config.listen.proxy) requireForwardedHttps(app, config.listen.proxy.trust)
  requireKeys(app, parts)

  registerNotesRoute(app, { parts: parts.notes, chainIds })
  registerDataRoutes(app, parts.data)
  registerRateRoute(app, { parts: parts.rate, chainIds })
  const { publicRpm: rpm, publicQueryMsPerMinute: msPerMinute, proxy } = config.listen
  const { monotonicNow, queries } = parts
  const nameCaller = createNameCaller(proxy?.trust ?? [])
  const limitAddress = createAddressLimit({ rpm, nameCaller, monotonicNow })
  const budget = createTimeBudget({ msPerMinute, monotonicNow })
  registerSubgraphRoutes(app, { queries, limitAddress, nameCaller, budget })
  const document = buildDocument({
    chainIds,
    dataChainIds: parts.data.chainIds,
    subgraphChainIds: [...queries.subgraphs.keys()],
    endpoints: endpoints.map(({ url }) => url),
  })
  registerOpenapiRoutes(app, { document, limitAddress })
  registerPortalRoutes(app, { parts: parts.portal, limitAddress })
  return app
}

/** Key, then allowance, then the request itself: whatever else is wrong with it, a bad key is a 403. */
function requireKeys(app: FastifyInstance, { keyRing, monotonicNow, portal }: AppParts): void {
  const offered = [...endpoints, ...portalPaths, ...(portal.files ? portalPage : [])]
  const authenticate = createAuthenticate(keyRing, monotonicNow)
  const scopes = new Map(offered.map(({ url, scope }) => [url, scope]))
  app.addHook('onRequest', (request, reply, done) => {
    const scope = scopes.get(request.routeOptions.url ?? '')
    if (scope) {
      authenticate(scope, request, reply)
      assertAcceptsJson(request.headers.accept)
    }
    done()
  })
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] as string
    const endpoint = offered.find((candidate) => candidate.path.test(path))
    if (!endpoint) throw notFound()
    if (endpoint.scope) authenticate(endpoint.scope, request, reply)
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
    message: `There is nothing at this path. The endpoints are ${endpoints.map(({ url }) => url).join(', ')}.`,
    retryable: false,
  })
}
