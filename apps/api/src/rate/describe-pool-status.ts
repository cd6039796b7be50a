import type { ChainRateFacts } from '@tallystick/core'
import { type PoolProblem, poolProblems } from '../notes/watch/find-pool-problems.ts'
import type { WatchedPool } from '../notes/watch/watch-pools.ts'
import type { PoolState } from './pool-states.ts'

export type PoolStatus = NonNullable<ChainRateFacts['status']>

const pauses: readonly PoolProblem[] = ['pool_paused', 'position_token_paused', 'dollar_paused']

/** For the public: without hosts, and without what only an operator can do. */
const sentences: Readonly<Record<PoolProblem, string>> = {
  pool_paused: 'The pool is paused.',
  position_token_paused: 'The position token is paused.',
  dollar_paused: 'The dollar is paused.',
  signer: 'The pool takes notes of another signer and refuses these.',
  limits: 'The pool’s limits are narrower than those of these notes: it may refuse some.',
  refused: 'The pool refuses these notes.',
  unknown: 'The pool cannot be read at the moment.',
}

/**
 * Returns whether a pool takes loans, and why. Its own pause is known from each request, the tokens' and a refusal of the
 * notes from the last look at the pool.
 */
export function describePoolStatus({
  pool,
  watched,
}: {
  readonly pool: PoolState | undefined
  /** Undefined where no RPC is configured. */
  readonly watched: WatchedPool | undefined
}): PoolStatus {
  if (!watched) return { status: 'unknown', reason: 'No RPC of this chain is configured.' }
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
    return { status: 'unknown', reason: reason || 'The pool was not read yet.' }
  }
  if (pauses.some((pause) => problems.has(pause))) return { status: 'paused', reason }
  return { status: 'open', reason: reason || 'The pool is not paused.' }
}
