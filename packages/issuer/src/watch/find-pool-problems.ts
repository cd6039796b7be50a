import { countOf } from '@tallystick/base/pure'
import type { PausableContract, PoolLimits } from '@tallystick/chain'
import { findMissingIncome, isIncomeStale } from '@tallystick/core'
import type { NoteSet } from '../note-set.ts'
import type { KnownPool } from './pool-source.ts'

/** Problems a pool can have. `signer_change`: a planned change is half done. `unknown`: its state cannot be read. */
export const poolProblems = [
  'pool_paused',
  'position_token_paused',
  'dollar_paused',
  'signer',
  'signer_change',
  'limits',
  'wiring',
  'refused',
  'income',
  'unknown',
] as const
export type PoolProblem = (typeof poolProblems)[number]

export type PoolFinding = {
  /** Clause for operators. */
  readonly message: string
  /** Full sentences for operators: what to do. */
  readonly remedy: string
  /** Clause for integrators, without hosts and without steps for the operator. */
  readonly clause: string
}

/** The problems of a pool. */
export type PoolProblems = ReadonlyMap<PoolProblem, PoolFinding>

export const pauseProblems: Readonly<Record<PausableContract, PoolProblem>> = {
  pool: 'pool_paused',
  'position token': 'position_token_paused',
  dollar: 'dollar_paused',
}

type PoolProblemsInput = {
  readonly state: KnownPool
  /** Obstacles to the published sets, confirmed by as many checks as each needs. */
  readonly obstacles: readonly (PoolFinding & { readonly problem: PoolProblem })[]
  /** The set of the current period. */
  readonly current: NoteSet | undefined
  readonly nowSeconds: bigint
}

/** Returns the problems of a pool. Pure. */
export function findPoolProblems({ state, obstacles, current, nowSeconds }: PoolProblemsInput): PoolProblems {
  const problems = new Map<PoolProblem, PoolFinding>()
  for (const contract of state.paused) problems.set(pauseProblems[contract], describePause(contract))
  for (const obstacle of obstacles) if (!problems.has(obstacle.problem)) problems.set(obstacle.problem, obstacle)
  if (!state.tellsPause) {
    const message = 'the contract at the pool address has no paused() function. Is it a pool of this protocol?'
    problems.set('unknown', { message, remedy: 'Correct chains[].pool.', clause: 'the pool cannot be read' })
  }
  const beyond = current && findBeyondLimits(current, { limits: state.limits, atSeconds: nowSeconds })
  if (beyond && !problems.has('limits')) problems.set('limits', beyond)
  const income = findIncomeProblem(state, nowSeconds)
  if (income) problems.set('income', income)
  return problems
}

export function describePause(contract: PausableContract): PoolFinding {
  return {
    message: `the ${contract} is paused: lending and claiming fail`,
    remedy: `If the pause is unintended, call unpause() of the ${contract} from its pauser role.`,
    clause: `the ${contract} is paused`,
  }
}

function findIncomeProblem({ lastIncomeDay }: KnownPool, nowSeconds: bigint): PoolFinding | undefined {
  if (lastIncomeDay === undefined) return undefined
  const missing = findMissingIncome({ lastDay: lastIncomeDay, nowSeconds })
  if (!isIncomeStale(missing)) return undefined
  const { days, since } = missing
  return {
    message: `the floating income of ${countOf(days, 'day')} (UTC) is not reported, since ${since}: a claim pays too little until it is`,
    remedy: `Report it with updatePreviousFloatingIncome(${lastIncomeDay + 1}, ${days}, …) from the reporter’s role.`,
    clause: `the floating income of ${countOf(days, 'day')} is not reported, since ${since}`,
  }
}

/** Returns the tenors of notes that the pool's limits reject at an instant, and why. */
export function findBeyondLimits(
  { notes, chainId }: Pick<NoteSet, 'notes' | 'chainId'>,
  { limits, atSeconds }: { readonly limits: PoolLimits; readonly atSeconds: bigint },
): (PoolFinding & { readonly tenors: readonly number[] }) | undefined {
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
  const clause = `the pool ${limit} and refuses the notes of ${tenors.join(', ')} days`
  return { tenors, message: clause, remedy: adviseOnLimits(chainId), clause }
}

export function adviseOnLimits(chainId: number): string {
  return `Set coupons that the pool accepts with \`tallystick curve set … --chain ${chainId}\`, or change its limits.`
}
