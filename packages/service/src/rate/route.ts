import { quote } from '@tallystick/base'
import { TallystickError } from '@tallystick/core'
import type { RouteHandlerMethod } from 'fastify'
import { parseChainId } from '../notes/notes-query.ts'
import type { Route } from '../routing/route.ts'
import { describeRate } from './describe-rate.ts'
import { type RateParts, readRates } from './read-rates.ts'

/** Creates `GET /rate` (SPEC.md §4.3). Values that cannot be read are null. The request does not fail. */
export function createRateRoute({
  parts,
  chainIds,
}: {
  readonly parts: RateParts
  readonly chainIds: readonly number[]
}): Route {
  const handler: RouteHandlerMethod = async (request, reply) => {
    const chainId = parseRateQuery(request.query as Record<string, unknown>, chainIds)
    const requested = chainId === undefined ? chainIds : [chainId]
    const rates = await readRates(parts, { chainIds: requested, nowMs: request.nowMs })
    return reply
      .header('cache-control', 'private, no-cache')
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(rates))
  }
  return { method: 'GET', url: '/rate', scope: 'rate', describe: describeRate, handler }
}

/** Parses the query string. Returns the chain, or undefined for all chains. Rejects unknown parameters, as `/notes` does. */
export function parseRateQuery(
  query: Readonly<Record<string, unknown>>,
  chainIds: readonly number[],
): number | undefined {
  const unknown = Object.keys(query).find((name) => name !== 'chainid')
  if (unknown !== undefined) {
    throw new TallystickError({
      code: 'invalid_parameter',
      message: `Unknown query parameter ${quote(unknown)}. Use chainid.`,
      retryable: false,
    })
  }
  return parseChainId(query['chainid'], chainIds)
}
