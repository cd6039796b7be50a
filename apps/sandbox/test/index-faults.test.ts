// @module-tag postgres

import { openProtocolMapping, openSubgraph, protocolSchema, rebuildIndex, startFollower } from '@tallystick/subgraph'
import { waitOptions } from '@tallystick/workbench/wait-options'
import type { PrivateKeyAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { atMost, createTestTime } from '../../../packages/base/test/test-time.ts'
import { type Behaviour, forwardAll, startProxy, type TestProxy } from '../../../packages/subgraph/test/follow-proxy.ts'
import { approvePosition, claimCall, lendCall, lentAt, transferPosition } from './calls.ts'
import { type Chain, deployDenylister, dollars, revertBeforeEach, send, startChain } from './chain.ts'
import { type OpenTest, openTest } from './subgraph/index-history.ts'

let chain: Chain
let opened: OpenTest
let ann: PrivateKeyAccount
let bob: PrivateKeyAccount
let spaces = 0
const cleanups: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  ;[chain, opened] = await Promise.all([startChain(), openTest('postgres')])
  ;[ann, bob] = chain.wallets as [PrivateKeyAccount, PrivateKeyAccount]
  const args = [chain.pool, dollars(1_000_000)]
  await send(chain, { from: ann.address, to: chain.token, functionName: 'approve', args })
})
revertBeforeEach(() => chain)
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})
afterAll(async () => {
  await chain.stop()
  await opened.close()
})

/** Answers as a node that has lost its logs after a block, and does not have the receipts of a block either. */
const loseLogsAfter =
  (last: number): Behaviour =>
  ({ forward }) =>
    forward(({ method }, { id, ...answer }) => {
      const logs = answer.result as readonly { readonly blockNumber: string }[]
      if (method === 'eth_getLogs') return { id, result: logs.filter(({ blockNumber }) => Number(blockNumber) <= last) }
      return method === 'eth_getBlockReceipts'
        ? { id, error: { code: -32601, message: 'unknown method' } }
        : { id, ...answer }
    })

const loseLogs = loseLogsAfter(-1)

async function proxy(): Promise<TestProxy> {
  const started = await startProxy(chain.client.transport.url)
  cleanups.push(() => started.stop())
  return started
}

const time = createTestTime({ waits: { 'chain follower': atMost(20) } })

async function follow(urls: readonly string[], { auditMs = 100 } = {}) {
  const { database } = opened
  const namespace = `faults${++spaces}`
  const subgraph = await openSubgraph({ database, schema: protocolSchema, namespace })
  const lines: string[] = []
  const write = (details: object, message: string) => lines.push(`${message} ${JSON.stringify(details)}`)
  const follower = startFollower({
    ...{ subgraph, database, name: namespace, chainId: chain.id, urls, startBlock: 0 },
    mapping: openProtocolMapping(chain),
    log: { info: write, warn: write, error: write },
    ...{ time, rpcRetryMs: 5, auditMs },
  })
  cleanups.push(() => follower.stop())
  const untilCurrent = async () => {
    const { number } = await chain.client.getBlock()
    await vi.waitFor(() => expect(subgraph.head?.number).toBeGreaterThanOrEqual(Number(number)), waitOptions)
  }
  await untilCurrent()
  const ask = async (query: string) => (await subgraph.execute({ query })).data
  const positions = async () =>
    (await ask('{ positionInfos(orderBy: tokenId) { id currentOwner status } }'))?.['positionInfos']
  return { namespace, subgraph, follower, lines, untilCurrent, ask, positions }
}

const lend = async (at = lentAt) => send(chain, await lendCall(chain, { lender: ann.address, at }))
const active = (id: string, owner: PrivateKeyAccount = ann) => ({
  ...{ id, currentOwner: owner.address.toLowerCase(), status: 'Active' },
})

test('error: a lend that the RPC left out is repaired when the next one shows the gap', async () => {
  const losing = await proxy()
  const index = await follow([losing.url], { auditMs: 3_600_000 })
  await lend()
  await index.untilCurrent()
  losing.behave(loseLogs)
  await lend(lentAt + 10n)
  await lend(lentAt + 20n)
  await index.untilCurrent()
  losing.behave(forwardAll)
  await lend(lentAt + 30n)
  await expect.poll(index.positions, waitOptions).toEqual([active('1'), active('2'), active('3'), active('4')])
  await expect.poll(() => index.follower.status(), waitOptions).toMatchObject({ fault: undefined, problem: undefined })
  expect(index.follower.status().repairs).toBe(1)
  expect(index.lines.join()).toContain('but the lend of position 3 was not indexed')
  expect(index.lines.join()).toContain('index repaired: blocks were read again')
  expect(await index.ask('{ _meta { hasIndexingErrors } pools { activePositions } }')).toEqual({
    _meta: { hasIndexingErrors: false },
    pools: [{ activePositions: 4 }],
  })
})

/** Indexes a claim of a position whose lend the node has left out, and goes on to leave out. */
async function followUnknownClaim() {
  const losing = await proxy()
  losing.behave(loseLogs)
  const index = await follow([losing.url])
  await lend()
  await send(chain, approvePosition(chain, ann.address, 1n))
  await index.untilCurrent()
  const claimed = await send(chain, claimCall(chain, ann.address, 1n))
  losing.behave(({ forward }) =>
    forward(({ method, params: [filter] }, { id, ...answer }) => {
      const isOld = (filter as { blockHash?: string })?.blockHash !== claimed.blockHash
      return method === 'eth_getLogs' && isOld ? { id, result: [] } : { id, ...answer }
    }),
  )
  return { losing, index, claimed, block: Number(claimed.blockNumber) }
}

test('behavior: a rebuild ends a fault that the follower cannot repair', async () => {
  const { index } = await followUnknownClaim()
  await expect.poll(() => index.follower.status().fault, waitOptions).toContain('Position 1 was claimed')
  const nothing = () => undefined
  await rebuildIndex({
    ...{ database: opened.database, schema: protocolSchema, namespace: index.namespace, chainId: chain.id },
    ...{ urls: [chain.client.transport.url], startBlock: 0, mapping: openProtocolMapping(chain), time },
    ...{ log: { info: nothing, warn: nothing, error: nothing }, verify: async () => undefined, onProgress: nothing },
    signal: new AbortController().signal,
  })
  await expect.poll(index.positions, waitOptions).toEqual([{ ...active('1'), status: 'Claimed' }])
  await chain.client.mine({ blocks: 1 })
  await index.untilCurrent()
  await expect.poll(() => index.follower.status(), waitOptions).toMatchObject({ fault: undefined, problem: undefined })
})

test('error: a claim of an unknown position is told until it can be repaired', async () => {
  const { losing, index, claimed, block } = await followUnknownClaim()
  const told = `Position 1 was claimed in transaction ${claimed.transactionHash}`
  await expect.poll(() => index.follower.status().fault, waitOptions).toContain(told)
  expect(index.follower.status().problem).toContain(told)
  await expect
    .poll(() => index.ask('{ _meta { hasIndexingErrors } }'), waitOptions)
    .toEqual({ _meta: { hasIndexingErrors: true } })
  expect(index.subgraph.head?.number).toBe(block - 1)
  losing.behave(forwardAll)
  await index.untilCurrent()
  expect(await index.positions()).toEqual([{ ...active('1'), status: 'Claimed' }])
  await expect.poll(() => index.follower.status(), waitOptions).toMatchObject({ fault: undefined, problem: undefined })
})

const byAdmin = () => ({ from: chain.admin.address, to: chain.pool })

test.each([
  ['a lend', 'exists on the chain and not in the index', () => lend(lentAt + 10n)],
  ['a transfer', `on the chain`, () => send(chain, transferPosition(chain, ann.address, [bob.address, 1n]))],
  [
    'a claim',
    'is active in the index and does not exist on the chain',
    async () => {
      await send(chain, approvePosition(chain, ann.address, 1n))
      await send(chain, claimCall(chain, ann.address, 1n))
    },
  ],
  [
    'a report of floating income',
    'lastFloatingIncomeDay',
    () => send(chain, { ...byAdmin(), functionName: 'updateDailyFloatingIncome', args: [7n] }),
  ],
  [
    'a pause',
    'has the paused 0 in the index and 1 on the chain',
    () => send(chain, { ...byAdmin(), functionName: 'pause' }),
  ],
] as const)('error: %s that the RPC left out is found without another event', async (_, message, change) => {
  const losing = await proxy()
  const index = await follow([losing.url])
  await lend()
  await index.untilCurrent()
  losing.behave(loseLogsAfter(index.subgraph.head?.number ?? 0))
  await change()
  await index.untilCurrent()
  await vi.waitFor(() => expect(index.lines.join()).toContain(message), waitOptions)
  // The blocks are read again, with the same result.
  await vi.waitFor(() => expect(index.lines.join()).toContain('the index is still wrong'), waitOptions)
  expect(index.follower.status()).toMatchObject({ repairs: 0, fault: expect.stringContaining(message) })
  losing.behave(forwardAll)
  await vi.waitFor(() => expect(index.lines.join()).toContain('index repaired'), waitOptions)
  const fresh = await follow([chain.client.transport.url])
  const state = `{ pools { paused activePositions lastFloatingIncomeDay } accounts(orderBy: id) { id activePositions }
    positionInfos(orderBy: tokenId) { id currentOwner status totalIncome } floatingIncomes { day accFloatingIncome } }`
  await expect.poll(() => index.ask(state), waitOptions).toEqual(await fresh.ask(state))
  await expect.poll(() => index.follower.status(), waitOptions).toMatchObject({ fault: undefined, problem: undefined })
})

test('error: a repair from an RPC that lost everything changes nothing', async () => {
  const losing = await proxy()
  const index = await follow([losing.url])
  await lend()
  await index.untilCurrent()
  losing.behave(loseLogs)
  await lend(lentAt + 10n)
  await vi.waitFor(() => expect(index.lines.join()).toContain('have fewer entities: 0 of 1 PositionInfo'), waitOptions)
  expect(await index.positions()).toEqual([active('1')])
  expect(index.follower.status().fault).toContain('Position 2')
})

test('behavior: an index is repaired from the second RPC while the first goes on to leave out logs', async () => {
  const losing = await proxy()
  const index = await follow([losing.url, chain.client.transport.url])
  losing.behave(loseLogs)
  await lend()
  await expect.poll(index.positions, waitOptions).toEqual([active('1')])
  await expect.poll(() => index.follower.status().fault, waitOptions).toBeUndefined()
})

test('behavior: another denylister is followed, with the accounts that it lists', async () => {
  const list = (to: `0x${string}`, functionName: string, account: PrivateKeyAccount) =>
    send(chain, { from: chain.admin.address, to, functionName, args: [account.address] })
  const index = await follow([chain.client.transport.url])
  await list(chain.denylister, 'addToDenylist', ann)
  const other = await deployDenylister(chain)
  await list(other, 'addToDenylist', bob)
  await index.untilCurrent()
  const listed = () =>
    index.ask('{ accounts(where: { denylisted: true }) { id } pools { denylister dollarDenylister } }')
  const before = chain.denylister.toLowerCase()
  expect(await listed()).toEqual({
    accounts: [{ id: ann.address.toLowerCase() }],
    pools: [{ denylister: before, dollarDenylister: before }],
  })
  for (const to of [chain.positions, chain.token]) {
    await send(chain, { from: chain.admin.address, to, functionName: 'updateDenylister', args: [other] })
  }
  await vi.waitFor(() => expect(index.lines.join()).toContain('denylister changed'), waitOptions)
  await chain.client.mine({ blocks: 1 })
  const after = { denylister: other, dollarDenylister: other }
  await expect.poll(listed, waitOptions).toEqual({ accounts: [{ id: bob.address.toLowerCase() }], pools: [after] })
  await list(other, 'removeFromDenylist', bob)
  await list(other, 'addToDenylist', ann)
  await expect.poll(listed, waitOptions).toEqual({ accounts: [{ id: ann.address.toLowerCase() }], pools: [after] })
})
