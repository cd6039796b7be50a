import { graphqlSchemaOf, type Subgraph } from '@tallystick/subgraph'
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import { createPublicAnswer } from '../src/data/public-answer.ts'
import { createQueryGate } from '../src/data/query-gate.ts'
import { createSubgraphRoutes } from '../src/data/subgraph-route.ts'
import { createAddressLimit } from '../src/http/address-limit.ts'
import { createIdentifyCaller } from '../src/http/client-address.ts'
import { createRequestIds, tlsHeaders } from '../src/http/common-headers.ts'
import { createInstance } from '../src/http/create-instance.ts'
import { createTimeBudget } from '../src/http/time-budget.ts'
import { registerRoutes } from '../src/register-routes.ts'

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
  const app = createInstance({
    clock: { now },
    log: pino({ level: 'silent' }),
    nextRequestId: createRequestIds(),
    headers: tlsHeaders,
  })
  const monotonicNow = () => performance.now()
  const identifyCaller = createIdentifyCaller(['127.0.0.1'])
  const subgraphs = new Map([[324, createPublicAnswer(subgraph, graphqlSchemaOf(schema))]])
  const routes = createSubgraphRoutes({
    queries: { subgraphs, gate: createQueryGate({ runningMax: 4, waitingMax: 100 }) },
    limitAddress: createAddressLimit({ rpm, identifyCaller, monotonicNow }),
    identifyCaller,
    budget: createTimeBudget({ msPerMinute, monotonicNow }),
  })
  registerRoutes(app, { routes, authenticate: notAuthenticated })
  return app
}

/** No route of the subgraphs needs a key. */
function notAuthenticated(): never {
  throw new Error('a route without a scope was authenticated')
}
