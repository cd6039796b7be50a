import type { ChainRateFacts } from '@tallystick/core'
import { type PoolProblem, poolProblems } from '../notes/watch/find-pool-problems.ts'
import type { WatchedPool } from '../notes/watch/watch-pools.ts'
import type { PoolState } from './pool-states.ts'

export type PoolStatus = NonNullable<ChainRateFacts['status']>

const pauses: readonly PoolProblem[] = ['pool_paused', 'position_token_paused', 'dollar_paused']

/** Public explanations, without hosts and without steps for the operator. */
const sentences: Readonly<Record<PoolProblem, string>> = {
  pool_paused: 'The pool is paused.',
  position_token_paused: 'The position token is paused.',
  dollar_paused: 'The dollar is paused.',
  signer: 'The pool accepts notes of another signer only and rejects these.',
  limits: 'The pool’s limits are narrower than those of these notes, so it may reject some.',
  refused: 'The pool rejects these notes.',
  unknown: 'The pool cannot be read.',
}

/**
 * Returns whether a pool accepts loans, and why. The pool's pause is read for each request. The tokens' pauses and a
 * rejection of the notes are known from the last check of the pool watch.
 */
export function describePoolStatus({
  pool,
  watched,
}: {
  readonly pool: PoolState | undefined
  /** Undefined if no RPC is configured. */
  readonly watched: WatchedPool | undefined
}): PoolStatus {
  if (!watched) return { status: 'unknown', reason: 'No RPC is configured for this chain.' }
  const problems = new Set(watched.problems?.keys())
  if (pool && !problems.has('unknown')) {
    if (pool.isPaused) problems.add('pool_paused')
    else problems.delete('pool_paused')
  }
  const reason = poolProblems
    .filter((problem) => problems.has(problem))
    .map((problem) => sentences[problem])
    .join(' ')
  if (problems.has('unknown') || (!pool && !watched.problems)) {
    return { status: 'unknown', reason: reason || 'The pool has not been read yet.' }
  }
  if (pauses.some((pause) => problems.has(pause))) return { status: 'paused', reason }
  return { status: 'open', reason: reason || 'The pool is not paused.' }
}
