import type { Block } from '../store/block.ts'
import type { BlockChanges } from '../store/collect-changes.ts'
import type { StoredEntity } from '../store/load-entities.ts'

/** A log as the node sends it: hex, lower case. */
export type Log = {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly transactionHash: string
  readonly logIndex: number
}

/** A block and the logs in it that a mapping asked for, in the order of the chain. */
export type BlockLogs = { readonly block: Block; readonly logs: readonly Log[] }

/** Reads entities as they stand before the first of the blocks that are being mapped. */
export type LoadEntities = (entity: string, ids: readonly string[]) => Promise<ReadonlyMap<string, StoredEntity>>

/** How a protocol's logs become entities. All that is particular to a protocol is here. */
export type Mapping = {
  /** The contracts whose logs are followed. */
  readonly addresses: readonly string[]
  /**
   * The changes of some consecutive blocks: one element per block, in their order, also for those without logs. Many
   * come at once in a backfill, so that what has to be loaded is loaded in few statements.
   */
  map(blocks: readonly BlockLogs[], load: LoadEntities): Promise<readonly BlockChanges[]>
}
