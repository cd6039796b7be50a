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
import type { ChainsParts } from './chains/open-chains.ts'
import { createChainsRoute } from './chains/route.ts'
import type { Config } from './config/config.ts'
import { createDataRoutes, type DataParts } from './data/data-route.ts'
import { createGraphqlRoutes } from './data/graphql-route.ts'
import { createSubgraphRoutes } from './data/subgraph-route.ts'
import type { EnsParts } from './ens/open-ens.ts'
import { createEnsRoute } from './ens/route.ts'
import { createEventsRoute, type EventsParts } from './events/route.ts'
import type { HistoryParts } from './history/open-history.ts'
import { createHistoryRoutes } from './history/route.ts'
import { createLogRoutes, type LogParts } from './log/route.ts'
import { createNotesRoute, type NotesParts } from './notes/route.ts'
import { createOpenapiRoute } from './openapi/route.ts'
import { createPortalRoutes, type PortalParts } from './portal/portal-routes.ts'
import type { RateParts } from './rate/read-rates.ts'
import { createRateRoute } from './rate/route.ts'
import { createAuthenticate } from './routing/authenticate.ts'
import { registerRoutes } from './routing/register-routes.ts'
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
  readonly monotonicNow: () => number
}

type AppConfig = Pick<Config, 'chains' | 'listen'>

/** Builds the public API. It never listens and never reads the environment. */
export function buildApp(config: AppConfig, parts: AppParts): FastifyInstance {
  const { cors } = parts
  const app = createInstance({
    clock: parts.clock,
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
  const authenticate = createAuthenticate({ ...parts, addressOf })
  registerRoutes(app, { routes: listRoutes(config, parts), authenticate, cors })
  return app
}

function listRoutes({ chains, listen }: AppConfig, parts: AppParts): readonly Route[] {
  const { queries, monotonicNow } = parts
  const sortedChains = chains.toSorted((a, b) => a.id - b.id)
  const chainIds = sortedChains.map(({ id }) => id)
  const identifyCaller = createIdentifyCaller(listen.proxy?.trust ?? [])
  const limitAddress = createAddressLimit({ rpm: listen.publicRpm, identifyCaller, monotonicNow })
  const budget = createTimeBudget({ msPerMinute: listen.publicQueryMsPerMinute, monotonicNow })
  const described = [
    createNotesRoute({ parts: parts.notes, chains: sortedChains }),
    ...createDataRoutes(parts.data),
    ...createGraphqlRoutes(parts.data),
    createRateRoute({ parts: parts.rate, chainIds }),
    ...createHistoryRoutes({ parts: parts.history, chainIds }),
    createCalendarRoute({ limitAddress }),
    createEventsRoute({ parts: parts.events, chainIds }),
    createChainsRoute({ parts: parts.chains, limitAddress }),
    ...(parts.publicLog ? createLogRoutes({ parts: parts.publicLog, chainIds, limitAddress }) : []),
    ...createSubgraphRoutes({ queries, limitAddress, identifyCaller, budget }),
  ]
  const context = { chainIds, dataChainIds: parts.data.chainIds, subgraphChainIds: [...queries.subgraphs.keys()] }
  const ensRoute = createEnsRoute({ parts: parts.ens, limitAddress })
  const routes = [...described, ...createPortalRoutes({ parts: parts.portal, limitAddress }), ensRoute]
  return [...routes, createOpenapiRoute({ routes, context, limitAddress })]
}
