// @module-tag postgres

import type { DatabaseEngine } from '@tallystick/workbench/test-database'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BlockChanges, type EntityChange, openSubgraph, type Subgraph } from '../src/index.ts'
import { type OpenTest, openTest } from './open-fixture.ts'
import { blockAt } from './open-gallery.ts'
import { readTables } from './read-tables.ts'

const schema = `
type Owner @entity { id: ID! name: String! things: [Thing!]! @derivedFrom(field: "owner") }
type Thing @entity { id: Int8! owner: Owner size: BigInt! friends: [Thing!]! }`

const query = (block: number) => `{
  owners(block: {number: ${block}}) { id name things(orderBy: size, orderDirection: desc) { id size } }
  things(block: {number: ${block}}, where: {or: [{owner_: {name_not: "x"}}, {size_gt: 2}]}, orderBy: owner__name) {
    id size owner { name } friends { id owner { id } } } }`

const ownerId = fc.constantFrom('a', 'b', 'c')
const thingId = fc.constantFrom('1', '2', '30')
const ownerChange: fc.Arbitrary<EntityChange> = fc.record({
  entity: fc.constant('Owner'),
  id: ownerId,
  set: fc.option(fc.record({ name: fc.constantFrom('x', 'y', 'z') }), { freq: 3 }),
})
const thingChange: fc.Arbitrary<EntityChange> = fc.record({
  entity: fc.constant('Thing'),
  id: thingId,
  set: fc.option(
    fc.record({
      owner: fc.option(ownerId),
      size: fc.bigInt({ min: -3n, max: 2n ** 256n - 1n }).map(String),
      friends: fc.array(thingId, { maxLength: 3 }),
    }),
    { freq: 4 },
  ),
})
const history = fc
  .array(fc.array(fc.oneof(ownerChange, thingChange), { maxLength: 5 }), { minLength: 2, maxLength: 10 })
  .map((blocks): BlockChanges[] => blocks.map((changes, index) => ({ block: blockAt(index + 1), changes })))

// Seeded, so that a failure can be reproduced.
const runs = { seed: 324, numRuns: 12, endOnFailure: true }

describe('postgres', () => testEngine('postgres'))
// PGlite takes longer to start.
describe('pglite', { tags: 'slow' }, () => testEngine('pglite'))

function testEngine(engine: DatabaseEngine): void {
  let opened: OpenTest
  let stores: ReadonlyMap<string, Subgraph>
  /** Returns a store that has only these blocks. Deleting rows takes a tenth of the time of creating tables. */
  const fill = async (namespace: string, blocks: readonly BlockChanges[]) => {
    await opened.database.query(
      `with owners as (delete from ${namespace}."Owner"), things as (delete from ${namespace}."Thing")
       delete from ${namespace}."$blocks"`,
    )
    const subgraph = stores.get(namespace) as Subgraph
    await subgraph.readHead()
    await subgraph.commitMany(blocks)
    return subgraph
  }
  const answerAt = async (subgraph: Subgraph, block: number) => {
    const result = await subgraph.execute({ query: query(block) })
    expect(result.errors).toBeUndefined()
    return result
  }
  beforeAll(async () => {
    opened = await openTest(engine)
    const { database } = opened
    const namespaces = ['whole', 'stopped', 'reorganized', 'fresh']
    const open = async (namespace: string) =>
      [namespace, await openSubgraph({ database, schema, namespace, deployment: 'Qm' })] as const
    stores = new Map(await Promise.all(namespaces.map(open)))
  })
  afterAll(() => opened.close())

  test('behavior: a query at a past block equals a query of a store that ends there', async () => {
    await fc.assert(
      fc.asyncProperty(history, fc.nat(), async (blocks, pick) => {
        const stop = (pick % blocks.length) + 1
        const subgraph = await fill('whole', blocks)
        const stopped = await fill('stopped', blocks.slice(0, stop))
        expect(await answerAt(subgraph, stop)).toEqual(await answerAt(stopped, stop))
      }),
      runs,
    )
  })

  test('behavior: blocks stored in any parts, with reverts between, equal those stored one by one', async () => {
    const parts = fc.array(fc.record({ size: fc.integer({ min: 1, max: 4 }), isReverted: fc.boolean() }), {
      minLength: 10,
      maxLength: 10,
    })
    await fc.assert(
      fc.asyncProperty(history, parts, async (blocks, cuts) => {
        const subgraph = await fill('whole', [])
        let stored = 0
        for (const { size, isReverted } of cuts) {
          // The part is stored again after a revert, on rows that are not in memory any more.
          for (let pass = 0; pass < (isReverted ? 2 : 1); pass += 1) {
            const after = subgraph.head
            await subgraph.commitMany(blocks.slice(stored, stored + size), {
              after: after?.hash,
              revision: after?.revision,
            })
            if (pass === 0 && isReverted) await subgraph.revert(stored)
          }
          stored = Math.min(stored + size, blocks.length)
          for (const [entity, ids] of Object.entries({ Owner: ['a', 'b', 'c'], Thing: ['1', '2', '30'] })) {
            expect(await subgraph.loadAfter(entity, ids)).toEqual(await subgraph.load(entity, ids))
          }
        }
        const single = await fill('stopped', [])
        for (const { block, changes } of blocks.slice(0, stored)) await single.commitMany([{ block, changes }])
        const [tables, expected] = await Promise.all([
          readTables(opened.database, 'whole'),
          readTables(opened.database, 'stopped'),
        ])
        expect(tables).toEqual(expected)
      }),
      runs,
    )
  })

  test('behavior: after a reorg the tables equal those of the new chain', async () => {
    await fc.assert(
      fc.asyncProperty(history, history, fc.nat(), async (blocks, others, pick) => {
        const fork = pick % blocks.length
        const winning = others.map(({ changes }, index) => {
          const block = blockAt(fork + index + 1, 'f')
          return { block: index === 0 ? { ...block, parentHash: blockAt(fork).hash } : block, changes }
        })
        const subgraph = await fill('reorganized', blocks)
        await subgraph.revert(fork)
        for (const { block, changes } of winning) await subgraph.commit(block, changes)
        await fill('fresh', [...blocks.slice(0, fork), ...winning])
        const [tables, freshTables] = await Promise.all([
          readTables(opened.database, 'reorganized'),
          readTables(opened.database, 'fresh'),
        ])
        expect(tables).toEqual(freshTables)
      }),
      runs,
    )
  })
}
