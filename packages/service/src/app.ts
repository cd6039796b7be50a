import {
  createAddressLimit,
  createInstance,
  createTimeBudget,
  measureRequests,
  requireForwardedHttps,
  tlsHeaders,
} from '@tallystick/http'
import type { FastifyInstance, FastifyRequest, FastifyServerFactory } from 'fastify'
import { createCalendarRoute } from './calendar/route.ts'
import { createChainsRoute } from './chains/route.ts'
import { createDataRoutes } from './data/data-route.ts'
import { createGraphqlRoutes } from './data/graphql-route.ts'
import { createAnalysePersisted } from './data/persisted-queries.ts'
import { createSubgraphRoutes, type SubgraphParts } from './data/subgraph-route.ts'
import { createRespondToVisitor } from './data/visitor-data.ts'
import { createEnsParts } from './ens/create-ens-parts.ts'
import { createEnsRoute } from './ens/route.ts'
import { createEventsRoute } from './events/route.ts'
import { createHistoryRoutes } from './history/route.ts'
import { createLogRoutes } from './log/route.ts'
import { createNotesRoute } from './notes/route.ts'
import { createOpenapiRoute } from './openapi/route.ts'
import { loadPortal } from './portal/load-portal.ts'
import { createPortalRoutes } from './portal/portal-routes.ts'
import { createSendWrongPath } from './portal/wrong-path-page.ts'
import { createRateRoute } from './rate/route.ts'
import { type Access, createAuthenticate } from './routing/access.ts'
import { registerRoutes } from './routing/register-routes.ts'
import type { Route } from './routing/route.ts'
import type { ServiceContext } from './service-context.ts'
import type { ServiceParts } from './start-parts.ts'
import { createVisitRoute } from './visitors/visit-route.ts'

type AppOptions = {
  readonly parts: ServiceParts
  readonly access: Access
  readonly nextRequestId: () => string
  readonly serverFactory: FastifyServerFactory | undefined
}

/** Builds the public API. It never listens and never reads the environment. */
export function buildApp(
  context: ServiceContext,
  { parts, access, nextRequestId, serverFactory }: AppOptions,
): FastifyInstance {
  const { config, time, log, metrics } = context
  const { cors, identifyCaller, findAddressWindow, isForwardedHttps } = access
  const isCorsRoute = (request: FastifyRequest) => request.routeOptions.config.scope !== undefined
  const portal = loadPortal({ config, signers: parts.notes.signers, options: context.options.portal })
  const sendWrongPath = createSendWrongPath(portal.files)
  const instance = { time, log, nextRequestId, serverFactory, headers: tlsHeaders, cors, isCorsRoute, sendWrongPath }
  const app = createInstance(instance)
  measureRequests(app, metrics)
  if (isForwardedHttps) requireForwardedHttps(app, isForwardedHttps)
  const authenticate = createAuthenticate(access, time)
  const limitAddress = createAddressLimit(findAddressWindow, time)
  const budget = createTimeBudget({ msPerMinute: config.listen.publicQueryMsPerMinute, time })
  const { queries } = parts.gateway
  const open = { queries, limitAddress, identifyCaller, budget }
  const portalRoutes = createPortalRoutes(portal, sendWrongPath)
  const routes = listRoutes(context, { parts, open, portalRoutes })
  const admitVisitor = parts.visitors?.admit
  registerRoutes(app, { routes, authenticate, limitAddress, admitVisitor, cors, sendWrongPath })
  return app
}

type RoutesOptions = {
  readonly parts: ServiceParts
  /** Parts of the queries without a key. */
  readonly open: SubgraphParts
  readonly portalRoutes: readonly Route[]
}

function listRoutes(context: ServiceContext, { parts, open, portalRoutes }: RoutesOptions): readonly Route[] {
  const { config, database, time } = context
  const { clocks, publicLog, streams, visitors } = parts
  const { published, scheduler } = parts.notes
  const { analyse, gateway, chainIds: dataChainIds } = parts.gateway.data
  const data = { analyse, gateway, chainIds: dataChainIds }
  const chains = config.chains.toSorted((a, b) => a.id - b.id)
  const chainIds = chains.map(({ id }) => id)
  const analysePersisted = createAnalysePersisted(analyse)
  const respondToVisitor = createRespondToVisitor({ ...data, ...open })
  const described = [
    createNotesRoute({ published, scheduler, time, clocks }, chains),
    ...createDataRoutes({ ...data, respondToVisitor }),
    ...createGraphqlRoutes({ analysePersisted, gateway, chainIds: dataChainIds }),
    createRateRoute(parts.rate, chainIds),
    ...createHistoryRoutes({ database, clocks, index: parts.gateway.index }, chainIds),
    createCalendarRoute(),
    createEventsRoute(streams, chainIds),
    createChainsRoute(parts.chains),
    ...(publicLog ? createLogRoutes({ log: publicLog, database }, chainIds) : []),
    ...createSubgraphRoutes(open),
  ]
  const pageRoutes = [...portalRoutes, ...(visitors ? [createVisitRoute(visitors)] : [])]
  const routes = [...described, ...pageRoutes, createEnsRoute(createEnsParts(context))]
  const subgraphChainIds = [...parts.gateway.queries.subgraphs.keys()]
  return [...routes, createOpenapiRoute(routes, { chainIds, dataChainIds, subgraphChainIds })]
}
