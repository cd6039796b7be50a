import { poolAbi } from '@tallystick/contracts'
import { encodePacked, type Hex, keccak256, toHex, zeroAddress, zeroHash } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { beforeAll, describe, expect, test } from 'vitest'
import { minterRole, mintLimit } from '../src/protocol/deploy-protocol.ts'
import { approvePosition, claimCall, lendCall, lentAt, noteAt, transferPosition } from './calls.ts'
import {
  type Chain,
  deployDenylister,
  dollars,
  findRefusal,
  mine,
  noteSigner,
  readEvents,
  revertBeforeEach,
  send,
  signNote,
  startApprovedChain,
  startsAt,
} from './chain.ts'

const day = 86_400n
const today = startsAt / day

let chain: Chain
let ann: PrivateKeyAccount
let bob: PrivateKeyAccount
beforeAll(async () => {
  ;({ chain, ann, bob } = await startApprovedChain())
  return chain.stop
})
revertBeforeEach(() => chain)

test('behavior: a pause stops lending and claiming until it is lifted', async () => {
  await send(chain, await lendCall(chain, { lender: ann.address }))
  await send(chain, approvePosition(chain, ann.address, 1n))
  const paused = await send(chain, { ...byAdmin(), functionName: 'pause' })
  expect(readEvents(chain, paused)).toEqual([['pool', 'Paused', { account: chain.admin.address }]])
  const again = await lendCall(chain, { lender: ann.address, at: lentAt + 600n })
  const claim = claimCall(chain, ann.address, 1n)
  expect(await findRefusal(chain, again)).toEqual(['EnforcedPause'])
  expect(await findRefusal(chain, claim)).toEqual(['EnforcedPause'])
  expect((await mine(chain, again)).status).toBe('reverted')
  const unpaused = await send(chain, { ...byAdmin(), functionName: 'unpause' })
  expect(readEvents(chain, unpaused)).toEqual([['pool', 'Unpaused', { account: chain.admin.address }]])
  expect(await findRefusal(chain, claim)).toBeUndefined()
})

describe('limits', () => {
  test('default: the deployment states its limits in events, but not its signer', async () => {
    const events = await chain.client.getContractEvents({ address: chain.pool, abi: poolAbi, fromBlock: 0n })
    const stated = events.map(({ eventName, args }) => [eventName, Object.values(args)[0]])
    expect(stated.filter(([name]) => name !== 'RoleGranted')).toEqual([
      ['MinLendLimitUpdated', dollars(1_000)],
      ['MaxCouponLimitUpdated', 1_000n],
      ['MinMaturityLimitUpdated', 172_800n],
    ])
  })

  test.each([
    ['setMinLendLimit', 'MinLendLimitUpdated', 'minLendLimit', dollars(5_000)],
    ['setMaxCouponLimit', 'MaxCouponLimitUpdated', 'maxCouponLimit', 499n],
    ['setMinMaturityLimit', 'MinMaturityLimitUpdated', 'minMaturityLimit', 31n * day],
  ] as const)('behavior: %s is stated and enforced', async (functionName, event, reader, limit) => {
    const call = await lendCall(chain, { lender: ann.address })
    expect(await findRefusal(chain, call)).toBeUndefined()
    const receipt = await send(chain, { ...byAdmin(), functionName, args: [limit] })
    expect(readEvents(chain, receipt)).toEqual([['pool', event, { [reader]: limit }]])
    expect((await findRefusal(chain, call))?.[0]).toMatch(/^ReserveStabilityPool__In/)
  })

  test.each([
    ['setMinLendLimit', [1n], zeroHash],
    ['setMaxCouponLimit', [1n], zeroHash],
    ['setMinMaturityLimit', [1n], zeroHash],
    ['setVerifierSigner', ['0x000000000000000000000000000000000000dEaD'], zeroHash],
    ['pause', [], keccak256(toHex('PAUSER_ROLE'))],
    ['unpause', [], keccak256(toHex('PAUSER_ROLE'))],
    ['updateDailyFloatingIncome', [1n], keccak256(toHex('FLOATING_INCOME_ROLE'))],
    ['updatePreviousFloatingIncome', [1n, 1n, [1n]], keccak256(toHex('FLOATING_INCOME_ROLE'))],
  ])('error: %s is refused without its role', async (functionName, args, role) => {
    const refusal = ['AccessControlUnauthorizedAccount', ann.address, role]
    expect(await findRefusal(chain, { ...byAdmin(), from: ann.address, functionName, args })).toEqual(refusal)
  })
})

describe('floating income', () => {
  test('behavior: a day is set once, after the day before it', async () => {
    const first = await send(chain, { ...daily(7n), at: (today + 2n) * day })
    const stated = { updatedDay: today + 1n, floatingIncome: 7n, accFloatingIncome: 7n }
    expect(readEvents(chain, first)).toEqual([['pool', 'UpdateDailyFloatingIncome', stated]])
    expect(await read('isFloatingIncomeSynced')).toBe(true)
    const lastSecond = { ...daily(8n), at: (today + 3n) * day - 1n }
    expect(await findRefusal(chain, lastSecond)).toEqual(['ReserveStabilityPool__DailyFloatingIncomeAlreadyUpdated'])
    const tooLate = { ...daily(8n), at: (today + 4n) * day }
    expect(await findRefusal(chain, tooLate)).toEqual(['ReserveStabilityPool__PreviousDayNotUpdated'])
    const next = await send(chain, { ...daily(8n), at: (today + 3n) * day })
    expect(readEvents(chain, next)[0]?.[2]).toEqual({
      updatedDay: today + 2n,
      floatingIncome: 8n,
      accFloatingIncome: 15n,
    })
    expect(await read('lastFloatingIncomeUpdateDay')).toBe(today + 2n)
  })

  test('behavior: days are filled in and restated; later sums stay as they are', async () => {
    const at = (today + 10n) * day
    const filled = await send(chain, { ...previous(today + 1n, [1n, 20n, 3n, 4n]), at })
    expect(readEvents(chain, filled)).toEqual([
      [
        'pool',
        'UpdatePreviousFloatingIncome',
        { firstDay: today + 1n, floatingIncomes: [1n, 20n, 3n, 4n], accFloatingIncomes: [1n, 21n, 24n, 28n] },
      ],
    ])
    expect(await read('isFloatingIncomeSynced')).toBe(false)
    const restated = await send(chain, previous(today + 2n, [2n]))
    expect(readEvents(chain, restated)[0]?.[2]).toEqual({
      firstDay: today + 2n,
      floatingIncomes: [2n],
      accFloatingIncomes: [3n],
    })
    const sums = [0n, 1n, 2n, 3n, 4n, 5n].map((offset) =>
      chain.client.readContract({ ...pool(), functionName: 'accFloatingIncome', args: [today + offset] }),
    )
    // The day after the restated one has 21 instead of 3.
    expect(await Promise.all(sums)).toEqual([0n, 1n, 3n, 24n, 28n, 0n])
    await send(chain, previous(today + 4n, [5n, 6n, 7n, 8n, 9n, 10n]))
    expect(await read('isFloatingIncomeSynced')).toBe(true)
  })

  test('error: refuses days that are not over, leave a gap, exceed the next sum, or do not fit their number', async () => {
    const at = (today + 5n) * day
    await send(chain, { ...previous(today + 1n, [1n, 1n]), at })
    const notOver = ['ReserveStabilityPool__UpdateDayIsNotValid', today + 5n]
    expect(await findRefusal(chain, previous(today + 4n, [1n, 2n]))).toEqual(notOver)
    const notSynced = ['ReserveStabilityPool__FloatingIncomeNotSynced']
    expect(await findRefusal(chain, previous(today + 4n, [1n]))).toEqual(notSynced)
    expect(await findRefusal(chain, previous(today + 1n, [3n]))).toEqual(notSynced)
    expect(await findRefusal(chain, previous(today + 1n, [2n]))).toBeUndefined()
    const uneven = { ...previous(today + 2n, [1n]), args: [today + 2n, 2n, [1n]] }
    expect(await findRefusal(chain, uneven)).toEqual(['ReserveStabilityPool__ArrayLengthMismatch'])
    expect(await findRefusal(chain, previous(today + 2n, []))).toEqual(['ReserveStabilityPool__InvalidInputParameter'])
  })
})

describe('denylist', () => {
  const change = (functionName: string, account: Hex) =>
    send(chain, { from: chain.admin.address, to: chain.denylister, functionName, args: [account] })

  test('behavior: a listed account can neither lend nor receive, but can claim to another what it approved before', async () => {
    await send(chain, await lendCall(chain, { lender: ann.address }))
    await send(chain, approvePosition(chain, ann.address, 1n))
    const added = await change('addToDenylist', ann.address)
    expect(added.logs).toHaveLength(1)
    const lend = await lendCall(chain, { lender: ann.address, at: lentAt + 600n })
    expect(await findRefusal(chain, lend)).toEqual(['ParabolUSD__Denylisted', ann.address])
    const claim = claimCall(chain, ann.address, 1n)
    const refused = ['NonFungibleNotePosition__Denylisted', ann.address]
    expect(await findRefusal(chain, claim)).toEqual(['ParabolUSD__Denylisted', ann.address])
    expect(await findRefusal(chain, { ...claim, args: [bob.address, 1n] })).toBeUndefined()
    expect(await findRefusal(chain, approvePosition(chain, ann.address, 1n))).toEqual(refused)
    expect(await findRefusal(chain, transferPosition(chain, ann.address, [bob.address, 1n]))).toEqual(refused)
    const approve = { to: chain.token, functionName: 'approve', args: [chain.pool, dollars(1_000)] }
    await send(chain, { ...approve, from: bob.address })
    const forAnn = await lendCall(chain, {
      lender: bob.address,
      at: lentAt + 600n,
      params: { beneficiary: ann.address },
    })
    expect(await findRefusal(chain, forAnn)).toEqual(refused)
    await change('removeFromDenylist', ann.address)
    expect(await findRefusal(chain, claim)).toBeUndefined()
  })

  test('behavior: the denylister of a token can be exchanged', async () => {
    await change('addToDenylist', ann.address)
    const other = await deployDenylister(chain)
    for (const to of [chain.positions, chain.token]) {
      await send(chain, { from: chain.admin.address, to, functionName: 'updateDenylister', args: [other] })
    }
    expect(await findRefusal(chain, await lendCall(chain, { lender: ann.address }))).toBeUndefined()
  })
})

describe('roles of the pool', () => {
  const mint = { to: () => chain.token, functionName: 'revokeRole', args: () => [minterRole, chain.pool] }
  const burn = { to: () => chain.positions, functionName: 'setReserveStabilityPool', args: () => [ann.address] }

  test.each([
    ['minting dollars', mint],
    ['burning positions', burn],
  ])('error: a pool that lost the right of %s rejects claims', async (_, { to, functionName, args }) => {
    await send(chain, await lendCall(chain, { lender: ann.address }))
    await send(chain, approvePosition(chain, ann.address, 1n))
    await send(chain, { from: chain.admin.address, to: to(), functionName, args: args() })
    const refusal = await findRefusal(chain, claimCall(chain, ann.address, 1n))
    expect(refusal?.slice(0, 2)).toEqual(['AccessControlUnauthorizedAccount', chain.pool])
  })
})

describe('tokens', () => {
  test.each([
    ['position token', 'positions'],
    ['dollar', 'token'],
  ] as const)('behavior: a pause of the %s stops lending and claiming', async (_, contract) => {
    await send(chain, await lendCall(chain, { lender: ann.address }))
    await send(chain, approvePosition(chain, ann.address, 1n))
    await send(chain, { from: chain.admin.address, to: chain[contract], functionName: 'pause' })
    expect(await read('paused')).toBe(false)
    const lend = await lendCall(chain, { lender: ann.address, at: lentAt + 600n })
    expect(await findRefusal(chain, lend)).toEqual(['EnforcedPause'])
    expect(await findRefusal(chain, claimCall(chain, ann.address, 1n))).toEqual(['EnforcedPause'])
  })

  test('behavior: a paused pool hides its incomes, but still names its signer', async () => {
    await send(chain, await lendCall(chain, { lender: ann.address }))
    await send(chain, { ...byAdmin(), functionName: 'pause' })
    for (const functionName of ['calculateFixedIncome', 'calculateFloatingIncome', 'isMaturityPassed']) {
      expect(await findRefusal(chain, { ...byAdmin(), functionName, args: [1n] })).toEqual(['EnforcedPause'])
    }
    const probe = noteAt(lentAt)
    const args = [probe, await signNote(chain, probe, ann)]
    const refusal = await findRefusal(chain, { ...byAdmin(), functionName: 'validatePriceFeed', args, at: lentAt })
    expect(refusal).toEqual(['FeedSignatureVerifier__InvalidSigner', ann.address, noteSigner.address])
  })

  test('error: one mint has a limit, which a claim with a larger income meets', async () => {
    const mint = { from: chain.admin.address, to: chain.token, functionName: 'mint' }
    expect(await findRefusal(chain, { ...mint, args: [ann.address, mintLimit] })).toBeUndefined()
    for (const amount of [0n, mintLimit + 1n]) {
      expect(await findRefusal(chain, { ...mint, args: [ann.address, amount] })).toEqual(['ParabolUSD__InvalidAmount'])
    }
  })
})

describe('partners', () => {
  test('behavior: anyone becomes a partner, under an id of owner and count', async () => {
    for (const nonce of [0n, 1n]) {
      const receipt = await send(chain, { ...byAnn('createPartner'), args: [bob.address, 250n] })
      const created = { partnerOwner: ann.address, partnerVault: bob.address, partnerFeeBPS: 250n }
      expect(readEvents(chain, receipt)).toEqual([['pool', 'PartnerCreated', { partnerId: idOf(nonce), ...created }]])
    }
  })

  test('behavior: its owner changes fee, vault and owner; a lender who agreed to the old fee is refused', async () => {
    await send(chain, { ...byAnn('createPartner'), args: [ann.address, 250n] })
    const partnerId = idOf(0n)
    const params = { partnerId, partnerFeeBPS: 250n }
    const lend = await lendCall(chain, { lender: ann.address, params })
    expect(await findRefusal(chain, lend)).toBeUndefined()
    const changes = [
      await send(chain, { ...byAnn('setPartnerFee'), args: [partnerId, 300n] }),
      await send(chain, { ...byAnn('setPartnerVault'), args: [partnerId, bob.address] }),
      await send(chain, { ...byAnn('transferPartnerOwnership'), args: [partnerId, bob.address] }),
    ]
    expect(changes.flatMap((receipt) => readEvents(chain, receipt))).toEqual([
      ['pool', 'PartnerFeeChanged', { partnerId, newFeeBPS: 300n }],
      ['pool', 'PartnerVaultChanged', { partnerId, newVault: bob.address }],
      ['pool', 'PartnerOwnershipTransferred', { partnerId, newOwner: bob.address }],
    ])
    expect(await findRefusal(chain, lend)).toEqual(['ReserveStabilityPool__PartnerFeeChanged'])
    const noLonger = { ...byAnn('setPartnerFee'), args: [partnerId, 0n] }
    expect(await findRefusal(chain, noLonger)).toEqual(['PartnerFeeManager__NotPartnerOwner'])
  })

  test('error: refuses a fee above the whole and the zero address', async () => {
    const create = byAnn('createPartner')
    const tooHigh = { ...create, args: [ann.address, 10_001n] }
    expect(await findRefusal(chain, tooHigh)).toEqual(['PartnerFeeManager__InvalidFee'])
    const noVault = { ...create, args: [zeroAddress, 1n] }
    expect(await findRefusal(chain, noVault)).toEqual(['PartnerFeeManager__ZeroAddress'])
  })

  test('error: refuses a change to the same value, and a loan on an unknown partner', async () => {
    await send(chain, { ...byAnn('createPartner'), args: [ann.address, 250n] })
    const partnerId = idOf(0n)
    const changes = [
      ['setPartnerFee', 250n, 'SameFee'],
      ['setPartnerVault', ann.address, 'SameVaultAddress'],
      ['transferPartnerOwnership', ann.address, 'SameOwner'],
    ] as const
    for (const [functionName, value, error] of changes) {
      const call = { ...byAnn(functionName), args: [partnerId, value] }
      expect(await findRefusal(chain, call)).toEqual([`PartnerFeeManager__${error}`])
    }
    const unknown = await lendCall(chain, { lender: ann.address, params: { partnerId: idOf(9n) } })
    expect(await findRefusal(chain, unknown)).toEqual(['PartnerFeeManager__PartnerIdNotExists', idOf(9n)])
  })
})

function pool() {
  return { address: chain.pool, abi: poolAbi } as const
}

function read(functionName: Reader): Promise<bigint | boolean> {
  return chain.client.readContract({ ...pool(), functionName })
}
type Reader = 'paused' | 'isFloatingIncomeSynced' | 'lastFloatingIncomeUpdateDay'

function byAdmin() {
  return { from: chain.admin.address, to: chain.pool }
}

function byAnn(functionName: string) {
  return { from: ann.address, to: chain.pool, functionName }
}

function daily(income: bigint) {
  return { ...byAdmin(), functionName: 'updateDailyFloatingIncome', args: [income] }
}

function previous(firstDay: bigint, incomes: readonly bigint[]) {
  const args = [firstDay, BigInt(incomes.length), incomes]
  return { ...byAdmin(), functionName: 'updatePreviousFloatingIncome', args }
}

function idOf(nonce: bigint): Hex {
  return keccak256(encodePacked(['address', 'uint256'], [ann.address, nonce]))
}
