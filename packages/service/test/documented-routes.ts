import { createCalendarRoute } from '../src/calendar/route.ts'
import { createChainsRoute } from '../src/chains/route.ts'
import { createDataRoutes } from '../src/data/data-route.ts'
import { createGraphqlRoutes } from '../src/data/graphql-route.ts'
import { createSubgraphRoutes } from '../src/data/subgraph-route.ts'
import { createEventsRoute } from '../src/events/route.ts'
import { createHistoryRoutes } from '../src/history/route.ts'
import { createLogRoutes } from '../src/log/route.ts'
import { createNotesRoute } from '../src/notes/route.ts'
import { openapiRoute } from '../src/openapi/route.ts'
import { docsRoute } from '../src/portal/docs-route.ts'
import { createRateRoute } from '../src/rate/route.ts'

// A description does not use the parts that its handler needs.
const parts = {} as never

/** Routes of the API, to be described and never called. */
export const documentedRoutes = [
  createNotesRoute(parts, []),
  ...createDataRoutes(parts),
  ...createGraphqlRoutes(parts),
  createRateRoute(parts, []),
  ...createHistoryRoutes({ database: parts, clocks: parts, index: parts }, []),
  createCalendarRoute(),
  createEventsRoute(parts, []),
  createChainsRoute(parts),
  ...createLogRoutes(parts, []),
  ...createSubgraphRoutes(parts),
  docsRoute,
  openapiRoute,
]
