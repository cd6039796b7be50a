import { fixedIncome, floatingIncome, partnerFee } from '@tallystick/core'
import type { Subgraph } from '@tallystick/subgraph'
import { databaseEngines } from '@tallystick/workbench/test-database'
import { type Address, encodePacked, type Hash, type Hex, keccak256 } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lendCall, maturesAt, noteAt, transferPosition } from '../calls.ts'
import { balanceOf, type Chain, dollars, noPartner, startChain, startsAt } from '../chain.ts'
import { expectContractState } from './contract-state.ts'
import { indexHistory, type OpenTest, openTest, readHistory } from './index-history.ts'
import { approveAll, type Call, mineBlock } from './mine-block.ts'
import { ask, fetchAllPositions, readEverything } from './queries.ts'

const day = 86_400n
const lentAt = startsAt + 3_600n
const claimedAt = maturesAt + 8n * day
const firstDay = lentAt / day - 1n
const incomes = Array.from({ length: 35 }, (_, index) => 40654777192457711n + BigInt(index) ** 9n)
const unknownPartner: Hex = `0x${'5a'.repeat(32)}`
const stranger: Address = '0x00000000000000000000000000000000000abcde'

let chain: Chain
let ann: Address
let bob: Address
let cat: Address
let owner: Address
let partnerId: Hex
/** Hash of the transaction a step ended in. */
const sent: Record<string, Hash> = {}
let strangerBefore: bigint

beforeAll(async () => {
  chain = await startChain()
  ;[ann, bob, cat, owner] = chain.wallets.map(({ address }) => address) as [Address, Address, Address, Address]
  partnerId = keccak256(encodePacked(['address', 'uint256'], [owner, 0n]))
  await approveAll(chain, startsAt + 600n)
  await lendAll()
  await administer()
  await claimAll()
})
afterAll(() => chain.stop())

/** 1: held. 2: lent for another, with a partner. 3: passed on in its own block. 4: passed on later. 5: not moved. 6, 7: for bob. */
async function lendAll() {
  const create = { from: owner, to: chain.pool, functionName: 'createPartner', args: [stranger, 1_000n] }
  const partner = { partnerId, partnerFeeBPS: 1_000n }
  const lends = [
    await lendOf(ann, {}),
    await lendOf(ann, { beneficiary: bob, principal: dollars(2_500), ...partner }),
    await lendOf(ann, { principal: dollars(3_000), partnerId: unknownPartner }),
  ]
  const passOn = transferPosition(chain, ann, [bob, 3n])
  const hashes = await mineBlock(chain, { at: lentAt, calls: [create, ...lends, passOn] })
  ;[, sent['lend 1'], sent['lend 2'], sent['lend 3']] = hashes as [Hash, Hash, Hash, Hash]
  const more = [
    await lendOf(ann, { principal: dollars(4_000), ...partner }),
    await lendOf(ann, { principal: dollars(5_000) }),
    await lendOf(ann, { beneficiary: bob }),
    await lendOf(ann, { beneficiary: bob }),
  ]
  const last = await mineBlock(chain, { at: lentAt + 1n, calls: more })
  ;[sent['lend 4'], sent['lend 5'], sent['lend 6'], sent['lend 7']] = last as [Hash, Hash, Hash, Hash]
  const moves = [
    transferPosition(chain, ann, [cat, 4n]),
    transferPosition(chain, bob, [bob, 6n]),
    transferPosition(chain, bob, [stranger, 2n]),
  ]
  await mineBlock(chain, { at: lentAt + 5n, calls: moves })
}

async function administer() {
  const admin = (functionName: string, args: readonly unknown[] = []) => ({
    from: chain.admin.address,
    to: chain.pool,
    functionName,
    args,
  })
  const byOwner = (functionName: string, value: unknown) => ({
    ...admin(functionName, [partnerId, value]),
    from: owner,
  })
  await mineBlock(chain, {
    at: lentAt + 10n,
    calls: [
      admin('pause'),
      admin('setMinLendLimit', [dollars(5)]),
      admin('setMaxCouponLimit', [900n]),
      admin('setMinMaturityLimit', [day]),
      admin('setVerifierSigner', [bob]),
      byOwner('setPartnerFee', 2_000n),
      byOwner('setPartnerVault', ann),
      byOwner('transferPartnerOwnership', bob),
    ],
  })
  await mineBlock(chain, { at: lentAt + 20n, calls: [admin('unpause'), admin('updateDailyFloatingIncome', [7n])] })
  // In parts, each of which fits the gas of one transaction; then a few of them again.
  const parts = [0, 12, 24].map((start) => {
    const given = incomes.slice(start, start + 12).map((income) => income + (start === 24 ? 5n : 0n))
    return admin('updatePreviousFloatingIncome', [firstDay + BigInt(start), BigInt(given.length), given])
  })
  await mineBlock(chain, { at: claimedAt - 60n, calls: parts })
  const restated = incomes.slice(24)
  const args = [firstDay + 24n, BigInt(restated.length), restated]
  await mineBlock(chain, { at: claimedAt - 50n, calls: [admin('updatePreviousFloatingIncome', args)] })
}

async function claimAll() {
  strangerBefore = await balanceOf(chain, stranger)
  const claim = (from: Address, [beneficiary, tokenId]: readonly [Address, bigint]): Call => ({
    from,
    to: chain.pool,
    functionName: 'claim',
    args: [beneficiary, tokenId],
  })
  const batch = {
    from: bob,
    to: chain.pool,
    functionName: 'batchClaim',
    args: [
      [bob, ann],
      [6n, 7n],
    ],
  }
  const calls = [claim(cat, [stranger, 4n]), claim(ann, [ann, 5n]), batch]
  const hashes = await mineBlock(chain, { at: claimedAt, calls })
  ;[sent['claim 4'], sent['claim 5'], sent['claim 6']] = hashes as [Hash, Hash, Hash]
}

describe.each(databaseEngines)('%s', (engine) => {
  let opened: OpenTest
  let subgraph: Subgraph
  beforeAll(async () => {
    opened = await openTest(engine)
    const blocks = await readHistory(chain)
    subgraph = await indexHistory(opened.database, { chain, namespace: 'scripted', blocks, sizes: [9, 3, 1, 1] })
  })
  afterAll(() => opened.close())

  test('default: FetchAllPositions gives all twelve fields of what was lent, kept and lent, moved and claimed', async () => {
    // With capitals for a checksum, as wallets write it: addresses are bytes, not text.
    expect(await positionsOf(ann)).toEqual([
      positionOf(5n, { owner: ann, initalOwner: ann, principal: dollars(5_000), status: 'Claimed', later: 1n }),
      positionOf(1n, { owner: ann, initalOwner: ann, principal: dollars(1_000) }),
    ])
    expect(await positionsOf(bob)).toEqual([
      positionOf(7n, { owner: bob, initalOwner: bob, principal: dollars(1_000), status: 'Claimed', later: 1n }),
      positionOf(6n, { owner: bob, initalOwner: bob, principal: dollars(1_000), status: 'Claimed', later: 1n }),
      positionOf(3n, { owner: bob, initalOwner: ann, principal: dollars(3_000), partnerId: unknownPartner }),
    ])
    const partner = { partnerId, partnerFeeBPS: '1000' }
    expect(await positionsOf(cat)).toEqual([
      positionOf(4n, {
        owner: cat,
        initalOwner: ann,
        principal: dollars(4_000),
        status: 'Claimed',
        later: 1n,
        ...partner,
      }),
    ])
    expect(await positionsOf(stranger)).toEqual([
      positionOf(2n, { owner: stranger, initalOwner: bob, principal: dollars(2_500), ...partner }),
    ])
    expect(await positionsOf(owner)).toEqual([])
  })

  test('behavior: a claim says when, in which transaction, to whom and how much, as the pool reckoned it', async () => {
    const { positionInfos } = await readEverything(subgraph)
    const claimed = { claimTimestamp: String(claimedAt), status: 'Claimed' }
    const income = incomeOf(dollars(4_000))
    const fee = feeOf(income)
    expect(positionInfos[3]).toMatchObject({
      ...claimed,
      claimTransactionHash: sent['claim 4'],
      claimBeneficiary: stranger,
      currentOwner: cat.toLowerCase(),
      account: { id: cat.toLowerCase() },
      partner: { id: partnerId },
      totalIncome: String(income),
      fee: String(fee),
    })
    expect((await balanceOf(chain, stranger)) - strangerBefore).toBe(dollars(4_000) + income - fee)
    expect(positionInfos[4]).toMatchObject({ ...claimed, claimTransactionHash: sent['claim 5'], fee: '0' })
    expect(positionInfos[5]).toMatchObject({ ...claimed, claimTransactionHash: sent['claim 6'] })
    expect(positionInfos[6]).toMatchObject({
      claimTransactionHash: sent['claim 6'],
      claimBeneficiary: ann.toLowerCase(),
    })
    const unclaimed = { claimTimestamp: null, claimTransactionHash: null, claimBeneficiary: null }
    expect(positionInfos[0]).toMatchObject({ ...unclaimed, totalIncome: null, fee: null, partner: null })
    expect(positionInfos[2]).toMatchObject({ partnerId: unknownPartner, partner: null })
  })

  test('behavior: earnings are the last holder’s, principal lent the first one’s', async () => {
    const { accounts } = await readEverything(subgraph)
    const accountOf = (address: Address) => accounts.find(({ id }) => id === address.toLowerCase())
    const none = { totalPrincipal: '0', totalIncome: '0', totalFees: '0' }
    const income = incomeOf(dollars(4_000))
    expect(accountOf(ann)).toMatchObject({
      activePositions: 1,
      activePrincipal: String(dollars(1_000)),
      totalPrincipal: String(dollars(13_000)),
      totalIncome: String(incomeOf(dollars(5_000))),
      totalFees: '0',
      positions: [{ id: '1' }, { id: '5' }],
    })
    expect(accountOf(cat)).toMatchObject({
      ...none,
      activePositions: 0,
      activePrincipal: '0',
      totalIncome: String(income),
      totalFees: String(feeOf(income)),
    })
    expect(accountOf(stranger)).toMatchObject({ ...none, activePositions: 1, activePrincipal: String(dollars(2_500)) })
    // Who only made a partner or only was paid has no account.
    expect(accounts.map(({ id }) => id).toSorted()).toEqual(
      [stranger, ann, bob, cat].map((a) => a.toLowerCase()).toSorted(),
    )
  })

  test('behavior: every entity says what the contracts say', async () => {
    const entities = await readEverything(subgraph)
    await expectContractState(chain, entities)
    expect(entities.pools[0]).toMatchObject({ paused: false, signer: bob.toLowerCase(), maxCouponLimit: '900' })
    const fee = feeOf(incomeOf(dollars(4_000)))
    expect(entities.partners).toEqual([
      {
        id: partnerId,
        owner: bob.toLowerCase(),
        vault: ann.toLowerCase(),
        feeBPS: '2000',
        activePrincipal: String(dollars(2_500)),
        totalFees: String(fee),
        positions: [{ id: '2' }, { id: '4' }],
      },
    ])
    const updatedAt = entities.floatingIncomes.map((income) => Number(claimedAt) - Number(income.updatedAt))
    expect(updatedAt).toEqual(incomes.map((_, index) => (index < 24 ? 60 : 50)))
    expect(entities.protocolDays).toMatchObject([
      { day: Number(lentAt / day), positionsOpened: 7, positionsClosed: 0, claimed: '0', income: '0' },
      {
        day: Number(claimedAt / day),
        positionsOpened: 0,
        positionsClosed: 4,
        lent: '0',
        claimed: String(dollars(11_000)),
      },
    ])
  })

  test('behavior: at their blocks the pool was paused, and a day had the income it was first given', async () => {
    const pausedAt = subgraph.head!.number - 4
    expect((await readEverything(subgraph, pausedAt)).pools[0]).toMatchObject({
      paused: true,
      lastFloatingIncomeDay: null,
    })
    const { pools, floatingIncomes } = await readEverything(subgraph, pausedAt + 1)
    expect(pools[0]).toMatchObject({ paused: false, lastFloatingIncomeDay: Number(firstDay) })
    const stated = { floatingIncome: '7', accFloatingIncome: '7', updatedAt: String(lentAt + 20n) }
    expect(floatingIncomes).toEqual([{ id: String(firstDay), day: Number(firstDay), ...stated }])
  })

  async function positionsOf(walletAddress: Address): Promise<unknown> {
    const data = await ask(subgraph, { query: fetchAllPositions, variables: { walletAddress } })
    return (data as { positionInfos: unknown }).positionInfos
  }
})

async function lendOf(lender: Address, params: NonNullable<Parameters<typeof lendCall>[1]['params']>) {
  const { at: _, ...call } = await lendCall(chain, { lender, at: lentAt, note: noteAt(lentAt), params })
  return call
}

type Expected = {
  readonly owner: Address
  readonly initalOwner: Address
  readonly principal: bigint
  readonly status?: string
  readonly partnerId?: Hex
  readonly partnerFeeBPS?: string
  /** Seconds after the first lends. */
  readonly later?: bigint
}

function positionOf(tokenId: bigint, expected: Expected) {
  const { owner: holder, initalOwner, principal, later = 0n } = expected
  return {
    tokenId: String(tokenId),
    owner: holder.toLowerCase(),
    initalOwner: initalOwner.toLowerCase(),
    initiator: ann.toLowerCase(),
    coupon: '500',
    principal: String(principal),
    lendTimestamp: String(lentAt + later),
    maturityTimestamp: String(maturesAt),
    partnerFeeBPS: expected.partnerFeeBPS ?? '0',
    partnerId: expected.partnerId ?? noPartner,
    status: expected.status ?? 'Active',
    lendTransactionHash: sent[`lend ${tokenId}`],
  }
}

/** Of a position of the second block of lends. */
function incomeOf(principal: bigint): bigint {
  const terms = { principal, coupon: 500n, lendTimestamp: lentAt + 1n, maturityTimestamp: maturesAt }
  const floating = floatingIncome(terms, {
    instantSeconds: claimedAt,
    lastUpdatedDay: firstDay + BigInt(incomes.length) - 1n,
    accFloatingIncome: (of) => incomes.slice(0, Number(of - firstDay) + 1).reduce((sum, income) => sum + income, 0n),
  })
  return fixedIncome(terms, claimedAt) + floating
}

function feeOf(totalIncome: bigint): bigint {
  return partnerFee({ totalIncome, partnerFeeBps: 1_000n })
}
