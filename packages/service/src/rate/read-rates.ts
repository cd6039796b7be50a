import { toSeconds } from '@tallystick/base'
import { type ChainRateFacts, currentRates, formatPeriod, periodAt, type RateResponse } from '@tallystick/core'
import type { PoolWatch, PublishedNotes, ReadIndexedPool } from '@tallystick/issuer'
import { addObstacles, describeIndexedStatus, findPoolStatus } from './find-pool-status.ts'
import type { FindPoolState, ReadPoolState } from './pool-states.ts'
import type { ReadFloatingIncome } from './read-floating-income.ts'

export type RateParts = {
  readonly published: Pick<PublishedNotes, 'at'>
  /** Reads the index of a chain. */
  readonly readFloatingIncome: ReadFloatingIncome
  readonly readIndexedPool: ReadIndexedPool
  /** Reads the RPCs of a chain. */
  readonly findPoolState: FindPoolState
  readonly poolWatch: Pick<PoolWatch, 'find'>
  readonly hasRpc: (chainId: number) => boolean
  /** Returns whether the embedded index of a chain is known to be incomplete. */
  readonly hasIndexFault: (chainId: number) => boolean
  /** Lag of an index that is too large to trust its word on pauses. */
  readonly maxLagSeconds: number
}

/** Reads the rates of chains at an instant. Values that cannot be read are null. Never throws. */
export async function readRates(
  parts: RateParts,
  { chainIds, nowMs }: { readonly chainIds: readonly number[]; readonly nowMs: number },
): Promise<RateResponse> {
  const facts = await Promise.all(chainIds.map((chainId) => gatherFacts(parts, { chainId, nowMs })))
  const nowSeconds = toSeconds(nowMs)
  return currentRates(facts, { nowSeconds, message: `Rates of ${formatPeriod(periodAt(nowSeconds))}.` })
}

/** Reads the chain itself, and its index where no RPC can tell. */
async function gatherFacts(
  parts: RateParts,
  { chainId, nowMs }: { readonly chainId: number; readonly nowMs: number },
): Promise<ChainRateFacts> {
  const { published, readIndexedPool, findPoolState, poolWatch, maxLagSeconds } = parts
  const hasRpc = parts.hasRpc(chainId)
  const pool = await findPoolState(chainId)
  const problems = poolWatch.find(chainId)?.problems
  const status = hasRpc ? findPoolStatus(pool, problems) : undefined
  const [floating, indexed] = await Promise.all([
    readFloating(parts, { chainId, pool }),
    status ? undefined : readIndexedPool(chainId),
  ])
  const context = { hasRpc, nowSeconds: toSeconds(nowMs), maxLagSeconds }
  const fixed = published.at(nowMs)?.sets.get(chainId)?.notes ?? []
  const known = status ?? describeIndexedStatus(indexed, context)
  const hasErrors = parts.hasIndexFault(chainId)
  const income = hasErrors && !('problem' in floating) ? { ...floating, hasErrors } : floating
  return { chainId, fixed, floating: income, status: addObstacles(known, { problems, hasNotes: fixed.length > 0 }) }
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
