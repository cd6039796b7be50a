import type { ChainPositions } from '@tallystick/client'
import { type ActionStep, TransactionError } from '@tallystick/client/viem'
import { positionTokenAbi } from '@tallystick/contracts'
import { type Hex, toFunctionSelector } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { approvePosition, completeAt, lendCall, lentAt, maturesAt, noteAt, reportIncome } from './calls.ts'
import { balanceOf, type Chain, chainId, dollars, noPartner, revertBeforeEach, send, startChain } from './chain.ts'
import { failureOf } from './failure-of.ts'
import { type Hook, openWallet } from './wallet.ts'

const ownerOf = toFunctionSelector('ownerOf(uint256)')

let chain: Chain
let ann: PrivateKeyAccount
let bob: PrivateKeyAccount
// Ann holds the positions 1 to 5, which mature together, and 6, which matures later.
const matured = [1n, 2n, 3n, 4n, 5n]
beforeAll(async () => {
  chain = await startChain()
  ;[ann, bob] = chain.wallets as [PrivateKeyAccount, PrivateKeyAccount]
  const approve = { to: chain.token, functionName: 'approve', args: [chain.pool, dollars(1_000_000)] }
  await send(chain, { ...approve, from: ann.address })
  for (const tokenId of matured) {
    const params = { principal: dollars(1_000) + tokenId }
    const note = noteAt(lentAt)
    await send(chain, await lendCall(chain, { lender: ann.address, note, params, at: lentAt + tokenId }))
  }
  const later = noteAt(lentAt, { tenorDays: 60n })
  await send(chain, await lendCall(chain, { lender: ann.address, note: later, at: lentAt + 6n }))
  await send(chain, { ...reportIncome(chain), at: completeAt })
})
afterAll(() => chain.stop())
revertBeforeEach(() => chain)
beforeEach(async () => {
  await chain.client.setAutomine(true)
})

describe('claim', () => {
  test('default: with a permit, one transaction claims and its receipt states what was paid', async () => {
    const wallet = openWallet(chain, { account: ann.address })
    const before = await balanceOf(chain, ann.address)
    const { hash, receipt, position } = await wallet.claim({ tokenId: 1n, onStep: wallet.onStep })
    expect(wallet.prompts).toEqual(['sign', 'permitClaim'])
    expect(wallet.steps).toEqual(['simulate', 'permit', 'simulate', 'send', 'wait', 'done'])
    expect(receipt.transactionHash).toBe(hash)
    const principal = dollars(1_000) + 1n
    expect(position).toEqual({
      ...{ chainId, pool: chain.pool, tokenId: 1n, beneficiary: ann.address, principal, coupon: 500n },
      ...{ maturityTimestamp: maturesAt, partnerId: noPartner, totalIncome: expect.any(BigInt), fee: 0n },
      paid: principal + position.totalIncome,
    })
    expect((await balanceOf(chain, ann.address)) - before).toBe(position.paid)
  })

  test('behavior: an approved position is claimed at once, for another beneficiary', async () => {
    await send(chain, approvePosition(chain, ann.address, 2n))
    const wallet = openWallet(chain, { account: ann })
    const before = await balanceOf(chain, bob.address)
    const { position } = await wallet.claim({ tokenId: 2n, beneficiary: bob.address })
    expect((await balanceOf(chain, bob.address)) - before).toBe(position.paid)
  })

  test('behavior: a contract account approves the position', async () => {
    const wallet = openWallet(chain, { account: ann.address, hooks: { eth_getCode: async () => '0x6001' } })
    await wallet.claim({ tokenId: 1n })
    expect(wallet.prompts).toEqual(['approve 1', 'claim'])
  })

  test.each([
    ['a position that is not matured', 6n, 'ReserveStabilityPool__MaturityNotPassed'],
    ['a position that does not exist', 99n, 'ERC721NonexistentToken'],
  ])('error: %s', async (_, tokenId, name) => {
    const wallet = openWallet(chain, { account: ann.address })
    const failure = await failureOf(wallet.claim({ tokenId }))
    expect(failure).toMatchObject({ code: 'call_reverted', explanation: { name } })
    expect(wallet.prompts).toEqual([])
  })

  test('error: a position of another account', async () => {
    const wallet = openWallet(chain, { account: bob.address })
    const failure = await failureOf(wallet.claim({ tokenId: 1n }))
    expect(failure.explanation?.name).toBe('ReserveStabilityPool__NotTokenOwner')
    expect(wallet.prompts).toEqual([])
  })
})

describe('claimAll', () => {
  test('default: one approval and as few transactions as the batch size allows', async () => {
    const wallet = openWallet(chain, { account: ann.address })
    const before = await balanceOf(chain, ann.address)
    const { transactions, positions } = await wallet.claimAll({ tokenIds: [...matured, 1n], batchSize: 2 })
    expect(wallet.prompts).toEqual(['setApprovalForAll', 'batchClaim', 'batchClaim', 'batchClaim'])
    expect(transactions).toHaveLength(3)
    expect(positions.map(({ tokenId }) => tokenId)).toEqual(matured)
    const paid = positions.reduce((sum, position) => sum + position.paid, 0n)
    expect((await balanceOf(chain, ann.address)) - before).toBe(paid)
  })

  test('behavior: one missing approval is asked for alone, one position is claimed with a permit', async () => {
    await send(chain, approvePosition(chain, ann.address, 1n))
    const wallet = openWallet(chain, { account: ann.address })
    await wallet.claimAll({ tokenIds: [1n, 2n] })
    expect(wallet.prompts).toEqual(['approve 2', 'batchClaim'])
    wallet.prompts.length = 0
    await wallet.claimAll({ tokenIds: [3n] })
    expect(wallet.prompts).toEqual(['sign', 'permitClaim'])
    expect(await wallet.claimAll({ tokenIds: [] })).toEqual({ transactions: [], positions: [], skipped: [] })
  })

  test('behavior: without token ids, the matured positions that the account still holds are claimed', async () => {
    await send(chain, {
      from: ann.address,
      to: chain.positions,
      functionName: 'transferFrom',
      args: [ann.address, bob.address, 5n],
    })
    // The index lags: it still has 5, and 9, which was claimed.
    const positions = [9n, 6n, 5n, 4n, 3n, 2n, 1n].map((tokenId) => ({
      ...{ tokenId, status: tokenId === 1n ? 'Claimed' : 'Active' },
      maturityTimestamp: tokenId === 6n ? maturesAt + 30n * 86_400n : maturesAt,
    }))
    const client = { positions: async () => [{ chain: chainId, positions }] as unknown as readonly ChainPositions[] }
    const wallet = openWallet(chain, { account: ann.address, client })
    const result = await wallet.claimAll()
    expect(result.positions.map(({ tokenId }) => tokenId)).toEqual([2n, 3n, 4n])
    expect(result.transactions).toHaveLength(1)
  })

  /** A wallet whose index has matured positions, and whose node answers `ownerOf` of some with an error. */
  function openWithFailingOwners(tokenIds: readonly bigint[], failing: (tokenId: bigint) => unknown) {
    const positions = tokenIds.map((tokenId) => ({ tokenId, status: 'Active', maturityTimestamp: maturesAt }))
    const client = { positions: async () => [{ chain: chainId, positions }] as unknown as readonly ChainPositions[] }
    const eth_call: Hook = async (next, { params }) => {
      const [{ data }] = params as [{ data: Hex }]
      const error = data.startsWith(ownerOf) ? failing(BigInt(`0x${data.slice(10)}`)) : undefined
      if (error) throw error
      return next()
    }
    return openWallet(chain, { account: ann.address, client, hooks: { eth_call } })
  }

  test.each([
    ['429', new Error('HTTP request failed. Status: 429')],
    ['a limit', { code: -32005, message: 'Too many requests' }],
    ['an internal error, which viem takes for a revert', { code: -32603, message: 'Too many requests' }],
  ])('error: a node that answers with %s does not claim a position', async (_, error) => {
    const wallet = openWithFailingOwners(matured, (tokenId) => (tokenId === 2n ? error : undefined))
    const failure = await failureOf(wallet.claimAll())
    expect(failure).toMatchObject({ code: 'chain_failed', retryable: true, claimed: undefined })
    expect(failure.message).toMatch(/^Position 2: .*(429|Too many requests)/)
    expect(wallet.prompts).toEqual([])
  })

  test.each([
    ['without data', { code: -32000, message: 'execution reverted' }],
    ['inside another error', { code: -32603, message: 'Internal JSON-RPC error.', data: { code: 3, message: '' } }],
    ['of OpenEthereum', { code: -32015, message: 'VM execution error.', data: 'Reverted 0x' }],
  ])('behavior: a revert %s says that a position was claimed', async (_, error) => {
    const wallet = openWithFailingOwners([1n, 2n, 3n], (tokenId) => (tokenId === 2n ? error : undefined))
    const { positions } = await wallet.claimAll()
    expect(positions.map(({ tokenId }) => tokenId)).toEqual([1n, 3n])
  })

  test('error: without token ids and client, or with an invalid batch size', async () => {
    const wallet = openWallet(chain, { account: ann.address })
    await expect(wallet.claimAll()).rejects.toThrow('tallystickActions({ client })')
    for (const batchSize of [0, 1.5, 101, Number.NaN]) {
      await expect(wallet.claimAll({ tokenIds: matured, batchSize })).rejects.toThrow('from 1 to 100')
    }
    await expect(wallet.claimAll({ tokenIds: Array.from({ length: 1_001 }, (_, id) => BigInt(id)) })).rejects.toThrow(
      'too many',
    )
    const failing = {
      positions: async () => [{ chain: chainId, positions: null, errors: [{ message: 'The subgraph failed.' }] }],
    }
    const other = openWallet(chain, { account: ann.address, client: failing as never })
    expect(await failureOf(other.claimAll())).toMatchObject({ code: 'chain_failed', retryable: true })
  })

  test('behavior: a position that cannot be claimed is left out, with its reason', async () => {
    const wallet = openWallet(chain, { account: ann.address })
    const { positions, skipped } = await wallet.claimAll({ tokenIds: [1n, 6n, 2n] })
    expect(positions.map(({ tokenId }) => tokenId)).toEqual([1n, 2n])
    expect(skipped).toEqual([{ tokenId: 6n, error: expect.any(TransactionError) }])
    expect(skipped[0]?.error).toMatchObject({ code: 'call_reverted', details: { tokenId: '6' } })
    expect(skipped[0]?.error.message).toMatch(/^Position 6: .* from its maturity on/)
  })

  test('error: if no position can be claimed, the first reason is thrown before anything is sent', async () => {
    const wallet = openWallet(chain, { account: ann.address })
    const failure = await failureOf(wallet.claimAll({ tokenIds: [6n, 99n] }))
    expect(failure).toMatchObject({ code: 'call_reverted', details: { tokenId: '6' } })
    expect(failure.skipped?.map(({ tokenId }) => tokenId)).toEqual([6n, 99n])
    expect(wallet.prompts).toEqual([])
  })

  test('error: a later transaction fails, and the error has the claims before it', async () => {
    const wallet = openWallet(chain, { account: ann.address })
    let done = 0
    const pausing = { from: chain.admin.address, to: chain.pool, functionName: 'pause' }
    let paused: Promise<unknown> | undefined
    const onStep = ({ kind }: ActionStep) => {
      if (kind === 'done' && ++done === 1) paused = send(chain, pausing)
    }
    const failure = await failureOf(wallet.claimAll({ tokenIds: matured, batchSize: 3, onStep }))
    await paused
    expect(failure).toMatchObject({ code: 'call_reverted', explanation: { name: 'EnforcedPause' } })
    expect(failure.claimed?.positions.map(({ tokenId }) => tokenId)).toEqual([1n, 2n, 3n])
    const balance = { address: chain.positions, abi: positionTokenAbi, functionName: 'balanceOf' } as const
    expect(await chain.client.readContract({ ...balance, args: [ann.address] })).toBe(3n)
  })

  test('error: an abort between two transactions has the claims before it, and an earlier one its reason', async () => {
    const reason = new Error('closed')
    const claimUntil = (kind: ActionStep['kind']) => {
      const controller = new AbortController()
      const onStep = (step: ActionStep) => step.kind === kind && controller.abort(reason)
      const wallet = openWallet(chain, { account: ann.address })
      return wallet.claimAll({ tokenIds: matured, batchSize: 3, signal: controller.signal, onStep })
    }
    await expect(claimUntil('approve')).rejects.toBe(reason)
    const failure = await failureOf(claimUntil('done'))
    expect(failure).toMatchObject({ code: 'aborted', retryable: false, cause: reason })
    expect(failure.claimed?.positions.map(({ tokenId }) => tokenId)).toEqual([1n, 2n, 3n])
  })

  test('error: the node fails between two transactions, and the error has the claims before it', async () => {
    let done = 0
    const eth_call: Hook = (next) => (done > 0 ? Promise.reject(new Error('429')) : next())
    const wallet = openWallet(chain, { account: ann.address, hooks: { eth_call } })
    const onStep = ({ kind }: ActionStep) => {
      if (kind === 'done') done++
    }
    const failure = await failureOf(wallet.claimAll({ tokenIds: matured, batchSize: 3, onStep }))
    expect(failure).toMatchObject({ code: 'chain_failed', retryable: false })
    expect(failure.claimed?.positions).toHaveLength(3)
  })

  test('error: a receipt lacks a claim', async () => {
    const eth_getTransactionReceipt: Hook = async (next) => {
      const receipt = (await next()) as { logs: { topics: string[] }[] } | null
      return receipt && { ...receipt, logs: receipt.logs.slice(0, -1) }
    }
    const wallet = openWallet(chain, { account: ann.address, hooks: { eth_getTransactionReceipt } })
    const failure = await failureOf(wallet.claimAll({ tokenIds: [1n, 2n] }))
    expect(failure).toMatchObject({ code: 'transaction_replaced', retryable: false, hash: expect.any(String) })
    expect(failure.claimed?.positions.map(({ tokenId }) => tokenId)).toEqual([1n])
  })
})
