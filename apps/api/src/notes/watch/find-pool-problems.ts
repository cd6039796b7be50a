import type { PausableContract, PoolState, RevertReason } from '@tallystick/chain'
import type { ChainConfig } from '../../config.ts'
import type { PreflightResult } from '../issue/preflight.ts'
import type { NoteSet } from '../note-set.ts'

/** What can be wrong with a pool. `unknown`: no RPC tells. */
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

/** What is wrong with a pool, with a sentence for people on each. */
export type PoolProblems = ReadonlyMap<PoolProblem, string>

type Judged = {
  readonly chain: Pick<ChainConfig, 'id' | 'maxCouponBps' | 'minMaturitySeconds'>
  readonly state: PoolState
  /** The set on offer. */
  readonly current: NoteSet | undefined
  readonly nowSeconds: bigint
  /** The verdicts that say no, each heard twice. */
  readonly refusals: readonly Refused[]
}

type Refused = Extract<PreflightResult, { readonly outcome: 'refused' }>

const pauseProblems: Readonly<Record<PausableContract, PoolProblem>> = {
  pool: 'pool_paused',
  'position token': 'position_token_paused',
  dollar: 'dollar_paused',
}

/** Returns what is wrong with a pool by what its chain said. Pure. */
export function findPoolProblems({ state, refusals, ...judged }: Judged): PoolProblems {
  const problems = new Map<PoolProblem, string>()
  for (const contract of state.paused) {
    problems.set(pauseProblems[contract], `the ${contract} is paused: nobody can lend or claim`)
  }
  for (const { reason, message } of refusals) {
    const problem = problemOf(reason)
    if (!problems.has(problem)) problems.set(problem, message)
  }
  if (!state.tellsPause) {
    problems.set('unknown', 'the contract at the pool’s address has no paused(): is it a pool of this protocol?')
  }
  const limit = findLimitProblem({ ...judged, state })
  if (limit && !problems.has('limits')) problems.set('limits', limit)
  return problems
}

/**
 * Whether a refusal says that the pool does not take the notes. Those about time are for the clocks to judge, and a pause
 * may end within the period.
 */
export function rejectsNotes(verdict: PreflightResult): verdict is Refused {
  return verdict.outcome === 'refused' && !passingReasons.includes(verdict.reason)
}

const passingReasons: readonly Refused['reason'][] = [
  'EnforcedPause',
  'FeedNotYetValid',
  'FeedExpired',
  'InvalidMaturityTimestamp',
]

function problemOf(reason: RevertReason | 'no_code'): PoolProblem {
  if (reason === 'InvalidSigner') return 'signer'
  return reason === 'InvalidCoupon' || reason === 'InvalidMaturity' ? 'limits' : 'refused'
}

/** A limit that the notes on offer break, or that the configuration lets the next ones break. */
function findLimitProblem({ chain, state: { limits }, current, nowSeconds }: Omit<Judged, 'refusals'>) {
  const { maxCouponLimit, minMaturityLimit } = limits
  const notes = current?.notes ?? []
  const tenorsOf = (broken: NoteSet['notes']) => broken.map(({ tenorDays }) => tenorDays).join(', ')
  const tooHigh = notes.filter(({ coupon }) => maxCouponLimit !== undefined && coupon > maxCouponLimit)
  if (tooHigh.length > 0) {
    return `the pool takes coupons up to ${maxCouponLimit} bps and refuses the notes of ${tenorsOf(tooHigh)} days`
  }
  const tooShort = notes.filter(
    ({ maturityTimestamp }) => minMaturityLimit !== undefined && maturityTimestamp < nowSeconds + minMaturityLimit,
  )
  if (tooShort.length > 0) {
    return `the pool wants ${minMaturityLimit} s to maturity and refuses the notes of ${tenorsOf(tooShort)} days`
  }
  if (maxCouponLimit !== undefined && BigInt(chain.maxCouponBps) > maxCouponLimit) {
    return `the pool takes coupons up to ${maxCouponLimit} bps; set maxCouponBps of chain ${chain.id} (${chain.maxCouponBps}) to that or less`
  }
  if (minMaturityLimit !== undefined && BigInt(chain.minMaturitySeconds) < minMaturityLimit) {
    return `the pool wants ${minMaturityLimit} s to maturity; set minMaturitySeconds of chain ${chain.id} (${chain.minMaturitySeconds}) to that or more`
  }
  return undefined
}
