import type { PoolStatus } from './find-pool-status.ts'
import type { IndexedPauses } from './read-indexed-pauses.ts'

/** What is known of a chain whose RPCs cannot tell whether its pool is paused. */
export type IndexedStatusContext = {
  readonly hasRpc: boolean
  readonly nowSeconds: bigint
  /** An index that lags more cannot tell that the pool is open. */
  readonly maxLagSeconds: number
}

// Less is the normal time between two blocks and their indexing.
const lagMentionedSeconds = 30

/** Returns whether a pool accepts loans by the index of its chain, which is undefined if there is none. */
export function describeIndexedStatus(
  pauses: IndexedPauses | { readonly problem: string } | undefined,
  { hasRpc, nowSeconds, maxLagSeconds }: IndexedStatusContext,
): PoolStatus {
  const why = hasRpc ? 'The pool cannot be read.' : 'No RPC is configured for this chain.'
  if (!pauses) return unknown(hasRpc ? why : 'Neither an RPC nor a subgraph is configured for this chain.')
  if ('problem' in pauses) return unknown(`${why} Its index cannot tell either: ${pauses.problem}`)
  const lagSeconds = pauses.timestamp === undefined ? 0 : Number(nowSeconds) - pauses.timestamp
  const lag = lagSeconds > lagMentionedSeconds ? ` It is ${lagSeconds} s behind.` : ''
  const contract = pauses.isPoolPaused ? 'pool' : pauses.isPositionTokenPaused ? 'position token' : undefined
  if (contract) return { status: 'paused', reason: `${why} Its index says that the ${contract} is paused.${lag}` }
  const not =
    pauses.isPositionTokenPaused === undefined
      ? 'the pool is not paused. It does not follow the tokens.'
      : 'neither the pool nor the position token is paused. It does not follow the dollar.'
  const reason = `${why} Its index says that ${not}${lag}`
  return lagSeconds > maxLagSeconds ? unknown(reason) : { status: 'open', reason }
}

function unknown(reason: string): PoolStatus {
  return { status: 'unknown', reason }
}
