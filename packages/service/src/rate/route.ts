import type { RateResponse } from '@tallystick/core'
import type { AnswerInputs } from '@tallystick/gateway'
import { assertParameters, jsonType, rememberAnswer, sendResponse } from '@tallystick/http'
import type { RouteHandlerMethod } from 'fastify'
import { parseChainId } from '../notes/notes-query.ts'
import { describeGet, jsonContent } from '../openapi/describe-operation.ts'
import { curl, keyHeader, typescript } from '../openapi/samples.ts'
import { queryParameters } from '../openapi/schemas.ts'
import type { Route } from '../routing/route.ts'
import { type RateParts, readRates } from './read-rates.ts'

/** Creates `GET /rate` (SPEC.md §4.3). Values that cannot be read are null. The request does not fail. */
export function createRateRoute(parts: RateParts, chainIds: readonly number[]): Route {
  const handler: RouteHandlerMethod = async (request, reply) => {
    const chainId = parseRateQuery(request.query as Record<string, unknown>, chainIds)
    const requested = chainId === undefined ? chainIds : [chainId]
    const { nowMs } = request
    const inputs: AnswerInputs = { checks: [], asked: [] }
    const rates = await readRates(parts, { chainIds: requested, nowMs, inputs })
    const response = {
      body: JSON.stringify(rates),
      mediaType: jsonType,
      headers: { 'cache-control': 'private, no-cache' },
    }
    // The ages in the answer are of this second.
    const isUnchanged = (atMs: number) =>
      Math.floor(atMs / 1000) === Math.floor(nowMs / 1000) && inputs.checks.every((check) => check(atMs))
    rememberAnswer(request, {
      recall: (atMs) => (isUnchanged(atMs) ? response : undefined),
      respond: () => response,
      countSent: () => parts.countHits(inputs.asked),
    })
    return sendResponse(reply, response)
  }
  return { method: 'GET', url: '/rate', scope: 'rate', isOpenToVisitors: true, describe: describeRate, handler }
}

/** Parses the query string. Returns the chain, or undefined for all chains. Rejects unknown parameters, as `/notes` does. */
export function parseRateQuery(
  query: Readonly<Record<string, unknown>>,
  chainIds: readonly number[],
): number | undefined {
  assertParameters(query, ['chainid'])
  return parseChainId(query['chainid'], chainIds)
}

const description = `Returns fixed rates, floating rates, their sum (total marginal market rate, MMR) and the sync status of the protocol, of the chain with the highest market rate and of each chain. \`status\` of a chain says whether its pool accepts loans.

A value that cannot be read is \`null\` and the status is still 200.`

const describeRate = describeGet(({ context, chainId }) => ({
  operationId: 'getRate',
  tag: 'Rate',
  summary: 'Current rates',
  description,
  parameters: queryParameters('rate', context),
  response: 'The rates and their components.',
  content: jsonContent('RateResponse', { rates: { summary: 'One chain, synced', value: exampleRates(chainId) } }),
  codes: ['invalid_chainid', 'invalid_parameter'],
  samples: [
    curl('curl "$TALLYSTICK_URL/rate"', keyHeader),
    typescript(
      'const { fixedRate, floatingRate, marketRate, isProtocolSynced } = await client.rate()',
      'console.log(fixedRate, floatingRate, marketRate, isProtocolSynced)',
    ),
  ],
}))

function exampleRates(chainId: number): RateResponse {
  return {
    message: 'Rates of 2026-11-14, 18:00 to 24:00 New York.',
    chainid: String(chainId),
    fixedRate: '369',
    floatingRate: '1264',
    marketRate: '1633',
    isProtocolSynced: true,
    chains: [
      {
        chainid: String(chainId),
        status: 'open',
        statusReason: 'The pool is not paused.',
        fixedRates: [
          { maturity: 7, maturity_timestamp: '1795237200', coupon: '369' },
          { maturity: 14, maturity_timestamp: '1795842000', coupon: '365' },
        ],
        floatingRate: '1264',
        floatingDay: 20770,
        marketRates: [
          { maturity: 7, rate: '1633' },
          { maturity: 14, rate: '1629' },
        ],
        isProtocolSynced: true,
        syncReason: 'The floating income of 2026-11-13 (UTC) has been set.',
        nextSyncExpectedAt: '1794700800',
        dataBlock: '5184123',
        dataLagSeconds: 4,
      },
    ],
  }
}
