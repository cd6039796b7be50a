import { Readable } from 'node:stream'
import type { TallystickError } from '@tallystick/core'
import type { PublicQueries } from '@tallystick/gateway'
import { type IdentifyCaller, type LimitAddress, refusal, type TimeBudget } from '@tallystick/http'
import type { QueryRequest } from '@tallystick/subgraph'
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { Route } from '../routing/route.ts'
import { formatHeads, untilGone } from './data-route.ts'
import { describeSubgraph, describeSubgraphGet } from './describe-subgraph.ts'
import { parseQueryRequest, parseQueryString } from './graphql-request.ts'

export type SubgraphParts = {
  readonly queries: PublicQueries
  readonly limitAddress: LimitAddress
  readonly identifyCaller: IdentifyCaller
  readonly budget: TimeBudget
}

// Any web page may query: chain data is public, and the endpoint takes no cookie or key that a page could misuse.
const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'x-request-id, ratelimit, ratelimit-policy, retry-after, x-tallystick-chains',
} as const

/**
 * Creates a GraphQL endpoint for the embedded subgraph of each chain. Like graph-node, it answers a query that fails with
 * 200 and `errors`. Only a request that is not GraphQL is a 400.
 */
export function createSubgraphRoutes(parts: SubgraphParts): readonly Route[] {
  const url = '/subgraphs/:chainid'
  const onRequest = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    reply.headers(corsHeaders)
    parts.limitAddress(request, reply)
    done()
  }
  const get: RouteHandlerMethod = (request, reply) =>
    respond(parts, { request, reply, read: () => parseQueryString(request.query) })
  const post: RouteHandlerMethod = (request, reply) =>
    respond(parts, { request, reply, read: () => parseQueryRequest(request.body) })
  return [
    { method: 'GET', url, describe: describeSubgraphGet, onRequest, handler: get },
    { method: 'POST', url, describe: describeSubgraph, onRequest, handler: post },
    { method: 'OPTIONS', url, handler: respondToPreflight },
  ]
}

function respondToPreflight(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const wanted = request.headers['access-control-request-headers']
  return reply
    .headers({
      ...corsHeaders,
      'access-control-allow-methods': 'GET, POST, OPTIONS',
      'access-control-allow-headers': wanted ?? 'content-type',
      'access-control-max-age': '86400',
    })
    .code(204)
    .send()
}

type Exchange = {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly read: () => QueryRequest
}

async function respond(parts: SubgraphParts, { request, reply, read }: Exchange): Promise<FastifyReply> {
  const { subgraphs } = parts.queries
  const { chainid } = request.params as { readonly chainid: string }
  const ask = subgraphs.get(Number(chainid))
  if (!ask || String(Number(chainid)) !== chainid) throw noSubgraph(chainid, [...subgraphs.keys()])
  const query = read()
  const visit = parts.budget(parts.identifyCaller(request))
  const answer = await untilGone(reply, (gone) =>
    parts.queries.gate.pass(() => ask({ ...query, signal: gone }, visit.begin), gone).finally(visit.end),
  )
  if (answer.head) {
    const heads = [{ chain: Number(chainid), head: answer.head, source: 'embedded' as const }]
    reply.headers(formatHeads(heads, request.nowMs))
  }
  return sendInParts(reply.header('cache-control', 'no-store').type('application/json; charset=utf-8'), answer.body)
}

// Encrypting this much takes less than 1 ms.
const partBytes = 256 * 1024

/** Sends a large body in parts, so that other requests are answered in between. */
export function sendInParts(reply: FastifyReply, body: Uint8Array): FastifyReply {
  if (body.length <= partBytes) return reply.send(Buffer.from(body.buffer, body.byteOffset, body.length))
  const count = Math.ceil(body.length / partBytes)
  const parts = Array.from({ length: count }, (_, index) => body.subarray(index * partBytes, (index + 1) * partBytes))
  return reply.header('content-length', body.length).send(Readable.from(parts))
}

function noSubgraph(chainid: string, chainIds: readonly number[]): TallystickError {
  const those = chainIds.length === 0 ? 'This service has none.' : `Available: ${chainIds.join(', ')}.`
  const chain = JSON.stringify(chainid.slice(0, 40))
  return refusal('not_found', `There is no embedded subgraph for chain ${chain}. ${those}`)
}
