import type { StopSignal } from '@tallystick/base'
import { TallystickError } from '@tallystick/core'
import { createGate, type DataSources, type PublicQueries, prepareQuery } from '@tallystick/gateway'
import { type IdentifyCaller, refusal, type TimeBudget } from '@tallystick/http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  type AnsweredHead,
  type DataRequest,
  encodeResult,
  formatHeads,
  headsOf,
  parseDataRequest,
  untilGone,
} from './data-route.ts'
import { sendInParts } from './subgraph-route.ts'

export type VisitorDataParts = Pick<DataSources, 'analyse' | 'gateway' | 'chainIds'> & {
  readonly queries: PublicQueries
  readonly identifyCaller: IdentifyCaller
  readonly budget: TimeBudget
}

// The page's queries have less than 1,000. Parsing a text of this length takes about 1 ms.
const queryLengthMax = 4_000
const remoteRunningMax = 4
const remoteWaitingMax = 200

type Exchange = { readonly request: FastifyRequest; readonly reply: FastifyReply }

/**
 * Creates the handler of `POST /data` for visitors of the page. A query costs what it costs on `/subgraphs`: it counts on the
 * address's query time and waits with those without a key. Remote subgraphs have a queue of their own.
 */
export function createRespondToVisitor(parts: VisitorDataParts): (exchange: Exchange) => Promise<FastifyReply> {
  const refuse = () => new TallystickError({ code: 'not_ready', message: busy, retryable: true, retryAfterSeconds: 1 })
  const remoteGate = createGate({ runningMax: remoteRunningMax, waitingMax: remoteWaitingMax, refuse })
  return async ({ request, reply }) => {
    const asked = parseDataRequest(request.body, parts.chainIds)
    if (asked.query.length > queryLengthMax) throw tooLong()
    const work = parts.budget(parts.identifyCaller(request))
    const ask = (chain: number, gone: StopSignal) =>
      parts.queries.subgraphs.has(chain)
        ? askEmbedded(parts.queries, { chain, asked, gone, begin: work.begin })
        : remoteGate.pass(() => askRemote(parts, { chain, asked, gone, begin: work.begin }), gone)
    const results = await untilGone(reply, (gone) =>
      Promise.all(asked.chains.map((chain) => ask(chain, gone).catch((error) => failed(chain, error)))),
    ).finally(work.end)
    const [first] = results
    if (first?.failure && results.every(({ failure }) => failure)) throw first.failure
    const heads = results.flatMap(({ head }) => head ?? [])
    reply.headers(formatHeads(heads, request.nowMs))
    const body = Buffer.concat(
      results.flatMap(({ bytes }, index) => [index === 0 ? opening : comma, bytes]).concat(closing),
    )
    return sendInParts(reply.header('cache-control', 'no-store').type('application/json; charset=utf-8'), body)
  }
}

const busy = 'Too many visitors are waiting for the data of this chain. Try again in 1 s.'
const [opening, comma, closing] = ['[', ',', ']'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer]

type Question = {
  readonly chain: number
  readonly asked: DataRequest
  readonly gone: StopSignal
  readonly begin: () => void
}

type VisitorResult = {
  /** Element of the answer's array. */
  readonly bytes: Uint8Array
  readonly head?: AnsweredHead | undefined
  readonly failure?: TallystickError | undefined
}

async function askEmbedded(
  { subgraphs, gate }: PublicQueries,
  { chain, asked: { chains, ...query }, gone, begin }: Question,
): Promise<VisitorResult> {
  const ask = subgraphs.get(chain) as NonNullable<ReturnType<typeof subgraphs.get>>
  const { body, head } = await gate.pass(() => ask({ ...query, signal: gone }, begin), gone)
  // Without data the answer has errors only.
  const start = body[2] === dataInitial ? `{"chain":${chain},` : `{"chain":${chain},"data":null,`
  const bytes = Buffer.concat([Buffer.from(start), body.subarray(1)])
  return { bytes, head: head && { chain, head, source: 'embedded' } }
}

// The body is `{"data":…}` or `{"errors":…}`.
const dataInitial = 'd'.charCodeAt(0)

async function askRemote(
  { analyse, gateway }: Pick<VisitorDataParts, 'analyse' | 'gateway'>,
  { chain, asked, gone, begin }: Question,
): Promise<VisitorResult> {
  begin()
  const query = prepareQuery(analyse(asked.query), asked)
  const results = await gateway.query({ chains: [chain], query, gone })
  const [result] = results as [(typeof results)[number]]
  const [head] = headsOf(results)
  return { bytes: Buffer.from(encodeResult(result)), head, failure: result.failure }
}

/** Returns the result of a chain that failed. Throws what is no failure of the chain. */
function failed(chain: number, error: unknown): VisitorResult {
  if (!(error instanceof TallystickError)) throw error
  return { bytes: Buffer.from(encodeResult({ chain, failure: error })), failure: error }
}

function tooLong(): TallystickError {
  return refusal(
    'visitor_not_allowed',
    `A query of a visitor may have at most ${queryLengthMax} characters. Ask the operator of this service for an API key.`,
  )
}
