// @module-tag postgres

import type { DatabaseEngine } from '@tallystick/workbench/test-database'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Step, startChain, type TestChain } from './follow-chain.ts'
import { followInto, tablesOfFresh } from './follow-index.ts'
import { type OpenTest, openTest } from './open-fixture.ts'

let chain: TestChain
let restore: () => Promise<void>
beforeAll(async () => {
  chain = await startChain()
  restore = await chain.keep()
})
afterEach(() => restore())
afterAll(() => chain.stop())

const blocksOf = (length: number, toBlock: (block: number) => Step) =>
  Array.from({ length }, (_, block) => toBlock(block))

describe('postgres', () => testEngine('postgres'))
// PGlite takes longer to start.
describe('pglite', { tags: 'slow' }, () => testEngine('pglite'))

function testEngine(engine: DatabaseEngine): void {
  let opened: OpenTest
  beforeAll(async () => {
    opened = await openTest(engine)
  })
  afterAll(() => opened.close())

  test('default: a backfill indexes every event once, then follows new blocks', async () => {
    const first = blocksOf(40, (block) => ({ logs: block % 7, salt: block }))
    await chain.grow([...first, { empty: 2_300 }, { logs: 5, salt: 1 }, { empty: 300 }])
    const index = await followInto(opened.database, { chain })
    await index.untilCurrent()
    const ofLoop = Array.from({ length: 40 }, (_, block) => block).flatMap((block) => Array(block % 7).fill(block))
    const { Event: events = [], Tally: tallies = [], $blocks: blocks = [] } = await index.tables()
    expect(events.map(({ salt }) => Number(salt)).sort((a, b) => a - b)).toEqual(
      [...ofLoop, 1, 1, 1, 1, 1].sort((a, b) => a - b),
    )
    const salts = ofLoop.reduce((sum, salt) => sum + salt, 0) + 5
    expect(tallies.at(-1)).toMatchObject({ events: ofLoop.length + 5, salts })
    const head = await chain.headNumber()
    const numbers = blocks.map(({ number }) => Number(number))
    expect(numbers.filter((number) => number > head - 256)).toHaveLength(256)
    expect(numbers.filter((number) => number > 42 && number <= head - 256)).toEqual([2_000, 2_342])
    expect(index.follower.isWriting).toBe(true)
    expect(index.follower.status()).toMatchObject({
      state: 'following',
      lagBlocks: 0,
      lagSeconds: 0,
      eventsIndexed: ofLoop.length + 5,
      reorgsSeen: 0,
      problem: undefined,
    })
    expect(await index.tables()).toEqual(await tablesOfFresh(opened.database, chain))
    await chain.emit(3, 9)
    await index.untilCurrent()
    expect((await index.tables())['Tally']?.at(-1)).toMatchObject({ events: ofLoop.length + 8 })
    await index.follower.stop()
  })

  test.each([1, 7, 64])('behavior: after a reorg of %i blocks the index equals a fresh one', async (depth) => {
    const startBlock = await chain.headNumber()
    await chain.grow(blocksOf(10, (block) => ({ logs: 2, salt: 100 + block })))
    const snapshot = await chain.rpc('evm_snapshot')
    const index = await followInto(opened.database, { chain, startBlock })
    await chain.grow(blocksOf(depth, (block) => ({ logs: 1, salt: 200 + block })))
    await index.untilCurrent()
    await chain.rpc('evm_revert', [snapshot])
    await chain.grow(blocksOf(depth + 1, (block) => ({ logs: block % 3, salt: 300 + block })))
    await index.untilCurrent()
    await index.follower.stop()
    expect(index.follower.status()).toMatchObject({ state: 'following', reorgsSeen: expect.any(Number) })
    expect(index.follower.status().reorgsSeen).toBeGreaterThan(0)
    expect(await index.tables()).toEqual(await tablesOfFresh(opened.database, chain, startBlock))
  })

  test('behavior: a reorg to a shorter chain while no follower runs is reverted', async () => {
    const startBlock = await chain.headNumber()
    await chain.emit(3, 1)
    const snapshot = await chain.rpc('evm_snapshot')
    await chain.grow([...blocksOf(5, (block) => ({ logs: 2, salt: 400 + block })), { empty: 600 }])
    const options = { chain, startBlock, namespace: `deep_${engine}`, maxReorgDepth: 1_000 }
    const first = await followInto(opened.database, options)
    await first.untilCurrent()
    await first.follower.stop()
    await chain.rpc('evm_revert', [snapshot])
    await chain.grow([{ logs: 1, salt: 500 }, { empty: 300 }, { logs: 2, salt: 501 }])
    const second = await followInto(opened.database, options)
    await second.untilCurrent()
    await second.follower.stop()
    expect(second.follower.status().reorgsSeen).toBe(1)
    const fresh = await tablesOfFresh(opened.database, chain, startBlock)
    expect(await second.tables()).toMatchObject({ Event: fresh['Event'], Tally: fresh['Tally'] })
  })

  test('behavior: a reorg of more blocks than maxReorgDepth is not applied', async () => {
    const startBlock = await chain.headNumber()
    await chain.grow([{ logs: 2, salt: 1 }, { empty: 5 }])
    const snapshot = await chain.rpc('evm_snapshot')
    await chain.grow(blocksOf(9, (block) => ({ logs: 1, salt: 600 + block })))
    const index = await followInto(opened.database, { chain, startBlock, maxReorgDepth: 8 })
    await index.untilCurrent()
    const before = await index.tables()
    await chain.rpc('evm_revert', [snapshot])
    await chain.grow(blocksOf(20, () => ({ logs: 1, salt: 700 })))
    await expect.poll(() => index.follower.status().state).toBe('disputed')
    expect(index.follower.status().problem).toContain('maxReorgDepth is 8, so it is not followed')
    expect(await index.tables()).toEqual(before)
    await index.follower.stop()
  })
}
