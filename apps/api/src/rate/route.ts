import { type ChainRateFacts, currentRates, formatPeriod, periodAt, TallystickError } from '@tallystick/core'
import type { RouteHandlerMethod } from 'fastify'
import { toSeconds } from '../clock.ts'
import type { ReadIndexedPool } from '../data/read-indexed-pool.ts'
import { parseChainId } from '../notes/notes-query.ts'
import type { PublishedNotes } from '../notes/published-notes.ts'
import type { PoolWatch } from '../notes/watch/watch-pools.ts'
import { describeRate } from '../openapi/describe-rate.ts'
import { quote } from '../quote.ts'
import type { Route } from '../route.ts'
import { describeIndexedStatus } from './describe-indexed-status.ts'
import { addObstacles, findPoolStatus } from './find-pool-status.ts'
import type { PoolStates, ReadPoolState } from './pool-states.ts'
import type { ReadFloatingIncome } from './read-floating-income.ts'

export type RateParts = {
  readonly published: Pick<PublishedNotes, 'at'>
  /** Reads the index of a chain. */
  readonly readFloatingIncome: ReadFloatingIncome
  readonly readIndexedPool: ReadIndexedPool
  /** Reads the RPCs of a chain. */
  readonly poolStates: PoolStates
  readonly poolWatch: Pick<PoolWatch, 'find'>
  readonly hasRpc: (chainId: number) => boolean
  /** Lag of an index that is too large to trust its word on pauses. */
  readonly maxLagSeconds: number
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

/** Reads the chain itself, and its index where no RPC can tell. */
async function gatherFacts(
  parts: RateParts,
  { chainId, nowMs }: { readonly chainId: number; readonly nowMs: number },
): Promise<ChainRateFacts> {
  const { published, readIndexedPool, poolStates, poolWatch, maxLagSeconds } = parts
  const hasRpc = parts.hasRpc(chainId)
  const pool = await poolStates.read(chainId)
  const problems = poolWatch.find(chainId)?.problems
  const status = hasRpc ? findPoolStatus(pool, problems) : undefined
  const [floating, indexed] = await Promise.all([
    readFloating(parts, { chainId, pool }),
    status ? undefined : readIndexedPool(chainId),
  ])
  const context = { hasRpc, nowSeconds: toSeconds(nowMs), maxLagSeconds }
  return {
    chainId,
    fixed: published.at(nowMs)?.sets.get(chainId)?.notes ?? [],
    floating,
    status: addObstacles(status ?? describeIndexedStatus(indexed, context), problems),
  }
}

/** Returns the floating income by the contract, by the index, or by the contract within the last minute. */
async function readFloating(
  { readFloatingIncome, hasRpc }: RateParts,
  { chainId, pool }: { readonly chainId: number; readonly pool: ReadPoolState | undefined },
): Promise<ChainRateFacts['floating']> {
  if (pool?.isCurrent && pool.floating) return pool.floating
  const indexed = await readFloatingIncome(chainId)
  if (!('problem' in indexed)) return indexed
  if (pool?.floating) return pool.floating
  if (!hasRpc(chainId)) return indexed
  const why = pool?.isCurrent ? 'The contract at the pool’s address does not have it.' : 'No RPC of the chain answers.'
  return { problem: `${why} ${indexed.problem}` }
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
