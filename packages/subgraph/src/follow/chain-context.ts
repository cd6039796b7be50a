import type { ChainIdentity, RangeSizer, RpcPool } from '@tallystick/chain'
import type { Block } from '../store/block.ts'
import type { Subgraph } from '../subgraph.ts'
import type { FollowerLog, Mapping, Report } from './mapping.ts'
import type { Position } from './read-range.ts'

/** State and services that the parts of a follower share. */
export type ChainContext = {
  readonly subgraph: Subgraph
  readonly mapping: Mapping
  /** Contracts of the mapping, in lower case, and the first topics of their events. */
  readonly addresses: ReadonlySet<string>
  readonly topics: readonly string[] | undefined
  readonly startBlock: number
  readonly identity: ChainIdentity
  /** A reorg of more blocks is not followed. */
  readonly maxReorgDepth: number
  readonly pool: RpcPool
  readonly sizer: RangeSizer
  readonly log: FollowerLog
  /** Returns whether to end before the next transaction: the follower was stopped, or lost its lock. */
  readonly isOver: () => boolean
  readonly onStored: (events: number) => void
  /** Takes signs that the index lacks logs. */
  readonly report: Report
}

/** Progress of the read. `stored` is the head of the store. `position` is after it if blocks without logs follow. */
export type Cursor = { readonly stored: Block; readonly position: Position }
