import type { RpcEndpoint, RpcPool } from '@tallystick/chain'
import type { Block } from '../store/block.ts'
import type { BlockChanges } from '../store/collect-changes.ts'
import type { StoredEntity } from '../store/load-entities.ts'
import type { Subgraph } from '../subgraph.ts'
import { SubgraphError } from '../subgraph-error.ts'

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

/** Parts of a subgraph that tell since when an entity is as it is. */
export type IndexReader = Pick<Subgraph, 'load' | 'execute' | 'findVersions'>

/** Sign that the index lacks logs, or has wrong ones. */
export type Contradiction = {
  /** What contradicts what, in a sentence. */
  readonly message: string
  /** Entity that an audit after a repair looks at, among others. */
  readonly id?: string | undefined
  /** Finds the first block that may have been read wrongly. Undefined means the first block of the index. */
  locate(index: IndexReader): Promise<number | undefined>
}

/** Comparison of an index with the contracts, at its head. `id` is an entity of an earlier contradiction. */
export type Audit = (
  index: IndexReader,
  chain: { readonly endpoint: RpcEndpoint; readonly id?: string | undefined },
) => Promise<readonly Contradiction[]>

/** Conversion of a protocol's logs to entities. The rest of the follower does not depend on the protocol. */
export type Mapping = {
  /** Contracts whose logs are indexed. */
  readonly addresses: readonly string[]
  /** First topics of the events that it uses. By default every log of the contracts counts. */
  readonly topics?: readonly string[] | undefined
  /** Returns whether the contracts changed, so that the mapping must be opened again. */
  readonly isOutdated?: ((endpoint: RpcEndpoint) => Promise<boolean>) | undefined
  /** Compares a sample of the index with the chain. */
  readonly audit?: Audit | undefined
  /**
   * Returns the changes of consecutive blocks: one element per block, in their order, also for blocks without logs. A
   * backfill passes many blocks at once, so that few statements load the entities. It reports logs that contradict the
   * index but can be applied, and throws a `SubgraphError` with the contradiction for those that cannot.
   */
  map(
    blocks: readonly BlockLogs[],
    load: LoadEntities,
    run: RunOnRpc,
    report?: Report,
  ): Promise<readonly BlockChanges[]>
}

export type Report = (contradiction: Contradiction) => void

export type MappingContext = {
  readonly load: LoadEntities
  readonly run: RunOnRpc
  readonly index: IndexReader
  /** First and last block of the index. Undefined if it is empty. */
  readonly blocks: { readonly from: number; readonly to: number } | undefined
  readonly log: FollowerLog
}

/** Creates a mapping whose contracts are read from the chain. A follower calls it each time it begins to work. */
export type OpenMapping = (context: MappingContext) => Promise<Mapping>

type Write = (details: Readonly<Record<string, unknown>>, message: string) => void

/** Log of a follower. A pino logger fits. */
export type FollowerLog = { readonly info: Write; readonly warn: Write; readonly error: Write }

/** Error of an event that cannot be applied because the index contradicts it. */
export class ContradictionError extends SubgraphError {
  readonly contradiction: Contradiction

  constructor(contradiction: Contradiction) {
    super({ code: 'unmappable_log', message: contradiction.message })
    this.contradiction = contradiction
  }
}
