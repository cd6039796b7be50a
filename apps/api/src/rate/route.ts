import { type ChainRateFacts, currentRates, formatPeriod, periodAt, TallystickError } from '@tallystick/core'
import type { RouteHandlerMethod } from 'fastify'
import { toSeconds } from '../clock.ts'
import { parseChainId } from '../notes/notes-query.ts'
import type { PublishedNotes } from '../notes/published-notes.ts'
import type { PoolWatch } from '../notes/watch/watch-pools.ts'
import { describeRate } from '../openapi/describe-rate.ts'
import { quote } from '../quote.ts'
import type { Route } from '../route.ts'
import { describePoolStatus } from './describe-pool-status.ts'
import type { PoolStates } from './pool-states.ts'
import type { ReadFloatingIncome } from './read-floating-income.ts'

export type RateParts = {
  readonly published: Pick<PublishedNotes, 'at'>
  readonly readFloatingIncome: ReadFloatingIncome
  readonly poolStates: PoolStates
  readonly poolWatch: Pick<PoolWatch, 'find'>
}

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
    const facts = await Promise.all(requested.map((id) => gatherFacts(parts, { chainId: id, nowMs: request.nowMs })))
    const nowSeconds = toSeconds(request.nowMs)
    const message = `Rates of ${formatPeriod(periodAt(nowSeconds))}.`
    return reply
      .header('cache-control', 'private, no-cache')
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(currentRates(facts, { nowSeconds, message })))
  }
  return { method: 'GET', url: '/rate', scope: 'rate', describe: describeRate, handler }
}

async function gatherFacts(
  { published, readFloatingIncome, poolStates, poolWatch }: RateParts,
  { chainId, nowMs }: { readonly chainId: number; readonly nowMs: number },
): Promise<ChainRateFacts> {
  const notes = published.at(nowMs)?.sets.get(chainId)?.notes ?? []
  const floating = await readFloatingIncome(chainId)
  const pool = await poolStates.read(chainId, 'problem' in floating ? undefined : floating.block.number)
  return {
    chainId,
    fixed: notes,
    floating,
    pool,
    status: describePoolStatus({ pool, watched: poolWatch.find(chainId) }),
  }
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
