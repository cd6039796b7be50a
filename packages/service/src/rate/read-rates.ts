import { toSeconds } from '@tallystick/base'
import { type ChainRateFacts, currentRates, formatPeriod, periodAt, type RateResponse } from '@tallystick/core'
import type { AnswerInputs, createReadIndexedPool } from '@tallystick/gateway'
import type { PoolWatch, PublishedNotes } from '@tallystick/issuer'
import { addObstacles, describeIndexedStatus, findPoolStatus } from './find-pool-status.ts'
import type { PoolStates, ReadPoolState } from './pool-states.ts'
import type { ReadFloatingIncome } from './read-floating-income.ts'

export type RateParts = {
  readonly published: Pick<PublishedNotes, 'at'>
  /** Reads the index of a chain. */
  readonly readFloatingIncome: ReadFloatingIncome
  readonly readIndexedPool: ReturnType<typeof createReadIndexedPool>
  /** Reads the RPCs of a chain. */
  readonly poolStates: PoolStates
  readonly poolWatch: Pick<PoolWatch, 'find'>
  readonly hasRpc: (chainId: number) => boolean
  /** Returns whether the embedded index of a chain is known to be incomplete. */
  readonly hasIndexFault: (chainId: number) => boolean
  /** Lag of an index that is too large to trust its word on pauses. */
  readonly maxLagSeconds: number
  /** Counts queries of the index that were answered from memory. */
  readonly countHits: (chains: readonly number[]) => void
}

type RatesRequest = {
  readonly chainIds: readonly number[]
  readonly nowMs: number
  /** Everything that the rates are made of is added. */
  readonly inputs?: AnswerInputs | undefined
}

/** Reads the rates of chains at an instant. Values that cannot be read are null. Never throws. */
export async function readRates(parts: RateParts, { chainIds, nowMs, inputs }: RatesRequest): Promise<RateResponse> {
  const facts = await Promise.all(chainIds.map((chainId) => gatherFacts(parts, { chainId, nowMs, inputs })))
  const nowSeconds = toSeconds(nowMs)
  return currentRates(facts, { nowSeconds, message: `Rates of ${formatPeriod(periodAt(nowSeconds))}.` })
}

type FactsRequest = Omit<RatesRequest, 'chainIds'> & { readonly chainId: number }

/** Reads the chain itself, and its index where no RPC can tell. */
async function gatherFacts(parts: RateParts, { chainId, nowMs, inputs }: FactsRequest): Promise<ChainRateFacts> {
  const { published, readIndexedPool, poolStates, poolWatch, hasIndexFault, maxLagSeconds } = parts
  const hasRpc = parts.hasRpc(chainId)
  const pool = await poolStates.find(chainId)
  const problems = poolWatch.find(chainId)?.problems
  const status = hasRpc ? findPoolStatus(pool, problems) : undefined
  const [floating, indexed] = await Promise.all([
    readFloating(parts, { chainId, pool, inputs }),
    status ? undefined : readIndexedPool(chainId, inputs),
  ])
  const context = { hasRpc, nowSeconds: toSeconds(nowMs), maxLagSeconds }
  const period = published.at(nowMs)
  const fixed = period?.sets.get(chainId)?.notes ?? []
  const known = status ?? describeIndexedStatus(indexed, context)
  const hasErrors = hasIndexFault(chainId)
  inputs?.checks.push(
    (atMs) => published.at(atMs) === period,
    () => poolStates.isLatest(chainId, pool),
    () => poolWatch.find(chainId)?.problems === problems,
    () => hasIndexFault(chainId) === hasErrors,
  )
  const income = hasErrors && !('problem' in floating) ? { ...floating, hasErrors } : floating
  return { chainId, fixed, floating: income, status: addObstacles(known, { problems, hasNotes: fixed.length > 0 }) }
}

/** Returns the floating income by the contract, by the index, or by the contract within the last minute. */
async function readFloating(
  { readFloatingIncome, hasRpc }: RateParts,
  { chainId, pool, inputs }: Pick<FactsRequest, 'chainId' | 'inputs'> & { readonly pool: ReadPoolState | undefined },
): Promise<ChainRateFacts['floating']> {
  if (pool?.isCurrent && pool.floating) return pool.floating
  const indexed = await readFloatingIncome(chainId, inputs)
  if (!('problem' in indexed)) return indexed
  if (pool?.floating) return pool.floating
  if (!hasRpc(chainId)) return indexed
  const why = pool?.isCurrent ? 'The contract at the pool’s address does not have it.' : 'No RPC of the chain answers.'
  return { problem: `${why} ${indexed.problem}` }
}
