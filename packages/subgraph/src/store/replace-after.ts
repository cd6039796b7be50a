import type { Queryable, Transaction } from '@tallystick/database'
import { SubgraphError } from '../subgraph-error.ts'
import { type Head, openEnd } from './block.ts'
import type { BlockChanges } from './collect-changes.ts'
import { type Layout, readHead } from './layout.ts'
import { createLoad, type LoadStored } from './load-entities.ts'
import { commitBlocks, lockForWriting, revertTo } from './write-blocks.ts'

/** Returns the blocks that replace others. `load` reads entities in their state before the first of them. */
export type MapAgain = (load: LoadStored) => Promise<readonly BlockChanges[]>

/** Replaces all blocks above a number. Throws if an entity would be lost: the transaction must then be rolled back. */
export async function replaceAfter(
  transaction: Transaction,
  { layout, blockNumber, map }: { readonly layout: Layout; readonly blockNumber: number; readonly map: MapAgain },
): Promise<Head | undefined> {
  await lockForWriting(transaction, layout)
  const before = await countEntities(transaction, layout)
  await revertTo(transaction, { layout, blockNumber })
  const blocks = await map(createLoad(transaction, layout))
  await commitBlocks(transaction, { layout, blocks, after: undefined })
  const after = await countEntities(transaction, layout)
  for (const [entity, count] of before) {
    const left = after.get(entity) ?? 0
    if (left >= count) continue
    const message = `Blocks after ${blockNumber} were read again and have fewer entities: ${left} of ${count} ${entity}. They were not replaced.`
    throw new SubgraphError({ code: 'entities_lost', message })
  }
  return readHead(transaction, layout)
}

async function countEntities(transaction: Queryable, layout: Layout): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  for (const { name, entity } of layout.tables.values()) {
    const rows = await transaction.query<{ count: number }>(
      `select count(*)::int4 as count from ${name} where "$to" = ${openEnd}`,
    )
    counts.set(entity.name, rows[0]?.count ?? 0)
  }
  return counts
}
