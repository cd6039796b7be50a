import type { OfferedNote } from '@tallystick/client'
import type { ActionStep } from '@tallystick/client/viem'
import { type Hex, keccak256 } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { completeAt, lendCall, lentAt, noteAt, reportIncome } from './calls.ts'
import { type Chain, dollars, revertBeforeEach, send, startChain } from './chain.ts'
import { failureOf } from './failure-of.ts'
import { type Hook, offerNote, openWallet } from './wallet.ts'

const principal = dollars(1_000)
const sentHash = expect.stringMatching(/^0x[0-9a-f]{64}$/)
const failNow: Hook = () => Promise.reject(new Error('502 Bad Gateway'))

let chain: Chain
let note: OfferedNote
let ann: PrivateKeyAccount
beforeAll(async () => {
  chain = await startChain()
  ;[ann] = chain.wallets as [PrivateKeyAccount]
  note = await offerNote(chain, lentAt)
  await chain.client.setNextBlockTimestamp({ timestamp: lentAt })
  await chain.client.mine({ blocks: 1 })
})
afterAll(() => chain.stop())
revertBeforeEach(() => chain)
beforeEach(async () => {
  await chain.client.setAutomine(true)
})

/** Returns hooks that fail the given methods after a transaction was sent, the first time only or always. */
function failAfterSending(methods: readonly string[], times = 1): Record<string, Hook> {
  let isSent = false
  const left = new Map(methods.map((method) => [method, times]))
  const sending: Hook = async (next) => {
    const hash = await next()
    isSent = true
    return hash
  }
  const failing: Hook = (next, request) => {
    const count = left.get(request.method) ?? 0
    if (!isSent || count === 0) return next()
    left.set(request.method, count - 1)
    return failNow(next, request)
  }
  return { ...Object.fromEntries(methods.map((method) => [method, failing])), eth_sendTransaction: sending }
}

const polls = ['eth_getTransactionReceipt', 'eth_getTransactionByHash', 'eth_blockNumber', 'eth_getTransactionCount']

describe('a node that fails after a lend was sent', () => {
  test.each([
    ['receipt, twice', ['eth_getTransactionReceipt'], 2],
    ['block of the lend', ['eth_getBlockByHash'], 1],
    ['number of the newest block', ['eth_blockNumber'], 1],
    [
      'receipt, transaction and block',
      ['eth_getTransactionReceipt', 'eth_getTransactionByHash', 'eth_getBlockByHash'],
      2,
    ],
  ])('behavior: one failed read of the %s does not end the wait', async (_, methods, times) => {
    const wallet = openWallet(chain, { account: ann.address, hooks: failAfterSending(methods, times) })
    const { position } = await wallet.lend({ note, principal, confirmations: 1 })
    expect(position).toMatchObject({ tokenId: 1n, principal, lendTimestamp: lentAt })
    expect(wallet.prompts).toEqual(['sign', 'permitLend'])
  })

  test('behavior: failed reads do not end the wait for confirmations', async () => {
    const hooks = failAfterSending(['eth_getTransactionReceipt', 'eth_blockNumber'], 2)
    const wallet = openWallet(chain, { account: ann.address, hooks })
    const onStep = ({ kind }: ActionStep) => kind === 'wait' && void chain.client.mine({ blocks: 3 })
    const { position } = await wallet.lend({ note, principal, confirmations: 2, onStep })
    expect(position.tokenId).toBe(1n)
  })

  test.each([
    ['no poll succeeds', polls, 1],
    ['no confirmation is read', ['eth_blockNumber'], 2],
    ['the block of the lend cannot be read', ['eth_getBlockByHash'], 1],
  ])('error: %s until the deadline', async (_, methods, confirmations) => {
    const hooks = failAfterSending(methods, Number.POSITIVE_INFINITY)
    const wallet = openWallet(chain, { account: ann.address, hooks })
    const failure = await failureOf(wallet.lend({ note, principal, confirmations, timeoutSeconds: 0.2 }))
    expect(failure).toMatchObject({ code: 'transaction_pending', retryable: false, hash: sentHash })
    const receipt = await chain.client.getTransactionReceipt({ hash: failure.hash as Hex })
    expect(receipt.status).toBe('success')
  })

  test('error: the reason of a mined revert cannot be read', async () => {
    const hooks = failAfterSending(['eth_call'], Number.POSITIVE_INFINITY)
    const sending = hooks['eth_sendTransaction'] as Hook
    hooks['eth_sendTransaction'] = async (next, request) => {
      await chain.client.setNextBlockTimestamp({ timestamp: note.validBefore })
      return sending(next, request)
    }
    const wallet = openWallet(chain, { account: ann.address, hooks })
    const failure = await failureOf(wallet.lend({ note, principal }))
    expect(failure).toMatchObject({ code: 'call_reverted', retryable: false, hash: sentHash })
    expect(failure.message).toContain('was mined, but reverted')
  })

  test('error: the caller aborts and the node fails while the lend is awaited', async () => {
    const controller = new AbortController()
    const hooks = failAfterSending(polls, Number.POSITIVE_INFINITY)
    const wallet = openWallet(chain, { account: ann.address, hooks })
    const onStep = ({ kind }: ActionStep) => kind === 'wait' && controller.abort(new Error('closed'))
    const options = { note, principal, onStep, signal: controller.signal, timeoutSeconds: 0.2 }
    expect(await failureOf(wallet.lend(options))).toMatchObject({
      ...{ code: 'transaction_pending', retryable: false, hash: sentHash },
    })
  })

  test.each(['wait', 'done'])('error: onStep throws at %s', async (step) => {
    const wallet = openWallet(chain, { account: ann.address })
    const onStep = ({ kind }: ActionStep) => {
      if (kind === step) throw new TypeError('state is undefined')
    }
    const failure = await failureOf(wallet.lend({ note, principal, onStep }))
    expect(failure).toMatchObject({ code: 'transaction_pending', retryable: false, hash: sentHash })
  })
})

describe('the other transactions', () => {
  test('error: the node fails after an approval was sent', async () => {
    const hooks = { ...failAfterSending(polls, Number.POSITIVE_INFINITY), eth_getCode: async () => '0x6001' }
    const wallet = openWallet(chain, { account: ann.address, hooks })
    const failure = await failureOf(wallet.lend({ note, principal, timeoutSeconds: 0.2 }))
    expect(failure).toMatchObject({ code: 'transaction_pending', retryable: false, hash: sentHash })
    expect(wallet.prompts).toEqual([`approve ${principal}`])
  })

  test.each([
    ['one failed poll of a claim is repeated', ['eth_getTransactionReceipt'], 2],
    ['error: the node fails after a claim was sent', polls, Number.POSITIVE_INFINITY],
  ])('%s', async (_, methods, times) => {
    await send(chain, { from: ann.address, to: chain.token, functionName: 'approve', args: [chain.pool, principal] })
    const terms = { lender: ann.address, note: noteAt(lentAt), params: { principal }, at: lentAt + 10n }
    await send(chain, await lendCall(chain, terms))
    await send(chain, { ...reportIncome(chain), at: completeAt })
    const wallet = openWallet(chain, { account: ann.address, hooks: failAfterSending(methods, times) })
    const claimed = wallet.claim({ tokenId: 1n, timeoutSeconds: times === 2 ? 60 : 0.2 })
    if (times === 2) expect((await claimed).position.tokenId).toBe(1n)
    else
      expect(await failureOf(claimed)).toMatchObject({ code: 'transaction_pending', retryable: false, hash: sentHash })
  })
})

describe('the moment of sending', () => {
  const loseAnswer: Hook = async (next, request) => {
    await next()
    return failNow(next, request)
  }

  test('error: the wallet sends the lend and its answer is lost', async () => {
    const wallet = openWallet(chain, { account: ann.address, hooks: { eth_sendTransaction: loseAnswer } })
    const failure = await failureOf(wallet.lend({ note, principal }))
    expect(failure).toMatchObject({ code: 'transaction_pending', retryable: false, hash: undefined })
    expect(failure.message).toMatch(/502 Bad Gateway.*may have been sent.*Check your positions/)
  })

  test('behavior: the node takes the lend of a local account and its answer is lost', async () => {
    const wallet = openWallet(chain, { account: ann, hooks: { eth_sendRawTransaction: loseAnswer } })
    const { hash, position } = await wallet.lend({ note, principal })
    expect(position.tokenId).toBe(1n)
    expect((await chain.client.getTransactionReceipt({ hash })).status).toBe('success')
  })

  test('error: the node does not take the lend of a local account and does not answer', async () => {
    let raw: Hex | undefined
    const eth_sendRawTransaction: Hook = (next, request) => {
      raw = request.params?.[0] as Hex
      return failNow(next, request)
    }
    const wallet = openWallet(chain, { account: ann, hooks: { eth_sendRawTransaction } })
    const failure = await failureOf(wallet.lend({ note, principal, timeoutSeconds: 0.2 }))
    expect(failure).toMatchObject({ code: 'transaction_dropped', retryable: false, hash: keccak256(raw as Hex) })
  })

  test.each([
    ['the account cannot pay the fee', { code: -32000, message: 'insufficient funds for gas * price + value' }],
    [
      'the wallet’s node says so inside the error',
      { code: -32603, message: 'Internal JSON-RPC error.', data: { code: -32000, message: 'insufficient funds' } },
    ],
    ['the wallet is locked', { code: 4100, message: 'Unauthorized' }],
    ['the wallet does not know the method', { code: 4200, message: 'Unsupported' }],
  ])('error: nothing was sent, because %s', async (_, refusal) => {
    const hooks = { eth_sendTransaction: () => Promise.reject(refusal) }
    const wallet = openWallet(chain, { account: ann.address, hooks })
    expect(await failureOf(wallet.lend({ note, principal }))).toMatchObject({
      ...{ code: 'chain_failed', retryable: true, hash: undefined },
    })
  })

  test('error: a local account’s lend was not signed yet', async () => {
    const hooks = { eth_getTransactionCount: failNow }
    const wallet = openWallet(chain, { account: ann, hooks })
    expect(await failureOf(wallet.lend({ note, principal }))).toMatchObject({ code: 'chain_failed', retryable: true })
  })
})
