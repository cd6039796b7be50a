// @module-tag postgres

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startChain, type TestChain } from './follow-chain.ts'
import { followInto, tablesOfFresh } from './follow-index.ts'
import { type Behaviour, startProxy, type TestProxy } from './follow-proxy.ts'
import { type OpenTest, openTest } from './open-fixture.ts'

let opened: OpenTest
let chain: TestChain
let proxy: TestProxy
let restore: () => Promise<void>
beforeAll(async () => {
  ;[opened, chain] = await Promise.all([openTest('postgres'), startChain()])
  proxy = await startProxy(chain.url)
  restore = await chain.keep()
})
afterEach(() => restore())
afterAll(async () => {
  await proxy.stop()
  await chain.stop()
  await opened.close()
})

/** Changes the chain once, just before or just after the n-th request of a method is answered. */
const changeAt = (moment: {
  readonly method: string
  readonly nth: number
  readonly isBefore: boolean
  readonly change: () => Promise<void>
}): Behaviour => {
  let seen = 0
  return async ({ calls, forward }) => {
    const isMoment = calls.some(({ method }) => method === moment.method) && ++seen === moment.nth
    if (isMoment && moment.isBefore) await moment.change()
    await forward()
    if (isMoment && !moment.isBefore) await moment.change()
  }
}

const moments = [
  { blocks: 30, method: 'eth_getLogs', nth: 2, isBefore: true },
  { blocks: 30, method: 'eth_getBlockByNumber', nth: 4, isBefore: true },
  { blocks: 30, method: 'eth_getBlockByNumber', nth: 4, isBefore: false },
  { blocks: 400, method: 'eth_getLogs', nth: 2, isBefore: true },
  { blocks: 400, method: 'eth_getLogs', nth: 2, isBefore: false },
  { blocks: 400, method: 'eth_getLogs', nth: 3, isBefore: true },
  { blocks: 400, method: 'eth_getBlockByNumber', nth: 4, isBefore: false },
  { blocks: 400, method: 'eth_getBlockByNumber', nth: 5, isBefore: true },
] as const
const [quick, ...others] = moments

test('behavior: a reorg between two requests does not mix two chains', () => reorganizeAt(quick))

test.each(others)(
  'behavior: nor does one of $blocks blocks at $method $nth (before: $isBefore)',
  { tags: 'slow' },
  reorganizeAt,
)

async function reorganizeAt(moment: (typeof moments)[number]): Promise<void> {
  const startBlock = await chain.headNumber()
  await chain.emit(2, 2)
  const snapshot = await chain.rpc('evm_snapshot')
  const grow = (first: number) =>
    chain.grow(
      [0, 1, 2, 3].flatMap((round) => {
        const salt = first + round
        return [{ logs: 2, salt }, { empty: Math.floor(moment.blocks / 4) }, { logs: 1, salt }]
      }),
    )
  await grow(10)
  const change = async () => {
    await chain.rpc('evm_revert', [snapshot])
    await grow(20)
    await chain.emit(1, 30)
  }
  let isChanged = false
  proxy.behave(
    changeAt({
      ...moment,
      change: async () => {
        await change()
        isChanged = true
      },
    }),
  )
  const index = await followInto(opened.database, { chain, startBlock, urls: [proxy.url] })
  await expect.poll(() => isChanged).toBe(true)
  await index.untilCurrent()
  await index.follower.stop()
  const { $blocks: blocks = [], ...entities } = await index.tables()
  const { $blocks: freshBlocks = [], ...freshEntities } = await tablesOfFresh(opened.database, chain, startBlock)
  expect(entities).toEqual(freshEntities)
  // The end of the deep history depends on the first head that was read, so there may be more blocks than in a fresh index.
  const hashes = new Map(blocks.map(({ number, hash }) => [Number(number), hash]))
  for (const { number, hash } of freshBlocks) expect(hashes.get(Number(number))).toBe(hash)
  const numbers = [...hashes.keys()].map((number) => `0x${number.toString(16)}`)
  const read = await chain.rpcMany(
    numbers.map((number) => ({ method: 'eth_getBlockByNumber', params: [number, false] })),
  )
  expect(read.map((block) => (block as { hash: string }).hash)).toEqual([...hashes.values()])
}
