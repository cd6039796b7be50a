import type { Client } from '@tallystick/client'
import { expect, test } from 'vitest'
import { createFakeProvider } from '../connect/provider/fake-provider.ts'
import { createFakeBrowser, fakeHash, fakeSent } from '../sent/fake-sent.ts'
import { fingerprintCall } from '../sent/sent-transaction.ts'
import { lookAtSent, lookInIndex } from './look-at-sent.ts'
import { watchSent } from './watch-sent.ts'

const head = 1_000
const usedHash = `0x${'2B'.repeat(32)}`

/** Creates a node on which the account used nonce 7 in a block. */
function createNode({ usedAt = head + 1, receipt = null as unknown, transaction = null as unknown } = {}) {
  const handlers = {
    eth_blockNumber: () => `0x${head.toString(16)}`,
    eth_getTransactionReceipt: () => receipt,
    eth_getTransactionByHash: () => transaction,
    eth_getTransactionCount: ([, block]: readonly unknown[]) =>
      (block === 'latest' ? head : Number(block)) >= usedAt ? '0x8' : '0x7',
    eth_getBlockByNumber: ([block]: readonly unknown[]) => ({
      transactions: Number(block) === usedAt ? [used] : [],
    }),
  }
  return createFakeProvider(handlers)
}

const used = { hash: usedHash, from: `0x${'AC'.repeat(20)}`, nonce: '0x7', to: '0x53', input: '0x02' }

test('default: a receipt says how it ended, and how deep it is', async () => {
  const mined = (depth: number, status = '0x1') =>
    lookAtSent(
      createNode({ receipt: { blockHash: '0xb', blockNumber: `0x${(head - depth).toString(16)}`, status } }).provider,
      fakeSent(),
    )
  expect(await mined(0)).toEqual({ kind: 'mined', isSuccess: true, isFinal: false, reason: undefined })
  expect(await mined(12)).toMatchObject({ isFinal: true })
  expect(await mined(0, '0x0')).toMatchObject({ isSuccess: false })
})

test('behavior: a Safe says by which transaction it executed one, and which it will not execute', async () => {
  const receipt = { transactionHash: usedHash, blockHash: '0xb', blockNumber: '0x1', status: '0x1' }
  const signing = fakeSent({ state: { kind: 'signing' } })
  const executed = await lookAtSent(createNode({ receipt }).provider, signing)
  expect(executed).toMatchObject({ kind: 'mined', executedHash: usedHash.toLowerCase() })
  const statusOf = (status: unknown) => {
    const { provider, handlers } = createNode()
    handlers['wallet_getCallsStatus'] = () => ({ status })
    return lookAtSent(provider, signing)
  }
  expect([await statusOf(400), await statusOf(100), await statusOf('no')].map(({ kind }) => kind)).toEqual([
    ...['cancelled', 'absent', 'absent'],
  ])
})

test('behavior: a node that has the transaction and no receipt says that it waits, whatever the nonce', async () => {
  const { provider } = createNode({ usedAt: 5, transaction: { nonce: '0x9' } })
  expect(await lookAtSent(provider, fakeSent())).toEqual({ kind: 'pending', nonce: 9 })
})

test.each([1_000, 999, 998, 990, 512, 1, 0])('behavior: finds what used the nonce in block %i', async (usedAt) => {
  const { provider, calls } = createNode({ usedAt })
  expect(await lookAtSent(provider, fakeSent())).toEqual({
    ...{ kind: 'overtaken', nextNonce: 8 },
    by: { hash: usedHash.toLowerCase(), call: fingerprintCall({ to: '0x53', data: '0x02' }) },
  })
  expect(calls.length).toBeLessThan(30)
})

test('error: a node without old states says only that the nonce is used', async () => {
  const { provider, handlers } = createNode({ usedAt: 5 })
  const { eth_getTransactionCount: count } = handlers
  handlers['eth_getTransactionCount'] = (params) => {
    if (params[1] !== 'latest') throw new Error('missing trie node')
    return count?.(params)
  }
  expect(await lookAtSent(provider, fakeSent())).toEqual({ kind: 'overtaken', by: undefined, nextNonce: 8 })
})

test('behavior: an unknown transaction with a free or unknown nonce is absent', async () => {
  expect(await lookAtSent(createNode().provider, fakeSent())).toEqual({ kind: 'absent' })
  expect(await lookAtSent(createNode({ usedAt: 5 }).provider, fakeSent({ nonce: undefined }))).toEqual({
    kind: 'absent',
  })
})

test('error: a node that fails says nothing', async () => {
  const { provider, handlers } = createNode()
  handlers['eth_getTransactionReceipt'] = () => Promise.reject(new Error('down'))
  await expect(lookAtSent(provider, fakeSent())).rejects.toThrow('down')
  const blind = createNode()
  blind.handlers['eth_getTransactionCount'] = () => Promise.reject(new Error('down'))
  await expect(lookAtSent(blind.provider, fakeSent())).rejects.toThrow('nonce')
})

test('behavior: the index has lends by their hash and claims by their positions', async () => {
  const positions = [
    { tokenId: 5n, status: 'Claimed', lendTransactionHash: fakeHash },
    { tokenId: 6n, status: 'Active', lendTransactionHash: usedHash },
  ]
  const client = { positions: async () => [{ chain: 324, positions }] } as unknown as Client
  const claim = (tokenIds: readonly string[]) => lookInIndex(client, fakeSent({ act: { kind: 'claim', tokenIds } }))
  expect(await lookInIndex(client, fakeSent())).toMatchObject({ kind: 'mined', isSuccess: true })
  expect(await lookInIndex(client, fakeSent({ hash: `0x${'3c'.repeat(32)}` }))).toBeUndefined()
  expect(await claim(['5'])).toMatchObject({ kind: 'mined' })
  expect(await claim(['5', '6'])).toBeUndefined()
  expect(await lookInIndex(client, fakeSent({ act: { kind: 'approveDollars', principal: '1' } }))).toBeUndefined()
})

test('behavior: a watch counts misses in a row, and a failed look changes nothing', async () => {
  const store = createFakeBrowser().openTab()
  store.put(fakeSent())
  const controller = new AbortController()
  const looks = ['absent', 'absent', 'fails', 'absent', 'pending', 'absent', 'absent', 'absent', 'absent'] as const
  const states: (string | undefined)[] = []
  let turn = 0
  await watchSent(store, {
    look: async () => {
      const kind = looks[turn]
      if (kind === undefined || kind === 'fails') throw new Error('down')
      return kind === 'pending' ? { kind, nonce: 7 } : { kind }
    },
    wait: async () => {
      states.push(store.get()[0]?.state.kind)
      turn += 1
      if (turn === looks.length) controller.abort()
    },
    signal: controller.signal,
    now: () => 60_000,
  })
  expect(new Set(states)).toEqual(new Set(['waiting']))
})
