import { TallystickError } from '@tallystick/core'
import { type ChainResult, type OpenData, prepareQuery } from '@tallystick/gateway'
import { watchCaller } from '@tallystick/http'
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { Route } from '../routing/route.ts'
import { parseDataRequest } from './data-request.ts'
import { describeData, describeGraphql } from './describe-data.ts'
import { encodeResults, toEntry } from './encode-results.ts'
import { formatHeads, headsOf } from './format-heads.ts'
import type { KnownRequests } from './known-requests.ts'
import type { AnalysePersisted } from './persisted-queries.ts'

export type DataParts = Pick<OpenData, 'analyse' | 'gateway' | 'chainIds'> & {
  readonly analysePersisted: AnalysePersisted
  readonly knownRequests: KnownRequests
}

// The date from which `/data` replaces `/graphql`, the path in one example of the specification.
const deprecation = { deprecation: '@1763164800', link: '</data>; rel="successor-version"' } as const

/** Creates the routes `POST /data` (SPEC.md §4.2) and `POST /graphql`, its deprecated name. */
export function createDataRoutes(parts: DataParts): readonly Route[] {
  const handler: RouteHandlerMethod = (request, reply) => respond(parts, { request, reply })
  const onRequest = (_: FastifyRequest, reply: FastifyReply, done: () => void) => {
    reply.headers(deprecation)
    done()
  }
  return [
    { method: 'POST', url: '/data', scope: 'data', describe: describeData, handler },
    { method: 'POST', url: '/graphql', scope: 'data', describe: describeGraphql, onRequest, handler },
  ]
}

async function respond(
  { analyse, gateway, chainIds, knownRequests }: DataParts,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Promise<FastifyReply> {
  const { query: text, chains, ...asked } = parseDataRequest(request.body, chainIds)
  const query = prepareQuery(analyse(text), asked)
  // Only for queries answered from memory: most other texts are never sent again.
  if (gateway.recall({ chains, key: query.key })) knownRequests.accept(request.raw, { chains, query })
  const caller = watchCaller(reply)
  const results = await gateway.query({ chains, query, gone: caller.gone }).finally(caller.forget)
  caller.gone.throwIfAborted()
  const heads = headsOf(results)
  if (heads.length > 0) reply.header('x-tallystick-chains', formatHeads(heads, request.nowMs))
  if (results.every(({ answer }) => answer === undefined)) throw failWhole(results)
  return reply.header('cache-control', 'no-store').type('application/json; charset=utf-8').send(encodeResults(results))
}

/** Returns the error of a request for which no chain has data. It is retryable unless the query is invalid. */
function failWhole(results: readonly ChainResult[]): TallystickError {
  const failures = results.flatMap(({ chain, failure }) => (failure ? [{ chain, failure }] : []))
  const isAll = (code: string) => failures.every(({ failure }) => failure.code === code)
  const code = (['query_rejected', 'upstream_timeout'] as const).find(isAll) ?? 'upstream_failed'
  const waits = failures.flatMap(({ failure }) => failure.retryAfterSeconds ?? [])
  return new TallystickError({
    code,
    message: failures.map(({ chain, failure }) => `Chain ${chain}: ${failure.message}`).join(' '),
    retryable: code !== 'query_rejected',
    retryAfterSeconds: waits.length > 0 ? Math.min(...waits) : undefined,
    details: { chains: failures.map(({ chain, failure }) => ({ chain, errors: [toEntry(failure)] })) },
  })
}
