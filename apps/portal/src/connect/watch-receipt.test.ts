import { expect, test } from 'vitest'
import { createFakeProvider } from './provider/fake-provider.ts'
import { finalDepth, type ReceiptState, watchReceipt } from './watch-receipt.ts'

type Look = { readonly head: number; readonly block?: number; readonly isKnown?: boolean } | 'fails'

/** Runs a watch over a chain that looks different at each look. */
async function watch(looks: readonly Look[]): Promise<readonly ReceiptState[]> {
  let index = 0
  const look = () => {
    const now = looks[Math.min(index, looks.length - 1)] as Look
    if (now === 'fails') throw new Error('the node is away')
    return now
  }
  const { provider } = createFakeProvider({
    eth_blockNumber: () => `0x${look().head.toString(16)}`,
    eth_getTransactionReceipt: () => {
      const { block } = look()
      return block === undefined ? null : { blockHash: `0x${block}`, blockNumber: `0x${block.toString(16)}` }
    },
    eth_getTransactionByHash: () => (look().isKnown ? {} : null),
  })
  const controller = new AbortController()
  const states: ReceiptState[] = []
  const wait = async () => {
    index += 1
    if (index >= looks.length) controller.abort()
  }
  await watchReceipt(provider, { hash: '0x1', signal: controller.signal, onState: (state) => states.push(state), wait })
  return states
}

test('default: watches until the transaction is deep enough', async () => {
  const states = await watch([
    { head: 5, block: 5 },
    { head: 16, block: 5 },
    { head: 17, block: 5 },
    { head: 99, block: 5 },
  ])
  expect(states.map((state) => state.kind === 'mined' && state.depth)).toEqual([0, 11, finalDepth])
})

test('behavior: a reorganisation is reported, with whether the transaction is still known, and its return', async () => {
  const states = await watch([
    { head: 6, block: 5 },
    { head: 5, isKnown: true },
    { head: 5, isKnown: false },
    { head: 7, block: 7 },
    { head: 7, block: 7 },
  ])
  expect(states.map(({ kind }) => kind)).toEqual(['mined', 'pending', 'dropped', 'mined', 'mined'])
  expect(states.at(-1)).toEqual({
    kind: 'mined',
    hash: '0x1',
    blockHash: '0x7',
    blockNumber: 7n,
    depth: 0,
    isSuccess: true,
  })
})

test('error: a node that fails says nothing about the transaction', async () => {
  expect(await watch(['fails', { head: 5, block: 5 }, 'fails', 'fails'])).toHaveLength(1)
})
