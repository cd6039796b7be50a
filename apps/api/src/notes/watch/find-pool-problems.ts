import { isLimitReason, type PausableContract, type PoolLimits, type RevertReason } from '@tallystick/chain'
import { type Address, isAddressEqual } from 'viem'
import type { PreflightResult } from '../issue/preflight.ts'
import type { NoteSet } from '../note-set.ts'
import type { KnownPool } from './pool-source.ts'

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
  readonly state: KnownPool
  /** The set of the current period. */
  readonly current: NoteSet | undefined
  /** Signer of notes to come. */
  readonly configuredSigner: Address
  /** Whether the pool was asked about the current set. */
  readonly hasPreflight: boolean
  readonly nowSeconds: bigint
  /** Refused preflights, each confirmed by a second one. */
  readonly refusals: readonly RefusedPreflight[]
}

export type RefusedPreflight = Extract<PreflightResult, { readonly outcome: 'refused' }>

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
  const { current, configuredSigner, nowSeconds } = context
  const beyond = current && findBeyondLimits(current, { limits: state.limits, atSeconds: nowSeconds })
  if (beyond && !problems.has('limits')) problems.set('limits', beyond.message)
  // A preflight has the pool's answer to the notes themselves.
  const signer = current?.signer ?? configuredSigner
  if (!context.hasPreflight && state.signer && !isAddressEqual(state.signer, signer)) {
    problems.set('signer', `the pool accepts notes signed by ${state.signer}, not by ${signer}`)
  }
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
  return isLimitReason(reason) ? 'limits' : 'refused'
}

/** Returns the tenors of notes that the pool's limits reject at an instant, and why. */
export function findBeyondLimits(
  { notes }: Pick<NoteSet, 'notes'>,
  { limits, atSeconds }: { readonly limits: PoolLimits; readonly atSeconds: bigint },
): { readonly tenors: readonly number[]; readonly message: string } | undefined {
  const { maxCouponLimit, minMaturityLimit } = limits
  const tooHigh = notes.filter(({ coupon }) => maxCouponLimit !== undefined && coupon > maxCouponLimit)
  const tooShort = notes.filter(
    ({ maturityTimestamp }) => minMaturityLimit !== undefined && maturityTimestamp < atSeconds + minMaturityLimit,
  )
  const broken = notes.filter((note) => tooHigh.includes(note) || tooShort.includes(note))
  if (broken.length === 0) return undefined
  const limit =
    tooHigh.length > 0 ? `accepts coupons up to ${maxCouponLimit} bps` : `requires ${minMaturityLimit} s to maturity`
  const tenors = broken.map(({ tenorDays }) => tenorDays)
  return { tenors, message: `the pool ${limit} and refuses the notes of ${tenors.join(', ')} days` }
}
