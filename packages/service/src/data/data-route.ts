import { createAbort, quote, type StopSignal } from '@tallystick/base'
import { dataEnvelopeSchema, TallystickError } from '@tallystick/core'
import { type ChainResult, type DataSources, type Head, prepareQuery, type SubgraphSource } from '@tallystick/gateway'
import { jsonType, type MemoryResponse, refusal, sendResponse } from '@tallystick/http'
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { z } from 'zod'
import type { Route } from '../routing/route.ts'
import { describeData, describeGraphql } from './describe-data.ts'
import { rememberQuery } from './remember-query.ts'

export type DataParts = Pick<DataSources, 'analyse' | 'gateway' | 'chainIds'> & {
  /** Answers a visitor of the page. */
  readonly respondToVisitor: (exchange: Exchange) => Promise<FastifyReply>
}

type Exchange = { readonly request: FastifyRequest; readonly reply: FastifyReply }

// The date from which `/data` replaces `/graphql`, the path in one example of the specification.
const deprecation = { deprecation: '@1763164800', link: '</data>; rel="successor-version"' } as const

/** Creates the routes `POST /data` (SPEC.md §4.2) and `POST /graphql`, its deprecated name. */
export function createDataRoutes(parts: DataParts): readonly Route[] {
  const handlerWith =
    (headers: MemoryResponse['headers']): RouteHandlerMethod =>
    (request, reply) =>
      request.isVisitor ? parts.respondToVisitor({ request, reply }) : respond(parts, { request, reply, headers })
  const onRequest = (_: FastifyRequest, reply: FastifyReply, done: () => void) => {
    reply.headers(deprecation)
    done()
  }
  return [
    {
      ...{ method: 'POST', url: '/data', scope: 'data', isOpenToVisitors: true },
      ...{ describe: describeData, handler: handlerWith({}) },
    },
    {
      ...{ method: 'POST', url: '/graphql', scope: 'data', isDeprecated: true },
      ...{ describe: describeGraphql, onRequest, handler: handlerWith(deprecation) },
    },
  ]
}

async function respond(
  { analyse, gateway, chainIds }: DataParts,
  { request, reply, headers }: Exchange & Pick<MemoryResponse, 'headers'>,
): Promise<FastifyReply> {
  const { query: text, chains, ...asked } = parseDataRequest(request.body, chainIds)
  const query = prepareQuery(analyse(text), asked)
  const respondWith = (results: readonly ChainResult[], nowMs: number): MemoryResponse => {
    const common = { ...headers, ...formatHeads(headsOf(results), nowMs), 'cache-control': 'no-store' }
    return { body: encodeResults(results), mediaType: jsonType, headers: common }
  }
  rememberQuery(request, gateway, { chains, query, respond: respondWith })
  const results = await untilGone(reply, (gone) => gateway.query({ chains, query, gone }))
  if (results.every(({ answer }) => answer === undefined)) throw failWhole(results)
  return sendResponse(reply, respondWith(results, request.nowMs))
}

/** Runs a query whose signal aborts when the connection ends before the response is sent. Throws then. */
export async function untilGone<Result>(
  { raw }: FastifyReply,
  query: (gone: StopSignal) => Promise<Result>,
): Promise<Result> {
  const { signal, abort } = createAbort()
  const onClose = () => abort(new CallerGoneError())
  raw.once('close', onClose)
  try {
    const result = await query(signal)
    signal.throwIfAborted()
    return result
  } finally {
    raw.off('close', onClose)
  }
}

/** Error of a request whose client has disconnected. It is never sent. */
class CallerGoneError extends TallystickError {
  override readonly name = 'CallerGoneError' as const

  constructor() {
    super({ code: 'request_timeout', message: 'The caller closed the connection.', retryable: true })
  }
}

/** Formats the body of an answer. `data` is already JSON text and is not serialised again. */
function encodeResults(results: readonly ChainResult[]): string {
  return `[${results.map(encodeResult).join(',')}]`
}

/** Converts a failure to an element of `errors`. */
function toEntry({ message, code, details }: TallystickError) {
  return { message, code, ...(details && { details }) }
}

export function encodeResult({ chain, answer, failure }: ChainResult): string {
  if (failure) return JSON.stringify({ chain, data: null, errors: [toEntry(failure)] })
  if (answer.errors.length === 0) return `{"chain":${chain},"data":${answer.data}}`
  const errors = answer.errors.map((message) => ({ message, code: 'query_rejected' }))
  return `{"chain":${chain},"data":${answer.data},"errors":${JSON.stringify(errors)}}`
}

/** Head of a chain's answer, and the kind of subgraph that answered. */
export type AnsweredHead = { readonly chain: number; readonly head: Head; readonly source: SubgraphSource }

/**
 * Formats the `x-tallystick-chains` header: for each chain, the block of its answer, that block's age in seconds, the
 * source of the answer, and whether its index has errors. There is none without a head.
 */
export function formatHeads(
  heads: readonly AnsweredHead[],
  nowMs: number,
): { readonly 'x-tallystick-chains'?: string } {
  if (heads.length === 0) return {}
  const formatted = heads.map(({ chain, head, source }) => {
    const lag = head.timestamp === undefined ? '' : `;lag=${Math.max(0, Math.floor(nowMs / 1000) - head.timestamp)}`
    return `${chain};block=${head.number}${lag};source=${source}${head.hasErrors ? ';errors=1' : ''}`
  })
  return { 'x-tallystick-chains': formatted.join(', ') }
}

/** Returns the heads of the answers that have one. */
export function headsOf(results: readonly Pick<ChainResult, 'chain' | 'answer'>[]): readonly AnsweredHead[] {
  return results.flatMap(({ chain, answer }) =>
    answer?.head ? [{ chain, head: answer.head, source: answer.source }] : [],
  )
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

/** Parsed body of `POST /data` (SPEC.md §4.2). */
export type DataRequest = {
  readonly query: string
  /** Without `chains`. */
  readonly variables: Readonly<Record<string, unknown>>
  readonly chains: readonly number[]
  readonly operationName: string | undefined
}

/** Parses a body. Rejects unknown members instead of ignoring them. */
export function parseDataRequest(body: unknown, chainIds: readonly number[]): DataRequest {
  const { data: envelope, error } = dataEnvelopeSchema.safeParse(body)
  if (!envelope) throw refusal('invalid_request', explain(error.issues))
  const { query, operationName, variables: { chains, ...variables } = {} } = envelope
  return { query, variables, chains: parseChains(chains, chainIds), operationName: operationName ?? undefined }
}

function explain(issues: readonly z.core.$ZodIssue[]): string {
  const unknown = issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : []))
  if (unknown[0] !== undefined)
    return `The body has an unknown member ${quote(unknown[0])}. Allowed members: ${members}.`
  return complaints[String(issues[0]?.path[0])] ?? 'The body must be a JSON object with "query" and "variables".'
}

const members = 'query, variables, operationName, extensions'
const complaints: Readonly<Record<string, string>> = {
  query: '"query" must be a string that contains a GraphQL query.',
  operationName: '"operationName" must be a string.',
  extensions: '"extensions" must be an object.',
  variables: '"variables" must be an object with "chains" and the variables of the query.',
}

function parseChains(chains: unknown, chainIds: readonly number[]): readonly number[] {
  const fault = findChainsFault(chains, chainIds)
  if (fault === undefined) return chains as readonly number[]
  throw new TallystickError({
    code: 'invalid_chains',
    message: `${fault} Supported: ${chainIds.join(', ') || 'none'}.`,
    retryable: false,
    details: { supported: chainIds },
  })
}

function findChainsFault(chains: unknown, chainIds: readonly number[]): string | undefined {
  if (chains === undefined) return '"variables.chains" is missing. It lists the chains to query, for example [324].'
  if (!Array.isArray(chains)) return `"variables.chains" must be a list of chain ids, not ${quote(chains)}.`
  if (chains.length === 0) return '"variables.chains" must contain at least one chain id.'
  const unsupported = chains.find((chain) => !chainIds.includes(chain))
  if (unsupported !== undefined) return `"variables.chains" contains ${quote(unsupported)}, which is not supported.`
  const repeated = chains.find((chain, index) => chains.indexOf(chain) !== index)
  return repeated === undefined ? undefined : `"variables.chains" contains ${repeated} twice.`
}
