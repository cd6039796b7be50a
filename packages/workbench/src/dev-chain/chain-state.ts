import type { ChainClock } from './chain-clock.ts'
import type { Miner } from './create-miner.ts'
import type { Journal, JournalEntry } from './journal.ts'
import type { Engine } from './open-engine.ts'

/** State of a development chain beside EDR's. */
export type ChainState = {
  readonly engine: Engine
  readonly clock: ChainClock
  readonly miner: Miner
  /** Undefined during replay, and for a chain that is not stored. */
  journal: Journal | undefined
  readonly record: (entry: JournalEntry) => void
  readonly snapshots: Map<string, Snapshot>
  snapshotCount: number
  /** Whether each transaction is mined immediately. */
  automine: boolean
  /** Undefined if interval mining is off. */
  interval: BlockInterval | undefined
  /** Whether the next tick must mine, because a transaction is pending or the time has moved. */
  isBlockWanted: boolean
}

type BlockInterval = {
  readonly seconds: number
  /** Age of the newest block at which an empty block is mined. */
  readonly idleSeconds: number
}

type Snapshot = {
  readonly engineId: unknown
  readonly journalLength: number
  readonly blockCount: number
  readonly restoreClock: () => void
}
