import { expect, test } from 'vitest'
import { createSafeProvider } from './safe-provider.ts'
import { switchChain } from './switch-chain.ts'
import { findWalletFault } from './wallet-error.ts'

const address = `0x${'ab'.repeat(20)}` as const
const safeTxHash = `0x${'11'.repeat(32)}`
const txHash = `0x${'22'.repeat(32)}`
const call = { to: address, value: '0x10', data: '0x1234' }

type Answers = Readonly<Record<string, (params: Readonly<Record<string, unknown>>) => unknown>>

/** Creates the provider of a Safe on chain 324. `answers` are those of the Safe by method. */
function createProvider(answers: Answers = {}) {
  const requests: { readonly method: string; readonly params: unknown }[] = []
  const request = async (method: string, params?: unknown) => {
    requests.push({ method, params })
    const answer = answers[method]
    if (!answer) throw new Error(`no ${method}`)
    return answer(params as Readonly<Record<string, unknown>>)
  }
  const provider = createSafeProvider({ request, info: { address, chainId: 324 } })
  const ask = (method: string, ...params: unknown[]) => provider.request({ method, params })
  return { provider, ask, requests }
}

test('default: is the account of the Safe, on its chain, with atomic batches', async () => {
  const { ask, requests } = createProvider()
  expect(await ask('eth_accounts')).toEqual([address])
  expect(await ask('eth_requestAccounts')).toEqual([address])
  expect([await ask('eth_chainId'), await ask('net_version')]).toEqual(['0x144', '324'])
  expect(await ask('wallet_getCapabilities', address)).toEqual({ '0x144': { atomic: { status: 'supported' } } })
  expect(requests).toEqual([])
})

test('default: calls are proposed as one transaction, whose id is the safeTxHash', async () => {
  const { ask, requests } = createProvider({ sendTransactions: () => ({ safeTxHash }) })
  expect(await ask('eth_sendTransaction', { from: address, gas: '0x1', ...call })).toBe(safeTxHash)
  const { to, data } = call
  expect(await ask('wallet_sendCalls', { chainId: '0x144', calls: [call, { to, data }] })).toEqual({ id: safeTxHash })
  expect(requests).toEqual([
    { method: 'sendTransactions', params: { txs: [{ to, value: '16', data }], params: {} } },
    {
      method: 'sendTransactions',
      params: {
        txs: [
          { to, value: '16', data },
          { to, value: '0', data },
        ],
        params: {},
      },
    },
  ])
})

test.each([
  ['Transaction was rejected', 4001],
  ['User rejected the transaction', 4001],
  ['The app is not permitted', -32003],
])('error: %s: nothing was sent', async (message, code) => {
  const { ask } = createProvider({ sendTransactions: () => Promise.reject(new Error(message)) })
  await expect(ask('eth_sendTransaction', call)).rejects.toMatchObject({ code, message })
})

test.each([null, {}, { safeTxHash: 7 }, { safeTxHash: '0x12' }, 'done'])(
  'error: the answer %j to a proposal may have sent it',
  async (answer) => {
    const { ask } = createProvider({ sendTransactions: () => answer })
    const error = await ask('eth_sendTransaction', call).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ message: 'The Safe did not say which transaction it made.' })
    expect(error).not.toHaveProperty('code')
  },
)

test('error: no call, no receiver, another chain and signatures are refused before the Safe is asked', async () => {
  const { ask, requests } = createProvider()
  await expect(ask('wallet_sendCalls', { chainId: '0x144', calls: [] })).rejects.toMatchObject({ code: -32602 })
  await expect(ask('eth_sendTransaction', { data: '0x' })).rejects.toMatchObject({ code: -32602 })
  await expect(ask('wallet_sendCalls', { chainId: '0x1', calls: [call] })).rejects.toMatchObject({ code: 4901 })
  for (const method of ['eth_signTypedData_v4', 'eth_sign', 'personal_sign', 'eth_sendRawTransaction', 'constructor'])
    await expect(ask(method)).rejects.toMatchObject({ code: 4200 })
  expect(requests).toEqual([])
})

test('behavior: the page cannot switch the network of a Safe, and says so', async () => {
  const { provider } = createProvider()
  const chain = { id: 324, name: 'a', publicRpc: ['https://rpc.example'], currency: 'ETH' }
  await switchChain(provider, chain)
  const error = await switchChain(provider, { ...chain, id: 8453 }).catch((reason: unknown) => reason)
  expect(findWalletFault(error)).toBe('other_chain')
  expect((error as Error).message).toContain('Open the Safe that is on this network.')
})

const detailedExecutionInfo = { confirmations: [{}], confirmationsRequired: 2 }

test.each([
  ['AWAITING_CONFIRMATIONS', undefined, 100, 0],
  ['AWAITING_EXECUTION', undefined, 100, 0],
  ['SUCCESS', txHash, 200, 1],
  ['CANCELLED', undefined, 400, 0],
  ['FAILED', txHash, 500, 1],
])('default: %s with transaction %s has the status %i', async (txStatus, hash, status, receipts) => {
  const { ask } = createProvider({
    getTxBySafeTxHash: () => ({ txStatus, txHash: hash, detailedExecutionInfo }),
    rpcCall: () => ({ transactionHash: txHash }),
  })
  const answer = (await ask('wallet_getCallsStatus', safeTxHash)) as { receipts: unknown[] }
  expect(answer).toMatchObject({ status, capabilities: { signatures: { confirmations: 1, required: 2 } } })
  expect(answer.receipts).toHaveLength(receipts)
})

test('behavior: a block that the node does not have yet is waited for', async () => {
  const { ask } = createProvider({ getTxBySafeTxHash: () => ({ txStatus: 'SUCCESS', txHash }), rpcCall: () => null })
  expect(await ask('wallet_getCallsStatus', safeTxHash)).toMatchObject({ status: 100, receipts: [] })
})

test.each([{ txStatus: 'DONE' }, null, 'SUCCESS', { txStatus: ['SUCCESS', 1] }])(
  'error: the status %j is none',
  async (queued) => {
    const { ask } = createProvider({ getTxBySafeTxHash: () => queued })
    await expect(ask('wallet_getCallsStatus', safeTxHash)).rejects.toMatchObject({ code: 5730 })
  },
)

test.each([
  [{ confirmations: 'many', confirmationsRequired: 2 }],
  [{ confirmations: [], confirmationsRequired: 'two' }],
  [{ confirmations: [], confirmationsRequired: 0 }],
  [null],
])('error: the signatures %j are unknown', async (info) => {
  const queued = { txStatus: 'AWAITING_CONFIRMATIONS', detailedExecutionInfo: info }
  const { ask } = createProvider({ getTxBySafeTxHash: () => queued })
  const answer = (await ask('wallet_getCallsStatus', safeTxHash)) as { capabilities: unknown }
  expect(answer.capabilities).toEqual({ signatures: undefined })
})

test.each(['eth_getTransactionReceipt', 'eth_getTransactionByHash'])(
  'behavior: %s of a safeTxHash is null until the Safe executed it, and then that of the transaction',
  async (method) => {
    let executed: string | undefined
    const { ask } = createProvider({
      rpcCall: ({ params }) => ((params as [string])[0] === txHash ? { hash: txHash } : null),
      getTxBySafeTxHash: () => ({ txStatus: 'SUCCESS', txHash: executed }),
    })
    expect(await ask(method, safeTxHash)).toBeNull()
    executed = txHash
    expect(await ask(method, safeTxHash)).toEqual({ hash: txHash })
    expect(await ask(method, txHash)).toEqual({ hash: txHash })
    executed = 'not a hash'
    expect(await ask(method, safeTxHash)).toBeNull()
  },
)

test('default: reads go through the Safe, and the data of a revert survives its texts', async () => {
  const data = `0x2240b374${'00'.repeat(32)}`
  const answers: unknown[] = [
    '0x10',
    new Error(`execution reverted (action="call", data="${data}", reason=null, code=CALL_EXCEPTION, version=6.13.1)`),
    { message: 'execution reverted', code: 3, data },
    new Error('could not detect network'),
  ]
  const { ask, requests } = createProvider({ rpcCall: () => answers.shift() })
  expect(await ask('eth_blockNumber')).toBe('0x10')
  expect(requests).toEqual([{ method: 'rpcCall', params: { call: 'eth_blockNumber', params: [] } }])
  await expect(ask('eth_call', {}, 'latest')).rejects.toMatchObject({ code: 3, data })
  await expect(ask('eth_call', {}, 'latest')).rejects.toMatchObject({ code: 3, data })
  await expect(ask('eth_call', {}, 'latest')).rejects.toMatchObject({ code: -32603, data: undefined })
})
