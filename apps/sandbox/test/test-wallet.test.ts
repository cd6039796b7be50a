import { text } from 'node:stream/consumers'
import { startLocalServer } from '@tallystick/workbench/start-local-server'
import { expect, onTestFinished, test } from 'vitest'
import { createTestWallet } from '../src/test-wallet.ts'

const address = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
const other = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

/** Starts a node that answers every call with its method, and a wallet on it. */
async function createWallet() {
  const received: unknown[] = []
  const server = await startLocalServer(async (request, response) => {
    const call = JSON.parse(await text(request))
    received.push(call)
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: call.method }))
  })
  onTestFinished(server.stop)
  const wallet = createTestWallet({ address, chains: [{ id: 324, url: server.url }] })
  return { received, wallet, server }
}

test('default: passes on reads, and transactions and signatures of its account, with the caller’s id', async () => {
  const { wallet, received } = await createWallet()
  const call = (method: string, params: unknown[]) => wallet.answer('324', { jsonrpc: '2.0', id: 'a', method, params })
  expect(await call('eth_chainId', [])).toEqual({ jsonrpc: '2.0', id: 'a', result: 'eth_chainId' })
  expect(await call('eth_sendTransaction', [{ from: address.toLowerCase() }])).toMatchObject({
    result: 'eth_sendTransaction',
  })
  expect(await call('eth_signTypedData_v4', [address, '{}'])).toMatchObject({ result: 'eth_signTypedData_v4' })
  expect(received).toHaveLength(3)
  expect(wallet.answer('8453', {})).toBeUndefined()
  expect(wallet.answer('0324', {})).toBeUndefined()
})

test.each([
  ['eth_sendTransaction', [{ from: other }], 4100],
  ['eth_sendTransaction', [{}], 4100],
  ['eth_sendTransaction', [], 4100],
  ['eth_sendTransaction', [null], 4100],
  ['eth_signTypedData_v4', [other, '{}'], 4100],
  ['eth_signTypedData_v4', [], 4100],
  ['eth_sign', [address, '0x'], 4200],
  ['personal_sign', ['0x', address], 4200],
  ['eth_sendRawTransaction', ['0x'], 4200],
  ['evm_increaseTime', [1], 4200],
  ['hardhat_setBalance', [address, '0x1'], 4200],
  ['constructor', [], 4200],
])('error: %s %j is refused', async (method, params, code) => {
  const { wallet, received } = await createWallet()
  expect(await wallet.answer('324', { id: 1, method, params })).toMatchObject({ id: 1, error: { code } })
  expect(received).toEqual([])
})

test.each([null, [], 'text', 7, {}, { id: {}, method: 'eth_chainId' }, { id: 1, method: 'eth_chainId', params: {} }])(
  'error: %j is not a call',
  async (call) => {
    const { wallet } = await createWallet()
    expect(await wallet.answer('324', call)).toMatchObject({ error: { code: -32600 } })
  },
)

test('error: a node that is gone gives an error of the wallet', async () => {
  const { wallet, server } = await createWallet()
  await server.stop()
  expect(await wallet.answer('324', { id: 1, method: 'eth_chainId' })).toMatchObject({ id: 1, error: { code: -32603 } })
})
