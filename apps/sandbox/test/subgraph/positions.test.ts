// @module-tag slow

import { fixedIncome, floatingIncome, partnerFee } from '@tallystick/core'
import type { Subgraph } from '@tallystick/subgraph'
import { databaseEngines } from '@tallystick/workbench/test-database'
import type { Address, Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compareHistory, compareMappings } from '../../../../packages/graph/test/compare-mappings.ts'
import { createDeployer } from '../../../../packages/graph/test/load-subgraph.ts'
import { maturesAt } from '../calls.ts'
import { balanceOf, type Chain, dollars, noPartner, noteSigner, startChain } from '../chain.ts'
import { expectContractState } from './contract-state.ts'
import { indexHistory, type OpenTest, openTest, readHistory } from './index-history.ts'
import { ask, fetchAllPositions, readEverything } from './queries.ts'
import {
  claimedAt,
  day,
  firstDay,
  incomes,
  lentAt,
  listed,
  liveScript,
  type Script,
  stranger,
} from './scripted-history.ts'

let chain: Chain
let script: Script
beforeAll(async () => {
  chain = await startChain()
  script = await liveScript(chain)
})
afterAll(() => chain.stop())

test('behavior: the mapping for The Graph has the same entities after every block', async () => {
  const [pool, positions, denylister, signer] = [chain.pool, chain.positions, chain.denylister, noteSigner.address].map(
    (address) => address.toLowerCase(),
  ) as [string, string, string, string]
  const denylisters = { positions: denylister, dollar: denylister }
  const description = { chainId: chain.id, network: 'devnet', startBlock: 0, pool, positions, denylisters, signer }
  const comparison = compareMappings(createDeployer()(description))
  const outcomes = await compareHistory(comparison, await readHistory(chain))
  const changed = new Set(outcomes.flatMap(({ changes }) => changes.map(({ entity }) => entity)))
  expect(outcomes.filter(({ refused }) => refused)).toEqual([])
  expect([...changed].sort()).toEqual(['Account', 'FloatingIncome', 'Partner', 'Pool', 'PositionInfo', 'ProtocolDay'])
})

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
    const { ann, bob, cat, owner, partnerId } = script
    // With capitals for a checksum, as wallets write it: addresses are bytes, not text.
    expect(await positionsOf(ann)).toEqual([
      positionOf(5n, { owner: ann, initalOwner: ann, principal: dollars(5_000), status: 'Claimed', later: 1n }),
      positionOf(1n, { owner: ann, initalOwner: ann, principal: dollars(1_000) }),
    ])
    expect(await positionsOf(bob)).toEqual([
      positionOf(7n, { owner: bob, initalOwner: bob, principal: dollars(1_000), status: 'Claimed', later: 1n }),
      positionOf(6n, { owner: bob, initalOwner: bob, principal: dollars(1_000), status: 'Claimed', later: 1n }),
      positionOf(3n, { owner: bob, initalOwner: ann, principal: dollars(3_000) }),
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

  test('behavior: a claim has its time, transaction, recipient and amount as the pool computed them', async () => {
    const { ann, cat, partnerId, sent } = script
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
    expect(await balanceOf(chain, stranger)).toBe(dollars(4_000) + income - fee)
    expect(positionInfos[4]).toMatchObject({ ...claimed, claimTransactionHash: sent['claim 5'], fee: '0' })
    expect(positionInfos[5]).toMatchObject({ ...claimed, claimTransactionHash: sent['claim 6'] })
    expect(positionInfos[6]).toMatchObject({
      claimTransactionHash: sent['claim 6'],
      claimBeneficiary: ann.toLowerCase(),
    })
    const unclaimed = { claimTimestamp: null, claimTransactionHash: null, claimBeneficiary: null }
    expect(positionInfos[0]).toMatchObject({ ...unclaimed, totalIncome: null, fee: null, partner: null })
    expect(positionInfos[2]).toMatchObject({ partnerId: noPartner, partner: null })
  })

  test('behavior: earnings are the last holder’s, principal lent the first one’s', async () => {
    const { ann, bob, cat } = script
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
    // Who only made a partner or only was paid has no account; who is on the denylist has.
    expect(accounts.map(({ id }) => id).toSorted()).toEqual(
      [stranger, listed, ann, bob, cat].map((a) => a.toLowerCase()).toSorted(),
    )
    expect(accountOf(listed)).toMatchObject({ ...none, activePositions: 0, denylisted: true, positions: [] })
  })

  test('behavior: every entity says what the contracts say', async () => {
    const { ann, bob, partnerId } = script
    const entities = await readEverything(subgraph)
    await expectContractState(chain, entities)
    const denylister = chain.denylister.toLowerCase()
    expect(entities.pools[0]).toMatchObject({
      ...{ paused: false, signer: bob.toLowerCase(), maxCouponLimit: '900' },
      ...{ denylister, dollarDenylister: denylister },
    })
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

  test('behavior: at their blocks the pool was paused, a wallet listed, and a day had the income it was first given', async () => {
    const pausedAt = subgraph.head!.number - 4
    // Not emitted at the deployment: read from the chain for the block in which the pool was deployed.
    const { pools: before } = await readEverything(subgraph, pausedAt - 1)
    expect(before[0]).toMatchObject({ paused: false, signer: noteSigner.address.toLowerCase() })
    const then = await readEverything(subgraph, pausedAt)
    expect(then.pools[0]).toMatchObject({ paused: true, positionTokenPaused: true, lastFloatingIncomeDay: null })
    const isListed = (id: string) => ({ id, denylisted: true, denylistedBy: [chain.denylister.toLowerCase()] })
    expect(then.accounts.filter(({ denylisted }) => denylisted)).toMatchObject(
      [listed, script.bob].map((id) => isListed(id.toLowerCase())).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    )
    const { pools, floatingIncomes } = await readEverything(subgraph, pausedAt + 1)
    expect(pools[0]).toMatchObject({
      ...{ paused: false, positionTokenPaused: false },
      lastFloatingIncomeDay: Number(firstDay),
    })
    const stated = { floatingIncome: '7', accFloatingIncome: '7', updatedAt: String(lentAt + 20n) }
    expect(floatingIncomes).toEqual([{ id: String(firstDay), day: Number(firstDay), ...stated }])
  })

  async function positionsOf(walletAddress: Address): Promise<unknown> {
    const data = await ask(subgraph, { query: fetchAllPositions, variables: { walletAddress } })
    return (data as { positionInfos: unknown }).positionInfos
  }
})

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
    initiator: script.ann.toLowerCase(),
    coupon: '500',
    principal: String(principal),
    lendTimestamp: String(lentAt + later),
    maturityTimestamp: String(maturesAt),
    partnerFeeBPS: expected.partnerFeeBPS ?? '0',
    partnerId: expected.partnerId ?? noPartner,
    status: expected.status ?? 'Active',
    lendTransactionHash: script.sent[`lend ${tokenId}`],
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
