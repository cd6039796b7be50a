import type { Engine } from './create-engine.ts'
import type { ChainClock, Miner } from './create-miner.ts'
import type { Journal, JournalEntry } from './journal.ts'
import { checkSecond, readNumber } from './read-params.ts'
import { invalidParams } from './rpc-failure.ts'

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

/** Handles a request and returns its result. */
export type OwnMethod = (state: ChainState, params: readonly unknown[]) => Promise<unknown>

/** Methods for time, blocks and snapshots. EDR's versions use real time or bypass the journal. */
export const ownMethods: Readonly<Record<string, OwnMethod>> = {
  evm_setTime: async (state, [second]) => moveClock(state, readNumber(second)),
  evm_increaseTime: async (state, [seconds]) => moveClock(state, state.clock.now() + readNumber(seconds)),
  evm_setNextBlockTimestamp: async ({ miner }, [second]) => miner.setNextTimestamp(checkSecond(readNumber(second))),
  evm_mine: async ({ miner }, [second]) => {
    await miner.mine(second === undefined || second === null ? undefined : checkSecond(readNumber(second)))
    return '0x0'
  },
  hardhat_mine: mineSeveral,
  evm_setAutomine: async (state, [isOn]) => {
    if (typeof isOn !== 'boolean') throw invalidParams('Give true or false.')
    state.automine = isOn
    if (isOn) state.interval = undefined
    return true
  },
  hardhat_getAutomine: async ({ automine }) => automine,
  evm_setIntervalMining: setInterval,
  evm_snapshot: takeSnapshot,
  evm_revert: revert,
  eth_getBlockReceipts: readBlockReceipts,
}

async function moveClock(state: ChainState, second: number): Promise<number> {
  const moved = checkSecond(second) - state.clock.now()
  state.clock.set(second)
  // EDR estimates gas at its own time, which cannot decrease.
  if (moved > 0) await state.engine.request('evm_increaseTime', [moved])
  state.isBlockWanted = true
  return moved
}

// More would block all other requests for minutes.
const blocksMax = 100_000

/** Mines several blocks. Blocks of EDR's `hardhat_mine` do not have the hashes of their parents. */
async function mineSeveral({ miner }: ChainState, [count, interval]: readonly unknown[]): Promise<boolean> {
  const blocks = readNumber(count ?? 1)
  const seconds = readNumber(interval ?? 0)
  if (blocks > blocksMax) throw invalidParams(`${blocks} blocks are more than ${blocksMax}.`)
  for (let mined = 0; mined < blocks; mined += 1) {
    await miner.mine(mined > 0 && seconds > 0 ? checkSecond(miner.headSecond() + seconds) : undefined)
  }
  return true
}

/** Sets the interval. The second parameter is an extension: empty blocks are mined less often. */
async function setInterval(state: ChainState, [seconds, idleSeconds]: readonly unknown[]): Promise<boolean> {
  const every = readNumber(seconds)
  const idle = readNumber(idleSeconds ?? every)
  state.interval = every === 0 ? undefined : { seconds: every, idleSeconds: Math.max(every, idle) }
  if (every > 0) state.automine = false
  return true
}

async function takeSnapshot(state: ChainState): Promise<string> {
  state.snapshotCount += 1
  const id = `0x${state.snapshotCount.toString(16)}`
  state.snapshots.set(id, {
    engineId: await state.engine.request('evm_snapshot', []),
    journalLength: state.journal?.length() ?? 0,
    blockCount: state.miner.timestamps.length,
    restoreClock: state.clock.remember(),
  })
  return id
}

/** Reverts everything since a snapshot, including the clock and the journal. */
async function revert(state: ChainState, [id]: readonly unknown[]): Promise<boolean> {
  const snapshot = state.snapshots.get(String(id))
  if (!snapshot) return false
  const isDone = await state.engine.request('evm_revert', [snapshot.engineId])
  if (isDone !== true) return false
  state.journal?.truncate(snapshot.journalLength)
  state.miner.forgetFrom(snapshot.blockCount)
  snapshot.restoreClock()
  // The snapshot and all later ones are consumed.
  for (const later of [...state.snapshots.keys()]) {
    if (Number(later) >= Number(id)) state.snapshots.delete(later)
  }
  return true
}

async function readBlockReceipts({ engine }: ChainState, [block = 'latest']: readonly unknown[]): Promise<unknown> {
  const isHash = typeof block === 'string' && block.length === 66
  const found = await engine.request(isHash ? 'eth_getBlockByHash' : 'eth_getBlockByNumber', [block, false])
  if (found === null) return null
  const { transactions } = found as { readonly transactions: readonly string[] }
  return Promise.all(transactions.map((hash) => engine.request('eth_getTransactionReceipt', [hash])))
}
