import type { OfferedNote } from '@tallystick/client'
import { type ActionStep, readAccountKind } from '@tallystick/client/viem'
import { dollarTokenAbi, poolAbi, positionTokenAbi } from '@tallystick/contracts'
import { decodeFunctionData, type Hash, type Hex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { deployOwnersWallet, type OwnersWallet, type WalletCall } from '../../../test/set-up/owners-wallet.ts'
import { completeAt, lentAt, reportIncome } from './calls.ts'
import { balanceOf, type Chain, chainId, dollars, revertBeforeEach, send, startChain } from './chain.ts'
import { failureOf } from './failure-of.ts'
import { type Hook, offerNote, openWallet } from './wallet.ts'

// A contract wallet of two owners lends and claims. Both must confirm what it executes.
const principal = dollars(1_000)
const abi = [...poolAbi, ...positionTokenAbi, ...dollarTokenAbi] as const

let chain: Chain
let note: OfferedNote
let safe: OwnersWallet
beforeAll(async () => {
  chain = await startChain()
  await chain.client.setAutomine(true)
  const [ann, bob] = chain.wallets.map(({ address }) => address) as [Hex, Hex]
  const request = (method: string, params: readonly unknown[]) => chain.client.request({ method, params } as never)
  safe = await deployOwnersWallet(request, [ann, bob])
  await send(chain, { from: ann, to: chain.token, functionName: 'transfer', args: [safe.address, dollars(10_000)] })
  note = await offerNote(chain, lentAt)
  await chain.client.setNextBlockTimestamp({ timestamp: lentAt })
  await chain.client.mine({ blocks: 1 })
})
afterAll(() => chain.stop())
revertBeforeEach(() => chain)
beforeEach(async () => {
  await chain.client.setAutomine(true)
})

const statusCodes = { AWAITING_CONFIRMATIONS: 100, AWAITING_EXECUTION: 100, SUCCESS: 200, CANCELLED: 400 }

/** Opens the wallet of a contract with atomic batches, as a Safe has them. `onProposed` acts for the owners. */
function openSafe(onProposed: (id: Hash) => unknown, changes: Record<string, Hook> = {}) {
  const batches: string[][] = []
  const hooks: Record<string, Hook> = {
    wallet_getCapabilities: async () => ({ [`0x${chainId.toString(16)}`]: { atomic: { status: 'supported' } } }),
    wallet_sendCalls: async (_, { params }) => {
      const [{ calls, atomicRequired, from }] = params as [SentCalls]
      expect([atomicRequired, from]).toEqual([true, safe.address])
      batches.push(calls.map(({ data }) => decodeFunctionData({ abi, data }).functionName))
      const id = await safe.propose(calls.map((call) => ({ ...call, value: BigInt(call.value) })))
      void onProposed(id)
      return { id }
    },
    wallet_getCallsStatus: async (_, { params }) => {
      const { status, txHash } = await safe.stateOf((params as [string])[0])
      return { version: '2.0.0', status: statusCodes[status], receipts: txHash ? [{ transactionHash: txHash }] : [] }
    },
    ...changes,
  }
  return { batches, ...openWallet(chain, { account: safe.address, hooks }) }
}

type SentCalls = {
  readonly atomicRequired: boolean
  readonly from: string
  readonly calls: readonly (Omit<WalletCall, 'value'> & { readonly value: Hex })[]
}

const signAndExecute = async (id: Hash) => {
  await safe.confirm(id)
  await safe.execute(id)
}

test('default: the kind of an account is read from its code and its wallet', async () => {
  const ann = chain.wallets[0]!.address
  const read = (wallet: Parameters<typeof readAccountKind>[0], address: Hex) =>
    readAccountKind(wallet, { address, chainId })
  const answer = (value: unknown) => openSafe(() => undefined, { wallet_getCapabilities: async () => value })
  expect(
    await read(
      openSafe(() => undefined),
      ann,
    ),
  ).toBe('key')
  expect(
    await read(
      openSafe(() => undefined),
      safe.address,
    ),
  ).toBe('batching_contract')
  expect(await read(answer({ '0x144': { atomicBatch: { supported: true } } }), safe.address)).toBe('batching_contract')
  for (const other of [{}, null, 7, 'yes', { '0x1': { atomic: { status: 'supported' } } }, { '0x144': null }])
    expect(await read(answer(other), safe.address)).toBe('contract')
  const ready = { '0x144': { atomic: { status: 'ready' } } }
  expect(await read(answer(ready), safe.address)).toBe('contract')
  const delegated = openSafe(() => undefined, { eth_getCode: async () => `0xef0100${'11'.repeat(20)}` })
  expect(await read(delegated, safe.address)).toBe('key')
})

describe('lend', () => {
  test('default: one transaction approves and lends, once both owners have signed', async () => {
    const steps: ActionStep[] = []
    const wallet = openSafe(signAndExecute)
    const { hash, receipt, position } = await wallet.lend({ note, principal, onStep: (step) => void steps.push(step) })
    expect(wallet.batches).toEqual([['approve', 'lend']])
    expect(wallet.prompts).toEqual([])
    const callsId = steps.find((step) => step.callsId !== undefined)?.callsId as Hash
    expect(steps).toEqual([
      ...[{ kind: 'simulate' }, { kind: 'simulate' }, { kind: 'send' }],
      ...[
        { kind: 'wait', callsId },
        { kind: 'wait', hash },
        { kind: 'done', hash },
      ],
    ])
    expect(await safe.stateOf(callsId)).toMatchObject({ status: 'SUCCESS', confirmations: 2, txHash: hash })
    expect(receipt.status).toBe('success')
    // The position token mints without a callback: this wallet has none.
    expect(position).toMatchObject({ owner: safe.address, principal, tokenId: 1n })
    const held = { address: chain.positions, abi: positionTokenAbi, functionName: 'ownerOf', args: [1n] } as const
    expect(await chain.client.readContract(held)).toBe(safe.address)
    const args = [safe.address, chain.pool] as const
    const allowance = { address: chain.token, abi: dollarTokenAbi, functionName: 'allowance', args } as const
    expect(await chain.client.readContract(allowance)).toBe(0n)
  })

  test('behavior: a wallet without batches approves, then lends', async () => {
    // It returns when both owners have signed, with the hash of the transaction.
    const executeAlone: Hook = async (_, { params }) => {
      const [{ to, data }] = params as [WalletCall]
      const id = await safe.propose([{ to, data, value: 0n }])
      await safe.confirm(id)
      return safe.execute(id)
    }
    const none: Hook = () => Promise.reject({ code: -32601, message: 'not supported' })
    const wallet = openSafe(() => undefined, { eth_sendTransaction: executeAlone, wallet_getCapabilities: none })
    const { position } = await wallet.lend({ note, principal })
    expect(wallet.prompts).toEqual([`approve ${principal}`, 'lend'])
    expect(position.owner).toBe(safe.address)
  })

  test('error: nothing is proposed for what the contracts reject', async () => {
    const wallet = openSafe(signAndExecute)
    const failure = await failureOf(wallet.lend({ note, principal: dollars(10_001) }))
    expect(failure.explanation?.name).toBe('ParabolUSD__InsufficientBalance')
    await send(chain, { from: chain.admin.address, to: chain.pool, functionName: 'pause', args: [] })
    expect((await failureOf(wallet.lend({ note, principal }))).explanation?.name).toBe('EnforcedPause')
    expect(wallet.batches).toEqual([])
  })

  test('error: the owners reject it', async () => {
    const failure = await failureOf(openSafe(() => safe.cancel()).lend({ note, principal }))
    expect(failure).toMatchObject({ code: 'transaction_replaced', hash: undefined, callsId: undefined })
    expect(failure.message).toContain('Nothing was sent.')
  })

  test('behavior: a wallet that says too early that it was cancelled is asked again', async () => {
    const statuses = [400, 400, 100, 400, 400]
    const wallet = openSafe(signAndExecute, {
      wallet_getCallsStatus: async (_, { params }) => {
        const status = statuses.shift()
        if (status !== undefined) return { status }
        const { txHash } = await safe.stateOf((params as [string])[0])
        return txHash ? { status: 200, receipts: [{ transactionHash: txHash }] } : { status: 100 }
      },
    })
    expect((await wallet.lend({ note, principal })).position.owner).toBe(safe.address)
  })

  test('error: the note expires before both have signed', async () => {
    const wallet = openSafe(async () => {
      await chain.client.setNextBlockTimestamp({ timestamp: note.validBefore + 120n })
      await chain.client.mine({ blocks: 1 })
    })
    expect(await failureOf(wallet.lend({ note, principal }))).toMatchObject({ code: 'note_expired', retryable: false })
  })

  test('error: what nobody has signed in time may be executed later, and is never retryable', async () => {
    const ids: Hash[] = []
    const failure = await failureOf(openSafe((id) => ids.push(id)).lend({ note, principal, timeoutSeconds: 0.1 }))
    expect(failure).toMatchObject({ code: 'transaction_pending', callsId: ids[0], hash: undefined, retryable: false })
  })

  test('error: the first owner declines, or the answer is lost', async () => {
    const fail = (error: object) =>
      failureOf(openSafe(() => undefined, { wallet_sendCalls: () => Promise.reject(error) }).lend({ note, principal }))
    expect(await fail({ code: 4001, message: 'Rejected' })).toMatchObject({ code: 'wallet_rejected' })
    expect(await fail({ code: -32603, message: '502 Bad Gateway' })).toMatchObject({ code: 'transaction_pending' })
    for (const answer of [null, {}, { id: 7 }]) {
      const wallet = openSafe(() => undefined, { wallet_sendCalls: async () => answer })
      expect(await failureOf(wallet.lend({ note, principal }))).toMatchObject({ code: 'transaction_pending' })
    }
  })

  test.each([
    ['fails', () => Promise.reject({ code: -32000, message: 'no' })],
    ['is no status', async () => 'done'],
    ['has a text as status', async () => ({ status: '200', receipts: [{ transactionHash: `0x${'ab'.repeat(32)}` }] })],
    ['has no receipt', async () => ({ status: 200, receipts: [] })],
    ['has a hash that is none', async () => ({ status: 200, receipts: [{ transactionHash: '0x12' }] })],
  ])('behavior: a status that %s is read again', async (_, answer) => {
    let reads = 0
    const wallet = openSafe(signAndExecute, {
      wallet_getCallsStatus: async (_next, { params }) => {
        reads += 1
        if (reads < 3) return answer()
        const { txHash } = await safe.stateOf((params as [string])[0])
        return txHash ? { status: 200, receipts: [{ transactionHash: txHash }] } : { status: 100 }
      },
    })
    expect((await wallet.lend({ note, principal })).position.owner).toBe(safe.address)
    expect(reads).toBeGreaterThan(2)
  })

  test.each([500, 600])('error: status %i is a revert', async (status) => {
    const transactionHash = `0x${'ab'.repeat(32)}`
    const wallet = openSafe(() => undefined, {
      wallet_getCallsStatus: async () => ({ status, receipts: [{ transactionHash }] }),
    })
    const failure = await failureOf(wallet.lend({ note, principal }))
    expect(failure).toMatchObject({ code: 'call_reverted', hash: transactionHash })
  })
})

describe('claim', () => {
  async function lendTwice() {
    const wallet = openSafe(signAndExecute)
    const first = await wallet.lend({ note, principal })
    const second = await wallet.lend({ note, principal })
    await chain.client.setAutomine(false)
    await send(chain, { ...reportIncome(chain), at: completeAt })
    await chain.client.setAutomine(true)
    wallet.batches.length = 0
    return { wallet, tokenIds: [first.position.tokenId, second.position.tokenId] as const }
  }

  test('default: one transaction approves and claims', async () => {
    const { wallet, tokenIds } = await lendTwice()
    const before = await balanceOf(chain, safe.address)
    const { position } = await wallet.claim({ tokenId: tokenIds[0] })
    expect(wallet.batches).toEqual([['approve', 'claim']])
    expect((await balanceOf(chain, safe.address)) - before).toBe(position.paid)
  })

  test('default: one transaction approves and claims all', async () => {
    const { wallet, tokenIds } = await lendTwice()
    const { positions, transactions } = await wallet.claimAll({ tokenIds })
    expect(wallet.batches).toEqual([['setApprovalForAll', 'batchClaim']])
    expect([positions.length, transactions.length]).toEqual([2, 1])
  })
})
