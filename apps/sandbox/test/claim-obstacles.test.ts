import { explainRevert } from '@tallystick/client'
import { dollarTokenAbi, poolAbi } from '@tallystick/contracts'
import { type Address, encodeFunctionData, encodePacked, keccak256, zeroAddress } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { approvePosition, completeAt, lendCall, lentAt, noteAt, reportIncome } from './calls.ts'
import { balanceOf, type Chain, dollars, noPartner, revertBeforeEach, send, startChain } from './chain.ts'
import { failureOf } from './failure-of.ts'
import { offerNote, openWallet } from './wallet.ts'

// Ann holds the positions 1 to 4. The partner of 2 and 4 has a vault.
const all = [1n, 2n, 3n, 4n]

let chain: Chain
let [ann, bob, partner, vault] = [] as unknown as readonly PrivateKeyAccount[]
beforeAll(async () => {
  chain = await startChain()
  ;[ann, bob, partner, vault] = chain.wallets
  const approve = { to: chain.token, functionName: 'approve', args: [chain.pool, dollars(1_000_000)] }
  await send(chain, { ...approve, from: ann!.address })
  const createPartner = { to: chain.pool, functionName: 'createPartner', args: [vault!.address, 500n] }
  await send(chain, { ...createPartner, from: partner!.address })
  const partnerId = keccak256(encodePacked(['address', 'uint256'], [partner!.address, 0n]))
  for (const tokenId of all) {
    const params = tokenId % 2n === 0n ? { partnerId, partnerFeeBPS: 500n } : { partnerId: noPartner }
    const note = noteAt(lentAt)
    await send(chain, await lendCall(chain, { lender: ann!.address, note, params, at: lentAt + tokenId }))
  }
  await send(chain, { ...reportIncome(chain), at: completeAt })
})
afterAll(() => chain.stop())
revertBeforeEach(() => chain)
beforeEach(async () => {
  await chain.client.setAutomine(true)
})

function list(account: Address) {
  return send(chain, byAdmin(chain.denylister, 'addToDenylist', [account]))
}

function byAdmin(to: Address, functionName: string, args: readonly unknown[]) {
  return { from: chain.admin.address, to, functionName, args }
}

describe('a partner’s vault on the denylist', () => {
  beforeEach(() => list(vault!.address))

  test('behavior: the message names the vault, and no other account for the user', async () => {
    const wallet = openWallet(chain, { account: ann!.address })
    const failure = await failureOf(wallet.claim({ tokenId: 2n }))
    expect(failure).toMatchObject({ code: 'call_reverted', explanation: { name: 'ParabolUSD__Denylisted' } })
    expect(failure.message).toContain(`The vault ${vault!.address} of the position’s partner is on`)
    expect(failure.message).not.toMatch(/another account|another beneficiary|your account/i)
  })

  test('behavior: claimAll claims the others after the approval that shows it', async () => {
    const wallet = openWallet(chain, { account: ann!.address })
    const { positions, skipped } = await wallet.claimAll({ tokenIds: all, batchSize: 2 })
    expect(wallet.prompts).toEqual(['setApprovalForAll', 'batchClaim'])
    expect(positions.map(({ tokenId }) => tokenId)).toEqual([1n, 3n])
    expect(skipped.map(({ tokenId }) => tokenId)).toEqual([2n, 4n])
    expect(skipped[0]?.error).toMatchObject({ code: 'call_reverted', details: { tokenId: '2' } })
    expect(skipped[0]?.error.message).toMatch(/^Position 2: The vault 0x/)
  })

  test('behavior: a position approved before is left out before the others are approved', async () => {
    for (const tokenId of [2n, 4n]) await send(chain, approvePosition(chain, ann!.address, tokenId))
    const wallet = openWallet(chain, { account: ann!.address })
    const { positions, skipped } = await wallet.claimAll({ tokenIds: [1n, 2n, 4n] })
    expect(wallet.prompts).toEqual(['approve 1', 'batchClaim'])
    expect([positions.length, skipped.length]).toEqual([1, 2])
  })

  test('error: nothing is left to claim', async () => {
    const wallet = openWallet(chain, { account: ann!.address })
    const failure = await failureOf(wallet.claimAll({ tokenIds: [2n, 4n] }))
    expect(failure.message).toMatch(/^Position 2: The vault 0x/)
    expect(failure.skipped?.map(({ tokenId }) => tokenId)).toEqual([2n, 4n])
    expect(wallet.prompts).toEqual(['setApprovalForAll'])
  })

  test('behavior: the position is claimed after its partner has set another vault', async () => {
    const partnerId = keccak256(encodePacked(['address', 'uint256'], [partner!.address, 0n]))
    const setVault = { from: partner!.address, to: chain.pool, functionName: 'setPartnerVault' }
    await send(chain, { ...setVault, args: [partnerId, partner!.address] })
    const { position } = await openWallet(chain, { account: ann!.address }).claim({ tokenId: 2n })
    expect(position.fee).toBeGreaterThan(0n)
  })
})

describe('a holder on the denylist', () => {
  test('behavior: claims to another beneficiary what it approved before, and reads so otherwise', async () => {
    await send(chain, approvePosition(chain, ann!.address, 1n))
    await list(ann!.address)
    const wallet = openWallet(chain, { account: ann!.address })
    for (const tokenId of [1n, 3n]) {
      const { message } = await failureOf(wallet.claim({ tokenId }))
      expect(message).toMatch(/approved for the pool before it was listed can still be claimed to another beneficiary/)
    }
    const before = await balanceOf(chain, bob!.address)
    const { position } = await wallet.claim({ tokenId: 1n, beneficiary: bob!.address })
    expect((await balanceOf(chain, bob!.address)) - before).toBe(position.paid)
  })

  test('error: a beneficiary on the denylist', async () => {
    await send(chain, approvePosition(chain, ann!.address, 1n))
    await list(bob!.address)
    const wallet = openWallet(chain, { account: ann!.address })
    const failure = await failureOf(wallet.claim({ tokenId: 1n, beneficiary: bob!.address }))
    expect(failure.explanation?.title).toBe('The beneficiary is on the denylist')
  })
})

test('error: a pool that may not mint is a missing role of the protocol', async () => {
  const role = await chain.client.readContract({
    address: chain.token,
    abi: dollarTokenAbi,
    functionName: 'MINTER_ROLE',
  })
  await send(chain, byAdmin(chain.token, 'revokeRole', [role, chain.pool]))
  const failure = await failureOf(openWallet(chain, { account: ann!.address }).claim({ tokenId: 1n }))
  expect(failure.explanation).toMatchObject({ name: 'AccessControlUnauthorizedAccount', args: [chain.pool, role] })
  expect(failure.message).toContain('Contact the operator')
})

test.each([
  ['createPartner', [zeroAddress, 1n], 'PartnerFeeManager__ZeroAddress'],
  ['updatePreviousFloatingIncome', [0n, 1n, [1n]], 'ReserveStabilityPool__InvalidInputParameter'],
] as const)('error: %s explains %s', async (functionName, args, name) => {
  const data = encodeFunctionData({ abi: poolAbi, functionName, args } as never)
  const call = { account: chain.admin.address, to: chain.pool, data }
  const error = await chain.client.call(call).catch((reason: unknown) => reason)
  expect(explainRevert(error)).toMatchObject({ name, title: expect.stringContaining('missing') })
})

test('error: a lend to the zero address', async () => {
  const { timestamp } = await chain.client.getBlock()
  const wallet = openWallet(chain, { account: ann!.address })
  const note = await offerNote(chain, timestamp)
  const failure = await failureOf(wallet.lend({ note, principal: dollars(1_000), beneficiary: zeroAddress }))
  expect(failure.explanation).toMatchObject({ name: 'ERC721InvalidReceiver', args: [zeroAddress] })
})

test('error: a note of a chain without a pool names the chain', async () => {
  const wallet = openWallet(chain, { account: ann!.address, pools: { 8453: chain.pool, 1: chain.pool } })
  const note = await offerNote(chain, lentAt)
  const message =
    '`pools` has no pool for chain 324, only for 1, 8453. Add it to tallystickActions({ pools }), or pass `pool`.'
  await expect(wallet.lend({ note, principal: dollars(1_000) })).rejects.toThrow(message)
  await expect(wallet.claim({ tokenId: 1n })).rejects.toThrow('no pool for chain 324')
  const none = openWallet(chain, { account: ann!.address, pools: {} })
  await expect(none.claimAll({ tokenIds: all })).rejects.toThrow('`pools` has no pool for chain 324. Add')
})
