import type { RpcPool } from '@tallystick/chain/rpc/rpc-pool'
import type { Block } from '../store/block.ts'
import type { BlockChanges } from '../store/collect-changes.ts'
import type { StoredEntity } from '../store/load-entities.ts'
import type { FollowerLog } from './follower-log.ts'

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

/** Runs work on one RPC endpoint. For state of contracts that no log has. */
export type RunOnRpc = RpcPool['run']

/** Conversion of a protocol's logs to entities. The rest of the follower does not depend on the protocol. */
export type Mapping = {
  /** Contracts whose logs are indexed. */
  readonly addresses: readonly string[]
  /**
   * Returns the changes of consecutive blocks: one element per block, in their order, also for blocks without logs. A
   * backfill passes many blocks at once, so that few statements load the entities.
   */
  map(blocks: readonly BlockLogs[], load: LoadEntities, run: RunOnRpc): Promise<readonly BlockChanges[]>
}

export type MappingContext = { readonly load: LoadEntities; readonly run: RunOnRpc; readonly log: FollowerLog }

/** Creates a mapping whose contracts are read from the chain. A follower calls it each time it begins to work. */
export type OpenMapping = (context: MappingContext) => Promise<Mapping>
