import type { Metrics } from '@tallystick/base'
import type { PublicQueries } from '@tallystick/gateway'
import {
  createAddressLimit,
  createIdentifyCaller,
  createInstance,
  createRequestAddress,
  createTimeBudget,
  type InstanceParts,
  measureRequests,
  requireForwardedHttps,
  tlsHeaders,
} from '@tallystick/http'
import type { KeyRing } from '@tallystick/keys'
import type { FastifyInstance } from 'fastify'
import { createCalendarRoute } from './calendar/route.ts'
import type { ChainsParts } from './chains/create-chains-parts.ts'
import { createChainsRoute } from './chains/route.ts'
import type { Config } from './config/config.ts'
import { createDataRoutes, type DataParts } from './data/data-route.ts'
import { createGraphqlRoutes } from './data/graphql-route.ts'
import { createSubgraphRoutes } from './data/subgraph-route.ts'
import type { EnsParts } from './ens/create-ens-parts.ts'
import { createEnsRoute } from './ens/route.ts'
import { createEventsRoute, type EventsParts } from './events/route.ts'
import type { HistoryParts } from './history/create-history-parts.ts'
import { createHistoryRoutes } from './history/route.ts'
import { createLogRoutes, type LogParts } from './log/route.ts'
import { createNotesRoute, type NotesParts } from './notes/route.ts'
import { createOpenapiRoute } from './openapi/route.ts'
import { createPortalRoutes, type PortalParts } from './portal/portal-routes.ts'
import type { RateParts } from './rate/read-rates.ts'
import { createRateRoute } from './rate/route.ts'
import { createAuthenticate, registerRoutes } from './routing/register-routes.ts'
import type { Route } from './routing/route.ts'

export type AppParts = Omit<InstanceParts, 'headers'> & {
  readonly keyRing: KeyRing
  readonly notes: NotesParts
  readonly data: DataParts
  readonly rate: RateParts
  readonly history: HistoryParts
  readonly chains: ChainsParts
  /** Undefined if no public log is configured. */
  readonly publicLog?: LogParts | undefined
  readonly events: EventsParts
  /** Queries of the embedded subgraphs. */
  readonly queries: PublicQueries
  readonly portal: PortalParts
  /** Undefined if ENS is not configured. */
  readonly ens?: EnsParts | undefined
  readonly metrics: Metrics
}

type AppConfig = Pick<Config, 'chains' | 'listen'>

/** Builds the public API. It never listens and never reads the environment. */
export function buildApp(config: AppConfig, parts: AppParts): FastifyInstance {
  const { cors } = parts
  const app = createInstance({
    time: parts.time,
    log: parts.log,
    nextRequestId: parts.nextRequestId,
    serverFactory: parts.serverFactory,
    headers: tlsHeaders,
    cors,
    isCorsRoute: (request) => request.routeOptions.config.scope !== undefined,
  })
  measureRequests(app, parts.metrics)
  if (config.listen.proxy) requireForwardedHttps(app, config.listen.proxy.trust)
  const addressOf = createRequestAddress(config.listen.proxy?.trust ?? [])
  const { keyRing, time } = parts
  const authenticate = createAuthenticate({ keyRing, time, addressOf })
  const identifyCaller = createIdentifyCaller(config.listen.proxy?.trust ?? [])
  const limitAddress = createAddressLimit({ rpm: config.listen.publicRpm, identifyCaller, time })
  const budget = createTimeBudget({ msPerMinute: config.listen.publicQueryMsPerMinute, time })
  const subgraphRoutes = createSubgraphRoutes({ queries: parts.queries, limitAddress, identifyCaller, budget })
  const routes = listRoutes(config.chains, { parts, subgraphRoutes })
  registerRoutes(app, { routes, authenticate, limitAddress, cors })
  return app
}

function listRoutes(
  chains: AppConfig['chains'],
  { parts, subgraphRoutes }: { readonly parts: AppParts; readonly subgraphRoutes: readonly Route[] },
): readonly Route[] {
  const sortedChains = chains.toSorted((a, b) => a.id - b.id)
  const chainIds = sortedChains.map(({ id }) => id)
  const described = [
    createNotesRoute(parts.notes, sortedChains),
    ...createDataRoutes(parts.data),
    ...createGraphqlRoutes(parts.data),
    createRateRoute(parts.rate, chainIds),
    ...createHistoryRoutes(parts.history, chainIds),
    createCalendarRoute(),
    createEventsRoute(parts.events, chainIds),
    createChainsRoute(parts.chains),
    ...(parts.publicLog ? createLogRoutes(parts.publicLog, chainIds) : []),
    ...subgraphRoutes,
  ]
  const routes = [...described, ...createPortalRoutes(parts.portal), createEnsRoute(parts.ens)]
  const subgraphChainIds = [...parts.queries.subgraphs.keys()]
  const documented = { chainIds, dataChainIds: parts.data.chainIds, subgraphChainIds }
  return [...routes, createOpenapiRoute(routes, documented)]
}
