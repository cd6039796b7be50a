// @module-tag postgres

import { createChainIdentity, createRpcEndpoint, createRpcPool } from '@tallystick/chain'
import { waitOptions } from '@tallystick/workbench/wait-options'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type FollowerOptions, rebuildIndex } from '../src/index.ts'
import { startChain, type TestChain } from './follow-chain.ts'
import { followInto, shortWaits, type TestIndex, tablesOfFresh } from './follow-index.ts'
import { createMapping, schema } from './follow-mapping.mjs'
import { type Behaviour, forwardAll, startProxy, type TestProxy } from './follow-proxy.ts'
import { type OpenTest, openTest } from './open-fixture.ts'

let opened: OpenTest
let chain: TestChain
let other: TestChain
const cleanups: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  ;[opened, chain, other] = await Promise.all([openTest('postgres'), startChain(), startChain({ chainId: 8_453 })])
  await chain.grow([{ logs: 3, salt: 1 }, { empty: 20 }])
  await other.grow([{ logs: 9, salt: 2 }, { empty: 90 }, { logs: 9, salt: 2 }])
})
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})
afterAll(async () => {
  await Promise.all([chain.stop(), other.stop()])
  await opened.close()
})

const proxy = async (behaviour: Behaviour = forwardAll): Promise<TestProxy> => {
  const started = await startProxy(chain.url, behaviour)
  cleanups.push(() => started.stop())
  return started
}
const follow = async (urls: readonly string[], options: Partial<FollowerOptions> = {}): Promise<TestIndex> => {
  const index = await followInto(opened.database, { chain, urls, ...options })
  cleanups.push(() => index.follower.stop())
  await index.untilCurrent()
  return index
}
const problemOf = (index: TestIndex) => expect.poll(() => index.follower.status().problem, waitOptions)

/** Sends every request to the other chain, which reports an id. */
const toOther =
  (chainId: number): Behaviour =>
  ({ forward }) =>
    forward(
      ({ method }, answer) =>
        method === 'eth_chainId' ? { id: answer.id, result: `0x${chainId.toString(16)}` } : answer,
      other.url,
    )

test.each([
  ['says so', 8_453, 'serves chain 8453, not chain 324, and is not used'],
  ['claims the chain id', 324, 'It serves another chain'],
])('error: an RPC that changes to another chain, and %s, changes nothing', async (_, chainId, message) => {
  const changing = await proxy()
  const index = await follow([changing.url])
  const before = await index.tables()
  changing.behave(toOther(chainId))
  await problemOf(index).toContain(message)
  expect(index.follower.status()).toMatchObject({ state: 'failing', reorgsSeen: 0 })
  expect(await index.tables()).toEqual(before)
  await chain.emit(2, 3)
  changing.behave(forwardAll)
  await index.untilCurrent()
  await problemOf(index).toBeUndefined()
  expect(await index.tables()).toEqual(await tablesOfFresh(opened.database, chain))
})

test('behavior: with a second RPC an index goes on while the first serves another chain', async () => {
  const changing = await proxy()
  const index = await follow([changing.url, chain.url])
  changing.behave(toOther(324))
  await chain.emit(1, 4)
  await index.untilCurrent()
  await problemOf(index).toContain('It serves another chain')
  expect(index.follower.status().state).toBe('following')
  expect(await index.tables()).toEqual(await tablesOfFresh(opened.database, chain))
})

test('error: an RPC with a false chain id alone is used by nobody in the process', async () => {
  const lying = await proxy()
  const identity = createChainIdentity(324)
  const index = await follow([lying.url], { identity })
  const { signal } = new AbortController()
  const endpoint = createRpcEndpoint({ url: lying.url, timeoutMs: 5_000, answerBytesMax: 1e6, signal })
  const log = { info: () => undefined, warn: () => undefined }
  const pool = createRpcPool({ endpoints: [endpoint], chainId: 324, identity, log })
  const read = () => pool.run(({ call }) => call({ method: 'eth_blockNumber', params: [] }))
  await read()
  const { head } = index.subgraph
  lying.behave(({ forward }) =>
    forward(({ method }, answer) => (method === 'eth_chainId' ? { id: answer.id, result: '0x1' } : answer)),
  )
  await problemOf(index).toContain('serves chain 1, not chain 324')
  await expect(read()).rejects.toThrow('No RPC returned a usable response')
  expect(pool.problem).toContain('serves chain 1, not chain 324')
  await chain.emit(1, 5)
  await chain.emit(1, 6)
  expect(index.subgraph.head).toEqual(head)
  lying.behave(forwardAll)
  await index.untilCurrent()
})

/** Serves another history above a block: other hashes, with the parents to match. */
const forkAbove =
  (last: number): Behaviour =>
  ({ forward }) =>
    forward(({ method }, answer) => {
      const block = answer.result as { number: string; hash: string; parentHash: string } | null
      if (method !== 'eth_getBlockByNumber' || !block || Number(block.number) <= last) return answer
      const fork = (hash: string) => `0x${(15 - Number(`0x${hash[2]}`)).toString(16)}${hash.slice(3)}`
      const parentHash = Number(block.number) === last + 1 ? block.parentHash : fork(block.parentHash)
      return { id: answer.id, result: { ...block, hash: fork(block.hash), parentHash } }
    })

test('behavior: a disputed index goes on when the RPC agrees again', async () => {
  const forking = await proxy()
  const index = await follow([forking.url], { maxReorgDepth: 8 })
  const before = await index.tables()
  forking.behave(forkAbove((await chain.headNumber()) - 9))
  await expect.poll(() => index.follower.status().state, waitOptions).toBe('disputed')
  expect(await index.tables()).toEqual(before)
  await chain.emit(1, 9)
  forking.behave(forwardAll)
  await index.untilCurrent()
  await expect
    .poll(() => index.follower.status(), waitOptions)
    .toMatchObject({ state: 'following', problem: undefined })
  const { Event, Tally } = await tablesOfFresh(opened.database, chain)
  expect(await index.tables()).toMatchObject({ Event, Tally })
})

test('behavior: a disputed index is rebuilt, and goes on with the history of the RPC', async () => {
  const restore = await chain.keep()
  cleanups.push(restore)
  await chain.grow(Array.from({ length: 12 }, (_, block) => ({ logs: 1, salt: block })))
  const namespace = 'disputed'
  const index = await follow([chain.url], { maxReorgDepth: 8, name: namespace, namespace } as object)
  await restore()
  await chain.grow(Array.from({ length: 15 }, () => ({ logs: 2, salt: 50 })))
  await expect.poll(() => index.follower.status().state, waitOptions).toBe('disputed')
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  await rebuildIndex({
    ...{
      database: opened.database,
      schema,
      namespace,
      chainId: 324,
      urls: [chain.url],
      startBlock: 1,
      log,
      time: shortWaits,
    },
    ...{ mapping: createMapping(chain.address), verify: async () => undefined, onProgress: () => undefined },
    signal: new AbortController().signal,
  })
  await chain.emit(1, 51)
  await index.untilCurrent()
  expect(await index.tables()).toEqual(await tablesOfFresh(opened.database, chain))
})

const dropLogs: Behaviour = ({ forward }) =>
  forward(({ method }, answer) => (method === 'eth_getLogs' ? { id: answer.id, result: [] } : answer))

test('error: an RPC that leaves out logs of new blocks is not believed', async () => {
  const dropping = await proxy()
  const index = await follow([dropping.url])
  dropping.behave(dropLogs)
  await chain.emit(4, 7)
  const head = await chain.headNumber()
  await problemOf(index).toContain(`sent 0 of 4 logs of block ${head}`)
  expect(index.subgraph.head?.number).toBeLessThan(head)
  dropping.behave(forwardAll)
  await index.untilCurrent()
  expect(await index.tables()).toEqual(await tablesOfFresh(opened.database, chain))
})

test('behavior: with a second RPC an index loses no logs that the first leaves out', async () => {
  const dropping = await proxy()
  const index = await follow([dropping.url, chain.url])
  dropping.behave(dropLogs)
  await chain.emit(2, 8)
  await index.untilCurrent()
  expect(await index.tables()).toEqual(await tablesOfFresh(opened.database, chain))
})
