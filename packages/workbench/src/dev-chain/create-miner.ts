import type { Engine } from './create-engine.ts'
import type { JournalEntry } from './journal.ts'
import { invalidParams } from './rpc-failure.ts'

export type MinerParts = {
  readonly engine: Engine
  readonly clock: ChainClock
  readonly record: (entry: JournalEntry) => void
  /** Unix seconds of block 0. */
  readonly genesisSecond: number
}

/** Miner of a development chain. */
export type Miner = ReturnType<typeof createMiner>

export function createMiner({ engine, clock, record, genesisSecond }: MinerParts) {
  const timestamps = [genesisSecond]
  let nextSecond: number | undefined
  const headSecond = () => timestamps.at(-1) as number
  const assertNotPast = (second: number) => {
    if (second >= headSecond()) return
    throw invalidParams(`Timestamp ${second} is lower than that of the newest block, ${headSecond()}.`)
  }
  return {
    /** Mines one block at the given time, else at the time set for the next block, else at the clock's time. */
    mine: async (given?: number) => {
      const chosen = given ?? nextSecond
      if (chosen !== undefined) assertNotPast(chosen)
      const second = chosen ?? Math.max(headSecond(), clock.now())
      await engine.request('evm_mine', [second])
      record(['evm_mine', [second]])
      timestamps.push(second)
      nextSecond = undefined
      // As on other development nodes, the clock continues from a requested time.
      if (chosen !== undefined) clock.set(chosen)
    },
    /** Sets the time of the next block. */
    setNextTimestamp: async (second: number) => {
      assertNotPast(second)
      // EDR estimates gas for the next block and needs its time.
      await engine.request('evm_setNextBlockTimestamp', [second])
      nextSecond = second
    },
    headSecond,
    /** Unix seconds of each block, by its number. */
    timestamps: timestamps as readonly number[],
    /** Removes the blocks from this number on. */
    forgetFrom: (number: number) => {
      timestamps.length = number
      nextSecond = undefined
    },
  }
}

/** Clock of a development chain in Unix seconds. Its seconds start with those of the system clock. */
export type ChainClock = ReturnType<typeof createChainClock>

export function createChainClock(systemNowMs: () => number) {
  const systemSecond = () => Math.floor(systemNowMs() / 1000)
  let offsetSeconds = 0
  return {
    now: () => systemSecond() + offsetSeconds,
    /** Sets the current time. The clock continues from it. */
    set: (second: number) => {
      offsetSeconds = second - systemSecond()
    },
    /** Returns a function that restores the present offset. */
    remember: () => {
      const remembered = offsetSeconds
      return () => {
        offsetSeconds = remembered
      }
    },
  }
}
