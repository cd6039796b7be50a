import type { RpcPool } from '@tallystick/chain'
import type { Block } from '../store/block.ts'
import type { Subgraph } from '../subgraph.ts'
import type { FollowerLog } from './follower-log.ts'
import type { Mapping } from './mapping.ts'
import type { RangeSizer } from './range-sizer.ts'
import type { Position } from './read-range.ts'

/** What the parts of a follower share. */
export type ChainContext = {
  readonly subgraph: Subgraph
  readonly mapping: Mapping
  /** The mapping's contracts in lower case. */
  readonly addresses: ReadonlySet<string>
  readonly startBlock: number
  readonly pool: RpcPool
  readonly sizer: RangeSizer
  readonly log: FollowerLog
  /** Whether to leave off before the next transaction: stopped, or no longer the one that follows. */
  readonly isOver: () => boolean
  readonly onStored: (events: number) => void
}

/** How far the chain is read: `stored` is the head of the store; blocks without logs after it may have been read too. */
export type Cursor = { readonly stored: Block; readonly position: Position }
