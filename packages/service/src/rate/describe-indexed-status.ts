import type { IndexedPool } from '@tallystick/issuer'
import type { PoolStatus } from './find-pool-status.ts'

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
