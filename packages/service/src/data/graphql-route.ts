import { quote } from '@tallystick/base'
import { TallystickError } from '@tallystick/core'
import { type ChainResult, type PreparedQuery, prepareQuery, type Variables } from '@tallystick/gateway'
import { assertUtf8, chooseMediaType, type MemoryResponse, refusal, sendResponse } from '@tallystick/http'
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { Route } from '../routing/route.ts'
import { type DataParts, formatHeads, headsOf, untilGone } from './data-route.ts'
import { describeChainQuery, describeChainQueryGet } from './describe-chain-query.ts'
import { encodeAnswer, encodeGraphqlError, graphqlTypes } from './graphql-answer.ts'
import { type GraphqlRequest, parseGraphqlBody, parseGraphqlParameters } from './graphql-request.ts'
import type { AnalysePersisted } from './persisted-queries.ts'
import { rememberQuery } from './remember-query.ts'

type GraphqlParts = Pick<DataParts, 'gateway' | 'chainIds'> & { readonly analysePersisted: AnalysePersisted }

/**
 * Creates `POST` and `GET /data/<chainid>`: the gateway of `/data` for one chain, as the GraphQL over HTTP specification
 * has it (docs/decisions/0041-graphql-over-http.md).
 */
export function createGraphqlRoutes(parts: GraphqlParts): readonly Route[] {
  const common = {
    url: '/data/:chainid',
    scope: 'data',
    mediaTypes: graphqlTypes,
    encodeError: encodeGraphqlError,
  } as const
  const get: RouteHandlerMethod = (request, reply) =>
    respond(parts, { request, reply, read: () => parseGraphqlParameters(request.query) })
  const post: RouteHandlerMethod = (request, reply) =>
    respond(parts, { request, reply, read: () => parseGraphqlBody(request.body) })
  return [
    { ...common, method: 'GET', describe: describeChainQueryGet, handler: get },
    { ...common, method: 'POST', describe: describeChainQuery, onRequest: assertUtf8, handler: post },
  ]
}

type Exchange = {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly read: () => GraphqlRequest
}

async function respond(parts: GraphqlParts, { request, reply, read }: Exchange): Promise<FastifyReply> {
  const chain = parseChain(request.params, parts.chainIds)
  const query = prepare(parts, { request, reply, asked: read(), chain })
  const mediaType = chooseMediaType(request.headers.accept, graphqlTypes)
  const respondWith = ([result]: readonly ChainResult[], nowMs: number): MemoryResponse => {
    const { answer, failure } = result as ChainResult
    if (failure) throw failure
    const headers = { ...formatHeads(headsOf([{ chain, answer }]), nowMs), 'cache-control': 'no-store' }
    return { body: encodeAnswer(answer), mediaType, headers }
  }
  rememberQuery(request, parts.gateway, { chains: [chain], query, respond: respondWith })
  const results = await untilGone(reply, (gone) => parts.gateway.query({ chains: [chain], query, gone }))
  return sendResponse(reply, respondWith(results, request.nowMs))
}

function parseChain(parameters: unknown, chainIds: readonly number[]): number {
  const { chainid } = parameters as { readonly chainid: string }
  const chain = chainIds.find((id) => String(id) === chainid)
  if (chain !== undefined) return chain
  const those = chainIds.length === 0 ? 'This service has none.' : `Available: ${chainIds.join(', ')}.`
  throw refusal('not_found', `There is no subgraph for chain ${quote(chainid)}. ${those}`)
}

type Asked = Omit<Exchange, 'read'> & { readonly asked: GraphqlRequest; readonly chain: number }

function prepare({ analysePersisted }: GraphqlParts, { request, reply, asked, chain }: Asked): PreparedQuery {
  const { query, variables, operationName } = asked
  assertOwnChain(variables, chain)
  try {
    return prepareQuery(analysePersisted(query), { variables, operationName })
  } catch (error) {
    const isMutation = error instanceof TallystickError && error.details?.['operation'] === 'mutation'
    if (!isMutation || request.method === 'POST') throw error
    // The specification requires this status.
    reply.header('allow', 'GET, HEAD, POST')
    const message = 'GET accepts queries only, and this is a mutation. This service has no mutations.'
    throw refusal('method_not_allowed', message)
  }
}

/** A query written for `/data` may bring `chains`. Other chains than that of the path would not be queried. */
function assertOwnChain({ chains }: Variables, chain: number): void {
  if (chains === undefined || JSON.stringify(chains) === `[${chain}]`) return
  throw new TallystickError({
    code: 'invalid_chains',
    message: `This path queries chain ${chain} only. Remove "variables.chains", or use POST /data for several chains.`,
    retryable: false,
    details: { supported: [chain] },
  })
}
