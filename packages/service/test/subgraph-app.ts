import { createGate, createPublicAnswer } from '@tallystick/gateway'
import {
  createAddressLimit,
  createAddressWindows,
  createIdentifyCaller,
  createInstance,
  createRequestIds,
  createTimeBudget,
  tlsHeaders,
} from '@tallystick/http'
import { graphqlSchemaOf, type Subgraph } from '@tallystick/subgraph'
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import { createSubgraphRoutes } from '../src/data/subgraph-route.ts'
import { registerRoutes } from '../src/routing/register-routes.ts'

/** `/subgraphs/324` alone, of a subgraph of any schema, behind a proxy on this machine. */
export function buildSubgraphApp(
  subgraph: Subgraph,
  {
    schema,
    now = Date.now,
    rpm = null,
    msPerMinute = null,
  }: {
    readonly schema: string
    readonly now?: () => number
    readonly rpm?: number | null
    readonly msPerMinute?: number | null
  },
): FastifyInstance {
  const time = { now, monotonic: () => performance.now() }
  const app = createInstance({
    time,
    log: pino({ level: 'silent' }),
    nextRequestId: createRequestIds(),
    headers: tlsHeaders,
  })
  const identifyCaller = createIdentifyCaller(['127.0.0.1'])
  const subgraphs = new Map([[324, createPublicAnswer(subgraph, graphqlSchemaOf(schema))]])
  const limitAddress = createAddressLimit(createAddressWindows({ rpm, identifyCaller, time }), time)
  const routes = createSubgraphRoutes({
    queries: {
      subgraphs,
      gate: createGate({ runningMax: 4, waitingMax: 100, refuse: () => new Error('the queue is full') }),
    },
    limitAddress,
    identifyCaller,
    budget: createTimeBudget({ msPerMinute, time }),
  })
  registerRoutes(app, { routes, authenticate: notAuthenticated, limitAddress })
  return app
}

/** No route of the subgraphs needs a key. */
function notAuthenticated(): never {
  throw new Error('a route without a scope was authenticated')
}
