import { positionTokenAbi } from '@tallystick/contracts'
import { fixedIncome, floatingIncome, partnerFee } from '@tallystick/core'
import { getAddress, type Hex, zeroAddress } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { beforeAll, describe, expect, test } from 'vitest'
import { approvePosition, claimCall, lendCall, lentAt, maturesAt, noteAt, transferPosition } from './calls.ts'
import {
  balanceOf,
  type Chain,
  dollars,
  findRefusal,
  noPartner,
  readEvents,
  revertBeforeEach,
  send,
  startApprovedChain,
} from './chain.ts'

const claimedAt = maturesAt + 8n * 86_400n
// From the day before the lend to the days after maturity, each with an income of its own.
const firstDay = lentAt / 86_400n - 1n
const incomes = Array.from({ length: 35 }, (_, index) => 40654777192457711n + BigInt(index) ** 9n)

let chain: Chain
let ann: PrivateKeyAccount
let bob: PrivateKeyAccount
beforeAll(async () => {
  ;({ chain, ann, bob } = await startApprovedChain())
  return chain.stop
})
revertBeforeEach(() => chain)

describe('lend', () => {
  test('default: takes the dollars and mints a position to the beneficiary, its Transfer before Lend', async () => {
    const before = await balanceOf(chain, ann.address)
    const receipt = await send(
      chain,
      await lendCall(chain, { lender: ann.address, params: { beneficiary: bob.address, principal: dollars(2_500) } }),
    )
    const terms = { maturityTimestamp: maturesAt, coupon: 500n, principal: dollars(2_500) }
    const partner = { partnerId: noPartner, partnerFeeBPS: 0n }
    expect(readEvents(chain, receipt)).toEqual([
      ['token', 'Transfer', { from: ann.address, to: getAddress(chain.pool), value: dollars(2_500) }],
      ['positions', 'Transfer', { from: zeroAddress, to: bob.address, tokenId: 1n }],
      ['pool', 'Lend', { initiator: ann.address, beneficiary: bob.address, tokenId: 1n, ...terms, ...partner }],
    ])
    expect(before - (await balanceOf(chain, ann.address))).toBe(dollars(2_500))
    const position = { address: chain.positions, abi: positionTokenAbi, args: [1n] } as const
    expect(await chain.client.readContract({ ...position, functionName: 'getLendInfo' })).toEqual({
      lendTimestamp: lentAt,
      ...terms,
      ...partner,
    })
    expect(await chain.client.readContract({ ...position, functionName: 'ownerOf' })).toBe(bob.address)
  })

  test('behavior: positions count up from one and are never numbered twice', async () => {
    await send(chain, await lendCall(chain, { lender: ann.address }))
    await send(chain, await lendCall(chain, { lender: ann.address, at: lentAt + 1n }))
    await send(chain, approvePosition(chain, ann.address, 1n))
    await send(chain, claimCall(chain, ann.address, 1n))
    const third = await send(chain, await lendCall(chain, { lender: ann.address, at: maturesAt + 1n }))
    expect(readEvents(chain, third)[2]).toMatchObject(['pool', 'Lend', { tokenId: 3n }])
  })

  test.each([
    ['a coupon of zero', { coupon: 0n }, {}, 'ReserveStabilityPool__InvalidCoupon'],
    ['a coupon above the limit', { coupon: 1_001n }, {}, 'ReserveStabilityPool__InvalidCoupon'],
    [
      'a dollar less than the least',
      {},
      { principal: dollars(1_000) - 1n },
      'ReserveStabilityPool__InsufficientPrincipal',
    ],
    ['a fee no partner has', {}, { partnerFeeBPS: 1n }, 'ReserveStabilityPool__PartnerFeeChanged'],
    ['more than was approved', {}, { principal: dollars(2_000_000) }, 'ERC20InsufficientAllowance'],
    ['the zero address as beneficiary', {}, { beneficiary: zeroAddress }, 'ERC721InvalidReceiver'],
  ] as const)('error: refuses %s', async (_, terms, params, error) => {
    const note = noteAt(lentAt, terms)
    const call = await lendCall(chain, { lender: ann.address, note, params })
    expect((await findRefusal(chain, call))?.[0]).toBe(error)
  })

  test('behavior: the highest coupon and the shortest maturity are taken, one less is not', async () => {
    const note = { ...noteAt(lentAt, { coupon: 1_000n }), maturityTimestamp: lentAt + 172_800n }
    expect(await findRefusal(chain, await lendCall(chain, { lender: ann.address, note }))).toBeUndefined()
    const shorter = { ...note, maturityTimestamp: lentAt + 172_799n }
    const call = await lendCall(chain, { lender: ann.address, note: shorter })
    expect(await findRefusal(chain, call)).toEqual(['ReserveStabilityPool__InvalidMaturity'])
  })
})

describe('claim', () => {
  test('default: pays principal and income, burns before Claim', async () => {
    await send(chain, await lendCall(chain, { lender: ann.address }))
    await send(chain, updateFloating())
    await send(chain, approvePosition(chain, ann.address, 1n))
    const before = await balanceOf(chain, bob.address)
    const receipt = await send(chain, { ...claimCall(chain, ann.address, 1n), args: [bob.address, 1n], at: claimedAt })
    const income = incomeOf(dollars(1_000))
    expect(readEvents(chain, receipt)).toEqual([
      ['positions', 'Transfer', { from: ann.address, to: zeroAddress, tokenId: 1n }],
      ['token', 'Transfer', { from: zeroAddress, to: bob.address, value: income }],
      ['token', 'Transfer', { from: getAddress(chain.pool), to: bob.address, value: dollars(1_000) }],
      ['pool', 'Claim', claimed({ totalIncome: income, fee: 0n, partnerId: noPartner })],
    ])
    expect((await balanceOf(chain, bob.address)) - before).toBe(dollars(1_000) + income)
    expect(await findRefusal(chain, claimCall(chain, ann.address, 1n))).toEqual(['ERC721NonexistentToken', 1n])
  })

  test('behavior: the partner’s fee of the day of lending goes to its vault of the day of claiming', async () => {
    const [, , owner, vault] = chain.wallets as [
      PrivateKeyAccount,
      PrivateKeyAccount,
      PrivateKeyAccount,
      PrivateKeyAccount,
    ]
    const byOwner = { from: owner.address, to: chain.pool }
    const created = await send(chain, { ...byOwner, functionName: 'createPartner', args: [owner.address, 250n] })
    const { partnerId } = readEvents(chain, created)[0]![2] as unknown as { partnerId: Hex }
    await send(chain, await lendCall(chain, { lender: ann.address, params: { partnerId, partnerFeeBPS: 250n } }))
    await send(chain, { ...byOwner, functionName: 'setPartnerFee', args: [partnerId, 900n] })
    await send(chain, { ...byOwner, functionName: 'setPartnerVault', args: [partnerId, vault.address] })
    await send(chain, updateFloating())
    await send(chain, approvePosition(chain, ann.address, 1n))
    const before = await balanceOf(chain, vault.address)
    const receipt = await send(chain, { ...claimCall(chain, ann.address, 1n), args: [bob.address, 1n], at: claimedAt })
    const totalIncome = incomeOf(dollars(1_000))
    const fee = partnerFee({ totalIncome, partnerFeeBps: 250n })
    expect(readEvents(chain, receipt).slice(1)).toEqual([
      ['token', 'Transfer', { from: zeroAddress, to: bob.address, value: totalIncome - fee }],
      ['token', 'Transfer', { from: zeroAddress, to: vault.address, value: fee }],
      ['token', 'Transfer', { from: getAddress(chain.pool), to: bob.address, value: dollars(1_000) }],
      ['pool', 'Claim', claimed({ totalIncome, fee, partnerId })],
    ])
    expect((await balanceOf(chain, vault.address)) - before).toBe(fee)
  })

  test('behavior: who holds the position claims it, not who opened it', async () => {
    await send(chain, await lendCall(chain, { lender: ann.address }))
    await send(chain, transferPosition(chain, ann.address, [bob.address, 1n]))
    await send(chain, approvePosition(chain, bob.address, 1n))
    const refusal = ['ReserveStabilityPool__NotTokenOwner']
    expect(await findRefusal(chain, claimCall(chain, ann.address, 1n))).toEqual(refusal)
    const receipt = await send(chain, claimCall(chain, bob.address, 1n))
    expect(readEvents(chain, receipt).at(-1)).toMatchObject(['pool', 'Claim', { initiator: bob.address }])
  })

  test('error: refuses before maturity and without approval', async () => {
    await send(chain, await lendCall(chain, { lender: ann.address }))
    const early = { ...claimCall(chain, ann.address, 1n), at: maturesAt - 1n }
    expect(await findRefusal(chain, early)).toEqual(['ReserveStabilityPool__MaturityNotPassed'])
    const unapproved = ['NonFungibleNotePosition__TokenNotApproved']
    expect(await findRefusal(chain, claimCall(chain, ann.address, 1n))).toEqual(unapproved)
  })

  test('behavior: batchClaim pays each beneficiary, all or none', async () => {
    await send(chain, await lendCall(chain, { lender: ann.address }))
    await send(chain, await lendCall(chain, { lender: ann.address, at: lentAt + 1n, note: noteAt(lentAt) }))
    await send(chain, approvePosition(chain, ann.address, 1n))
    const batch = { from: ann.address, to: chain.pool, functionName: 'batchClaim', at: maturesAt }
    const args = [
      [ann.address, bob.address],
      [1n, 2n],
    ]
    expect((await findRefusal(chain, { ...batch, args }))?.[0]).toBe('NonFungibleNotePosition__TokenNotApproved')
    await send(chain, approvePosition(chain, ann.address, 2n))
    const claims = readEvents(chain, await send(chain, { ...batch, args })).filter(([, event]) => event === 'Claim')
    expect(claims).toMatchObject([
      ['pool', 'Claim', { tokenId: 1n, beneficiary: ann.address }],
      ['pool', 'Claim', { tokenId: 2n, beneficiary: bob.address }],
    ])
    const uneven = { ...batch, args: [[ann.address], [1n, 2n]] }
    expect(await findRefusal(chain, uneven)).toEqual(['ReserveStabilityPool__ArrayLengthMismatch'])
  })
})

function updateFloating() {
  const args = [firstDay, BigInt(incomes.length), incomes]
  const call = { from: chain.admin.address, to: chain.pool, functionName: 'updatePreviousFloatingIncome' }
  return { ...call, args, at: claimedAt - 60n }
}

function incomeOf(principal: bigint): bigint {
  const terms = { principal, coupon: 500n, lendTimestamp: lentAt, maturityTimestamp: maturesAt }
  const floating = floatingIncome(terms, {
    instantSeconds: claimedAt,
    lastUpdatedDay: firstDay + BigInt(incomes.length) - 1n,
    accFloatingIncome: (day) => incomes.slice(0, Number(day - firstDay) + 1).reduce((sum, income) => sum + income, 0n),
  })
  expect(floating).toBeGreaterThan(0n)
  return fixedIncome(terms, claimedAt) + floating
}

function claimed(outcome: { readonly totalIncome: bigint; readonly fee: bigint; readonly partnerId: Hex }) {
  const position = { tokenId: 1n, maturityTimestamp: maturesAt, coupon: 500n, principal: dollars(1_000) }
  return { initiator: ann.address, beneficiary: bob.address, ...position, ...outcome }
}
