import { type Database, openDatabase } from '@tallystick/database'
import { createTestDatabase, type DatabaseEngine } from '@tallystick/workbench/test-database'
import { waitOptions } from '@tallystick/workbench/wait-options'
import { inject } from 'vitest'
import { type BlockChanges, openSubgraph, type Subgraph } from '../src/index.ts'
import fixture from '../vectors/dialect-fixture.json' with { type: 'json' }

export const fixtureSchema = `
type PositionInfo @entity {
  id: ID!
  tokenId: BigInt!
  currentOwner: Bytes!
  initalOwner: Bytes!
  initiator: Bytes!
  coupon: BigInt!
  principal: BigInt!
  lendTimestamp: BigInt!
  maturityTimestamp: BigInt!
  partnerFeeBPS: BigInt!
  partnerId: Bytes!
  status: String!
  lendTransactionHash: Bytes!
}
type FloatingIncome @entity {
  id: ID!
  day: Int!
  floatingIncome: BigInt!
  accFloatingIncome: BigInt!
}`

/** History of the fixture, block by block. */
export const fixtureBlocks: readonly BlockChanges[] = fixture.meta.blocks.map((block) => ({
  block,
  changes: fixture.changes
    .filter((change) => change.block === block.number)
    .map(({ type, id, entity }) =>
      entity ? { entity: type, id: entity.id, set: entity } : { entity: type, id: id ?? '', set: null },
    ),
}))

export type OpenTest = { readonly url: string; readonly database: Database; readonly close: () => Promise<void> }

export async function openTest(engine: DatabaseEngine): Promise<OpenTest> {
  const { url, remove } = await createTestDatabase(engine, inject('databases'))
  const database = await openDatabase(url)
  return {
    url,
    database,
    close: async () => {
      await database.close()
      await remove()
    },
  }
}

export async function openFixture(database: Database, namespace = 'fixture'): Promise<Subgraph> {
  const { deployment } = fixture.meta
  const subgraph = await openSubgraph({
    database,
    schema: fixtureSchema,
    namespace,
    deployment,
    queryTimeoutMs: waitOptions.timeout,
  })
  for (const { block, changes } of fixtureBlocks) await subgraph.commit(block, changes)
  return subgraph
}
