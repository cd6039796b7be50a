import { TallystickError } from '@tallystick/core'
import type { Answer, QueryRequest } from '@tallystick/subgraph'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { LimitAddress } from '../http/address-limit.ts'
import { formatHeads } from './format-heads.ts'
import { parseQueryRequest, parseQueryString } from './query-request.ts'

/** What answers the queries of one chain. */
export type QueryableSubgraph = { answer(request: QueryRequest): Promise<Answer> }

// Any page may ask: what is on the chain is public, and there is no cookie or key that a page could misuse.
const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'x-request-id, ratelimit, ratelimit-policy, retry-after, x-tallystick-chains',
} as const

/**
 * The embedded subgraph of each chain as a plain GraphQL endpoint: POST, and GET for clients that prefer it. A query that
 * fails is a 200 with `errors`, as graph-node has it; only what is no GraphQL request is a 400.
 */
export function registerSubgraphRoutes(
  app: FastifyInstance,
  {
    subgraphs,
    limitAddress,
  }: { readonly subgraphs: ReadonlyMap<number, QueryableSubgraph>; readonly limitAddress: LimitAddress },
): void {
  const url = '/subgraphs/:chainid'
  const onRequest = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    reply.headers(corsHeaders)
    limitAddress(request, reply)
    done()
  }
  app.post(url, { onRequest }, (request, reply) =>
    respond({ request, reply, subgraphs, query: () => parseQueryRequest(request.body) }),
  )
  app.get(url, { onRequest }, (request, reply) =>
    respond({ request, reply, subgraphs, query: () => parseQueryString(request.query) }),
  )
  app.options(url, (request, reply) => {
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
  })
}

async function respond({
  request,
  reply,
  subgraphs,
  query,
}: {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly subgraphs: ReadonlyMap<number, QueryableSubgraph>
  readonly query: () => QueryRequest
}): Promise<FastifyReply> {
  const { chainid } = request.params as { readonly chainid: string }
  const subgraph = subgraphs.get(Number(chainid))
  if (!subgraph || String(Number(chainid)) !== chainid) throw noSubgraph(chainid, [...subgraphs.keys()])
  const { data, errors, head } = await subgraph.answer(query())
  if (head) reply.header('x-tallystick-chains', formatHeads([{ chain: Number(chainid), head }], request.nowMs))
  return reply
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .send(formatResult(data, errors))
}

function formatResult(data: Answer['data'], errors: Answer['errors']): string {
  if (data === undefined) return JSON.stringify({ errors })
  return errors ? `{"data":${data},"errors":${JSON.stringify(errors)}}` : `{"data":${data}}`
}

function noSubgraph(chainid: string, chainIds: readonly number[]): TallystickError {
  const those = chainIds.length === 0 ? 'This service has none.' : `There are those of ${chainIds.join(', ')}.`
  return new TallystickError({
    code: 'not_found',
    message: `There is no embedded subgraph of chain ${JSON.stringify(chainid.slice(0, 40))}. ${those}`,
    retryable: false,
  })
}
