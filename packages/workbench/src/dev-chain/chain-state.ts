import type { ChainClock } from './chain-clock.ts'
import type { Miner } from './create-miner.ts'
import type { Journal, JournalEntry } from './journal.ts'
import type { Engine } from './open-engine.ts'

/** State of a development chain that EDR does not keep. */
export type ChainState = {
  readonly engine: Engine
  readonly clock: ChainClock
  readonly miner: Miner
  /** Undefined while the journal is replayed, and on a chain that is not kept. */
  journal: Journal | undefined
  readonly record: (entry: JournalEntry) => void
  readonly snapshots: Map<string, Snapshot>
  snapshotCount: number
  /** Whether each transaction is mined at once. */
  automine: boolean
  /** Undefined while no block is mined by the clock. */
  interval: BlockInterval | undefined
  /** Whether the next tick must mine: a transaction waits, or the time was moved. */
  isBlockWanted: boolean
}

export type BlockInterval = {
  readonly seconds: number
  /** Age of the newest block at which one without transactions is mined. */
  readonly idleSeconds: number
}

export type Snapshot = {
  readonly engineId: unknown
  readonly journalLength: number
  readonly blockCount: number
  readonly restoreClock: () => void
}
