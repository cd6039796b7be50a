import type { PausableContract } from '@tallystick/chain'
import type { ChainRateFacts } from '@tallystick/core'
import type { IndexedPool, PoolProblem, PoolProblems } from '@tallystick/issuer'
import type { ReadPoolState } from './pool-states.ts'

export type PoolStatus = ChainRateFacts['status']

type Pause = { readonly problem: PoolProblem; readonly sentence: string }

/** Public explanations, without hosts and without steps for the operator. */
const pauses: Readonly<Record<PausableContract, Pause>> = {
  pool: { problem: 'pool_paused', sentence: 'The pool is paused.' },
  'position token': { problem: 'position_token_paused', sentence: 'The position token is paused.' },
  dollar: { problem: 'dollar_paused', sentence: 'The dollar is paused.' },
}

const notPaused = 'The pool is not paused.'

/** Problems that the reason names, and those of them for which the pool accepts no note. */
const obstacles = ['signer', 'wiring', 'refused', 'limits', 'signer_change'] as const satisfies readonly PoolProblem[]
const rejecting: readonly PoolProblem[] = ['signer', 'wiring', 'refused']

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
  const read = new Set<string>(pool?.pauses.paused)
  // If the last read failed, either view may be the newer one. A pause in any of them counts.
  const paused = Object.entries(pauses).flatMap(([contract, { problem, sentence }]) =>
    read.has(contract) || (!isCurrent && problems?.has(problem)) ? [sentence] : [],
  )
  if (paused.length === 0) return { status: 'open', reason: notPaused }
  return { status: 'paused', reason: paused.join(' ') }
}

/**
 * Returns a status with the problems that the pool watch found and that keep an open pool from accepting notes. The pool's
 * limits may have left no notes on offer.
 */
export function addObstacles(
  { status, reason }: PoolStatus,
  { problems, hasNotes }: { readonly problems: PoolProblems | undefined; readonly hasNotes: boolean },
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

/** What is known of a chain whose RPCs cannot tell whether its pool is paused. */
type IndexedStatusContext = {
  readonly hasRpc: boolean
  readonly nowSeconds: bigint
  /** An index that lags more cannot tell that the pool is open. */
  readonly maxLagSeconds: number
}

// Less is the normal time between two blocks and their indexing.
const lagMentionedSeconds = 30

/** Returns whether a pool accepts loans by the index of its chain, which is undefined if there is none. */
export function describeIndexedStatus(
  indexed: Pick<IndexedPool, 'tellsPauseOf' | 'paused' | 'timestamp'> | { readonly problem: string } | undefined,
  { hasRpc, nowSeconds, maxLagSeconds }: IndexedStatusContext,
): PoolStatus {
  const why = hasRpc ? 'The pool cannot be read.' : 'No RPC is configured for this chain.'
  if (!indexed) return unknown(hasRpc ? why : 'Neither an RPC nor a subgraph is configured for this chain.')
  if ('problem' in indexed) return unknown(`${why} Its index cannot tell either: ${indexed.problem}`)
  const { tellsPauseOf, paused, timestamp } = indexed
  const lagSeconds = timestamp === undefined ? 0 : Number(nowSeconds) - timestamp
  const lag = lagSeconds > lagMentionedSeconds ? ` It is ${lagSeconds} s behind.` : ''
  if (paused[0]) return { status: 'paused', reason: `${why} Its index says that the ${paused[0]} is paused.${lag}` }
  if (!tellsPauseOf.includes('pool')) return unknown(`${why} Its index does not say whether it is paused.`)
  const not = tellsPauseOf.includes('position token')
    ? 'neither the pool nor the position token is paused. It does not follow the dollar.'
    : 'the pool is not paused. It does not follow the tokens.'
  const reason = `${why} Its index says that ${not}${lag}`
  return lagSeconds > maxLagSeconds ? unknown(reason) : { status: 'open', reason }
}

function unknown(reason: string): PoolStatus {
  return { status: 'unknown', reason }
}
