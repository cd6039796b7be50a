import { databaseEngines } from '@tallystick/workbench/test-database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createProtocolMapping, openSubgraph, protocolSchema } from '../src/index.ts'
import { type OpenTest, openTest } from './open-fixture.ts'
import {
  ann,
  blockOf,
  bob,
  claim,
  lend,
  partnerCreated,
  partnerId,
  pool,
  positions,
  transfer,
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
    for (const block of history) await subgraph.commitMany(await mapping.map([block], subgraph.load))
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
})
