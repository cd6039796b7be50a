import type { PausableContract, PoolState, RevertReason } from '@tallystick/chain'
import type { ChainConfig } from '../../config.ts'
import type { PreflightResult } from '../issue/preflight.ts'
import type { NoteSet } from '../note-set.ts'

/** Problems a pool can have. `unknown`: its state cannot be read. */
export const poolProblems = [
  'pool_paused',
  'position_token_paused',
  'dollar_paused',
  'signer',
  'limits',
  'refused',
  'unknown',
] as const
export type PoolProblem = (typeof poolProblems)[number]

/** The problems of a pool, each with a message for operators. */
export type PoolProblems = ReadonlyMap<PoolProblem, string>

type PoolContext = {
  readonly chain: Pick<ChainConfig, 'id' | 'maxCouponBps' | 'minMaturitySeconds'>
  readonly state: PoolState
  /** The set of the current period. */
  readonly current: NoteSet | undefined
  readonly nowSeconds: bigint
  /** Refused preflights, each confirmed by a second one. */
  readonly refusals: readonly RefusedPreflight[]
}

type RefusedPreflight = Extract<PreflightResult, { readonly outcome: 'refused' }>

const pauseProblems: Readonly<Record<PausableContract, PoolProblem>> = {
  pool: 'pool_paused',
  'position token': 'position_token_paused',
  dollar: 'dollar_paused',
}

/** Returns the problems of a pool. Pure. */
export function findPoolProblems({ state, refusals, ...context }: PoolContext): PoolProblems {
  const problems = new Map<PoolProblem, string>()
  for (const contract of state.paused) {
    problems.set(pauseProblems[contract], `the ${contract} is paused: lending and claiming fail`)
  }
  for (const { reason, message } of refusals) {
    const problem = problemOf(reason)
    if (!problems.has(problem)) problems.set(problem, message)
  }
  if (!state.tellsPause) {
    problems.set('unknown', 'the contract at the pool address has no paused() function. Is it a pool of this protocol?')
  }
  const limit = findLimitProblem({ ...context, state })
  if (limit && !problems.has('limits')) problems.set('limits', limit)
  return problems
}

/**
 * Returns whether the pool rejects the notes themselves. Refusals about time are left to the clock checks, and a pause may
 * end within the period.
 */
export function rejectsNotes(result: PreflightResult): result is RefusedPreflight {
  return result.outcome === 'refused' && !temporaryReasons.includes(result.reason)
}

const temporaryReasons: readonly RefusedPreflight['reason'][] = [
  'EnforcedPause',
  'FeedNotYetValid',
  'FeedExpired',
  'InvalidMaturityTimestamp',
]

function problemOf(reason: RevertReason | 'no_code'): PoolProblem {
  if (reason === 'InvalidSigner') return 'signer'
  return reason === 'InvalidCoupon' || reason === 'InvalidMaturity' ? 'limits' : 'refused'
}

/** Returns a pool limit that the current notes violate, or that the configuration allows later notes to violate. */
function findLimitProblem({ chain, state: { limits }, current, nowSeconds }: Omit<PoolContext, 'refusals'>) {
  const { maxCouponLimit, minMaturityLimit } = limits
  const notes = current?.notes ?? []
  const tenorsOf = (broken: NoteSet['notes']) => broken.map(({ tenorDays }) => tenorDays).join(', ')
  const tooHigh = notes.filter(({ coupon }) => maxCouponLimit !== undefined && coupon > maxCouponLimit)
  if (tooHigh.length > 0) {
    return `the pool accepts coupons up to ${maxCouponLimit} bps and refuses the notes of ${tenorsOf(tooHigh)} days`
  }
  const tooShort = notes.filter(
    ({ maturityTimestamp }) => minMaturityLimit !== undefined && maturityTimestamp < nowSeconds + minMaturityLimit,
  )
  if (tooShort.length > 0) {
    return `the pool requires ${minMaturityLimit} s to maturity and refuses the notes of ${tenorsOf(tooShort)} days`
  }
  if (maxCouponLimit !== undefined && BigInt(chain.maxCouponBps) > maxCouponLimit) {
    return `the pool accepts coupons up to ${maxCouponLimit} bps. Lower maxCouponBps of chain ${chain.id} (${chain.maxCouponBps}) to that`
  }
  if (minMaturityLimit !== undefined && BigInt(chain.minMaturitySeconds) < minMaturityLimit) {
    return `the pool requires ${minMaturityLimit} s to maturity. Raise minMaturitySeconds of chain ${chain.id} (${chain.minMaturitySeconds}) to that`
  }
  return undefined
}
