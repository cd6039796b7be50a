import type { Block } from '../store/block.ts'
import type { BlockChanges } from '../store/collect-changes.ts'
import type { StoredEntity } from '../store/load-entities.ts'

/** Log as the node sends it: hex in lower case. */
export type Log = {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly transactionHash: string
  readonly logIndex: number
}

/** Block with the logs of the mapping's contracts, in chain order. */
export type BlockLogs = { readonly block: Block; readonly logs: readonly Log[] }

/** Reads entities in their state before the first of the mapped blocks. */
export type LoadEntities = (entity: string, ids: readonly string[]) => Promise<ReadonlyMap<string, StoredEntity>>

/** Conversion of a protocol's logs to entities. The rest of the follower does not depend on the protocol. */
export type Mapping = {
  /** Contracts whose logs are indexed. */
  readonly addresses: readonly string[]
  /**
   * Returns the changes of consecutive blocks: one element per block, in their order, also for blocks without logs. A
   * backfill passes many blocks at once, so that few statements load the entities.
   */
  map(blocks: readonly BlockLogs[], load: LoadEntities): Promise<readonly BlockChanges[]>
}
