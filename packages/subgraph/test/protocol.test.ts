// @module-tag postgres

import { eventTopics } from '@tallystick/contracts/event-topics'
import { databaseEngines } from '@tallystick/workbench/test-database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createProtocolMapping, type Log, openSubgraph, protocolSchema } from '../src/index.ts'
import { type OpenTest, openTest } from './open-fixture.ts'
import {
  ann,
  blockOf,
  bob,
  claim,
  dailyIncome,
  lend,
  log,
  pad,
  partnerCreated,
  partnerId,
  pool,
  positions,
  previousIncomes,
  run,
  today,
  transfer,
  vault,
} from './protocol-logs.ts'

const uintMax = 2n ** 256n - 1n

describe.each(databaseEngines)('%s', (engine) => {
  let opened: OpenTest
  beforeAll(async () => {
    opened = await openTest(engine)
  })
  afterAll(() => opened.close())

  test('behavior: sums above 256 bits are exact when stored, loaded, added and queried', async () => {
    const subgraph = await openSubgraph({ database: opened.database, schema: protocolSchema, namespace: 'protocol' })
    const mapping = createProtocolMapping({ pool, positions })
    const terms = { maturity: 2n ** 128n - 1n, coupon: uintMax, principal: uintMax, feeBPS: uintMax, partnerId }
    const first = uintMax - 1n
    const history = [
      blockOf(1, [partnerCreated(uintMax), ...lend(ann, { ...terms, tokenId: first })]),
      blockOf(2, lend(ann, { ...terms, tokenId: uintMax })),
      blockOf(3, [transfer(ann, { to: bob, tokenId: uintMax })]),
      blockOf(4, claim(ann, { tokenId: first, totalIncome: uintMax, fee: uintMax })),
      blockOf(5, claim(bob, { tokenId: uintMax, totalIncome: uintMax, fee: uintMax })),
    ]
    for (const block of history) await subgraph.commitMany(await mapping.map([block], subgraph.load, run))
    const query = `{
      before: pools(block: { number: 3 }) { activePrincipal }
      pools { id activePositions activePrincipal totalPrincipal totalIncome totalFees }
      accounts { id activePositions activePrincipal totalPrincipal totalIncome }
      partners { id feeBPS activePrincipal totalFees }
      positionInfos(where: { partner_: { feeBPS: "${uintMax}" } }, orderBy: tokenId) { tokenId coupon fee }
    }`
    const [once, twice] = [String(uintMax), String(2n * uintMax)]
    const closed = { activePositions: 0, activePrincipal: '0' }
    expect(await subgraph.execute({ query })).toEqual({
      data: {
        before: [{ activePrincipal: twice }],
        pools: [{ id: pool, ...closed, totalPrincipal: twice, totalIncome: twice, totalFees: twice }],
        accounts: [
          { id: ann, ...closed, totalPrincipal: twice, totalIncome: once },
          { id: bob, ...closed, totalPrincipal: '0', totalIncome: once },
        ],
        partners: [{ id: partnerId, feeBPS: once, activePrincipal: '0', totalFees: twice }],
        positionInfos: [
          { tokenId: String(first), coupon: once, fee: once },
          { tokenId: once, coupon: once, fee: once },
        ],
      },
    })
  })

  test('behavior: after a reorg the day after a restatement has the income of the other chain', async () => {
    const subgraph = await openSubgraph({ database: opened.database, schema: protocolSchema, namespace: 'restated' })
    const mapping = createProtocolMapping({ pool, positions })
    const index = async (number: number, logs: readonly Log[]) =>
      subgraph.commitMany(await mapping.map([blockOf(number, logs)], subgraph.load, run))
    const incomesAt = async (block: number) => {
      const query = `{ floatingIncomes(orderBy: day, block: { number: ${block} }) { floatingIncome accFloatingIncome } }`
      const { data } = (await subgraph.execute({ query })) as { data: { floatingIncomes: Record<string, string>[] } }
      return data.floatingIncomes.map(({ floatingIncome, accFloatingIncome }) => [floatingIncome, accFloatingIncome])
    }
    await index(
      1,
      [10n, 20n, 30n].map((sum, day) => dailyIncome(today - 3 + day, [10n, sum])),
    )
    await index(2, [previousIncomes(today - 3, [[4n, 4n]])])
    const restated = [
      ['4', '4'],
      ['16', '20'],
      ['10', '30'],
    ]
    expect(await incomesAt(2)).toEqual(restated)
    await subgraph.revert(1)
    expect((await incomesAt(1)).map(([income]) => income)).toEqual(['10', '10', '10'])
    await index(2, [previousIncomes(today - 2, [[12n, 22n]])])
    expect((await incomesAt(2)).map(([income]) => income)).toEqual(['10', '12', '8'])
  })

  test('behavior: the denylisters of an account are stored, and loaded for the next block', async () => {
    const subgraph = await openSubgraph({ database: opened.database, schema: protocolSchema, namespace: 'denylist' })
    const denylisters = { positions: vault, dollar: bob }
    const mapping = createProtocolMapping({ pool, positions, denylisters })
    const listing = (by: string, topic: string) => log(by, { topics: [topic, pad(ann)], words: [] })
    const { AddedToDenylist, RemovedFromDenylist } = eventTopics
    const listings = [
      listing(vault, AddedToDenylist),
      listing(bob, AddedToDenylist),
      listing(vault, RemovedFromDenylist),
    ]
    for (const [index, one] of listings.entries()) {
      await subgraph.commitMany(await mapping.map([blockOf(index + 1, [one])], subgraph.load, run))
    }
    const query = `{
      accounts(where: { denylisted: true }) { denylistedBy }
      both: accounts(where: { denylistedBy_contains: ["${vault}"] }, block: { number: 2 }) { denylistedBy }
    }`
    expect(await subgraph.execute({ query })).toEqual({
      data: { accounts: [{ denylistedBy: [bob] }], both: [{ denylistedBy: [bob, vault] }] },
    })
  })
})
