import { type Address, isAddressEqual } from 'viem'
import type { PreflightResult } from '../issue/preflight.ts'
import type { NoteSet } from '../note-set.ts'
import { isPlannedChange } from '../planned-change.ts'
import type { PreflightMode } from '../settings.ts'
import {
  adviseOnLimits,
  describePause,
  findBeyondLimits,
  type PoolFinding,
  type PoolProblem,
  pauseProblems,
} from './find-pool-problems.ts'
import type { KnownPool } from './pool-source.ts'
import type { Withholding } from './withhold-notes.ts'

/** A published set and its preflight; undefined if there was none. */
export type PreflightedSet = { readonly set: NoteSet; readonly preflight: PreflightResult | undefined }

/** Something that keeps a pool from accepting notes of a set. */
export type Obstacle = PoolFinding & {
  readonly problem: PoolProblem
  /** Tenors to withhold. Empty if the problem is only reported. */
  readonly tenors: readonly number[]
  readonly reason: Withholding['reason']
  /** Identifies the obstacle, to recognize it in the next check. */
  readonly key: string
  /** Checks in a row that must find it before it counts. */
  readonly checks: number
}

export type ObstacleContext = {
  readonly state: KnownPool
  /** Faults of roles and tokens. */
  readonly faults: readonly PoolFinding[]
  readonly nowSeconds: bigint
  readonly mode: PreflightMode
  /** Announced signer. */
  readonly next: Address | undefined
  /** Says what to do if the pool has another signer. */
  readonly adviseOnSigner: (registered: Address | undefined) => string
}

type RefusedPreflight = Extract<PreflightResult, { readonly outcome: 'refused' }>

// A single answer may come from a node that lags or is faulty.
const twoChecks = 2
// A pause may end soon.
const threeChecks = 3

/** Returns why a pool would refuse the notes of a set. Pure. */
export function findObstacles(preflighted: PreflightedSet, context: ObstacleContext): readonly Obstacle[] {
  const all = preflighted.set.notes.map(({ tenorDays }) => tenorDays)
  const pauses = context.state.paused.map((contract): Obstacle => {
    const problem = pauseProblems[contract]
    const found = { problem, reason: 'pool_paused', tenors: all, key: problem, checks: threeChecks } as const
    return { ...describePause(contract), ...found }
  })
  const faults = context.faults.map((fault): Obstacle => {
    const found = { problem: 'wiring', reason: 'pool_wiring', tenors: all, checks: twoChecks } as const
    return { ...fault, ...found, key: `wiring ${fault.message}` }
  })
  const others = [
    findSignerObstacle(preflighted, context),
    findRefusal(preflighted, context),
    findLimitObstacle(preflighted, context),
  ]
  return [...pauses, ...faults, ...others.filter((obstacle) => obstacle !== undefined)]
}

/** The preflight has the pool's answer to the notes themselves. Without one, the registered signer is compared. */
function findSignerObstacle(
  { set, preflight }: PreflightedSet,
  { state, nowSeconds, next, adviseOnSigner }: ObstacleContext,
): Obstacle | undefined {
  const { signer: registered } = state
  const isOther = registered !== undefined && !isAddressEqual(registered, set.signer)
  const isRefused = preflight?.outcome === 'refused' && preflight.reason === 'InvalidSigner'
  const isUnchecked = preflight === undefined || preflight.outcome === 'too_early'
  const isPlanned =
    preflight?.outcome === 'planned' || (isOther && isPlannedChange({ set, registered, next, nowSeconds }))
  if (!(isOther && isUnchecked) && !isRefused && preflight?.outcome !== 'planned') return undefined
  const clause = isOther
    ? `the pool’s signer is ${registered}, not ${set.signer}`
    : 'the pool recovers another signer from the notes'
  const key = `${set.period.start} signer ${registered} ${isPlanned}`
  const remedy = adviseOnSigner(isOther ? registered : undefined)
  if (isPlanned) {
    const found = { problem: 'signer_change', reason: 'pool_signer', tenors: [], checks: 1, key, remedy } as const
    const message = `the signer is being changed as announced: ${clause}`
    return {
      ...found,
      message,
      clause: `the pool’s signer is being changed to ${next}, and loans may fail for some minutes`,
    }
  }
  const tenors = set.notes.map(({ tenorDays }) => tenorDays)
  const message = isOther ? `the pool accepts notes signed by ${registered}, not by ${set.signer}` : clause
  return { problem: 'signer', reason: 'pool_signer', tenors, key, checks: twoChecks, message, remedy, clause }
}

/** Refusals about time are left to the clock checks, and those about pauses, signer and limits have their own obstacles. */
function findRefusal({ set, preflight }: PreflightedSet, { mode }: ObstacleContext): Obstacle | undefined {
  if (preflight?.outcome !== 'refused' || otherReasons.includes(preflight.reason)) return undefined
  return {
    problem: 'refused',
    reason: 'pool_refuses',
    tenors: mode === 'require' ? set.notes.map(({ tenorDays }) => tenorDays) : [],
    key: `${set.period.start} ${preflight.reason}`,
    checks: twoChecks,
    message: preflight.message,
    remedy: 'Run `tallystick doctor`: it compares the contract with the configuration.',
    clause: 'the pool rejects these notes',
  }
}

const otherReasons: readonly RefusedPreflight['reason'][] = [
  'EnforcedPause',
  'FeedNotYetValid',
  'FeedExpired',
  'InvalidMaturityTimestamp',
  'InvalidSigner',
  'InvalidCoupon',
  'InvalidMaturity',
]

function findLimitObstacle(
  { set, preflight }: PreflightedSet,
  { state: { limits }, nowSeconds }: ObstacleContext,
): Obstacle | undefined {
  const atSeconds = set.period.start > nowSeconds ? set.period.start : nowSeconds
  const beyond = findBeyondLimits(set, { limits, atSeconds })
  const refused = preflight?.outcome === 'refused' ? preflight.tenorsBeyondLimits : []
  const tenors = set.notes
    .map(({ tenorDays }) => tenorDays)
    .filter((tenor) => beyond?.tenors.includes(tenor) || refused.includes(tenor))
  if (tenors.length === 0) return undefined
  const clause = `the pool’s limits refuse the notes of ${tenors.join(', ')} days`
  const finding = beyond ?? { message: clause, remedy: adviseOnLimits(set.chainId), clause }
  const found = { problem: 'limits', reason: 'pool_limits', checks: twoChecks } as const
  return { ...finding, ...found, tenors, key: `${set.period.start} limits ${tenors}` }
}

/** Returns which notes of a set to withhold because of confirmed obstacles, and why. */
export function joinWithholding(set: NoteSet, obstacles: readonly Obstacle[]): Withholding | undefined {
  const [first, ...others] = obstacles
    .filter(({ tenors }) => tenors.length > 0)
    .toSorted((a, b) => b.tenors.length - a.tenors.length)
  if (!first) return undefined
  const all = [first, ...others]
  const tenors = set.notes
    .map(({ tenorDays }) => tenorDays)
    .filter((tenor) => all.some((obstacle) => obstacle.tenors.includes(tenor)))
  const join = (clauses: readonly string[]) => [...new Set(clauses)].join('; ')
  return {
    tenors,
    reason: first.reason,
    message: `${join(all.map(({ message }) => message))}. They are withheld.`,
    clause: join(all.map(({ clause }) => clause)),
  }
}
