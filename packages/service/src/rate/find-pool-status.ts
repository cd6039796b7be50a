import type { ChainRateFacts } from '@tallystick/core'
import type { PoolProblem, PoolProblems } from '@tallystick/issuer'
import type { ReadPoolState } from './pool-states.ts'

export type PoolStatus = ChainRateFacts['status']

/** Public explanations, without hosts and without steps for the operator. */
const pauseSentences = {
  pool_paused: 'The pool is paused.',
  position_token_paused: 'The position token is paused.',
  dollar_paused: 'The dollar is paused.',
} as const satisfies Partial<Record<PoolProblem, string>>

const notPaused = 'The pool is not paused.'

/** Problems that the reason names, and those of them for which the pool accepts no note. */
const obstacles = ['signer', 'wiring', 'refused', 'limits', 'signer_change'] as const satisfies readonly PoolProblem[]
const rejecting: readonly PoolProblem[] = ['signer', 'wiring', 'refused']

const pauseProblems = {
  pool: 'pool_paused',
  'position token': 'position_token_paused',
  dollar: 'dollar_paused',
} as const

/**
 * Returns whether a pool accepts loans by the RPCs of its chain. Its pauses are read for each request and by the pool watch.
 * Undefined if no RPC can tell.
 */
export function findPoolStatus(
  pool: ReadPoolState | undefined,
  /** Problems of the last check by RPC; undefined before the first. */
  problems: PoolProblems | undefined,
): PoolStatus | undefined {
  const isCurrent = pool?.isCurrent && pool.pauses.tellsPause
  const isRecent = !problems?.has('unknown') && (pool?.pauses.tellsPause || problems)
  if (!isCurrent && !isRecent) return undefined
  const read = new Set(pool?.pauses.paused.map((contract) => pauseProblems[contract]))
  // If the last read failed, either view may be the newer one. A pause in any of them counts.
  const names = Object.keys(pauseSentences) as (keyof typeof pauseSentences)[]
  const paused = names.filter((name) => read.has(name) || (!isCurrent && problems?.has(name)))
  if (paused.length === 0) return { status: 'open', reason: notPaused }
  return { status: 'paused', reason: paused.map((name) => pauseSentences[name]).join(' ') }
}

/** Returns a status with the problems that the pool watch found and that keep an open pool from accepting notes. */
export function addObstacles(
  { status, reason }: PoolStatus,
  {
    problems,
    hasNotes,
  }: {
    readonly problems: PoolProblems | undefined
    /** Whether notes are on offer. The pool's limits may have left none. */
    readonly hasNotes: boolean
  },
): PoolStatus {
  const found = obstacles.filter((name) => problems?.has(name))
  const sentences = found.map((name) => toSentence(problems?.get(name)?.clause ?? ''))
  const isRejecting = found.some((name) => rejecting.includes(name)) || (found.includes('limits') && !hasNotes)
  return {
    status: status === 'open' && isRejecting ? 'rejecting' : status,
    reason: (reason === notPaused && found.length > 0 ? sentences : [reason, ...sentences]).join(' '),
  }
}

function toSentence(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`
}
