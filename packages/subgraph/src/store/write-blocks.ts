import type { Queryable, Transaction } from '@tallystick/database'
import { SubgraphError } from '../subgraph-error.ts'
import { assertFollows, assertIs, type Block, type Head, type KnownState, openEnd } from './block.ts'
import { type BlockChanges, collectChanges } from './collect-changes.ts'
import { type Committed, type CurrentRows, rowsAt } from './current-rows.ts'
import { formatRow } from './encode-value.ts'
import { type Layout, readHead, type Table } from './layout.ts'
import { writeTable } from './write-table.ts'

// SQLSTATE.
const uniqueViolation = '23505'

/** Writes blocks and their changes. If `after` is given, the head must be that one. */
export async function commitBlocks(
  transaction: Transaction,
  {
    layout,
    blocks,
    after,
    committed,
  }: {
    readonly layout: Layout
    readonly blocks: readonly BlockChanges[]
    readonly after: KnownState | undefined
    /** Last commit of this process. */
    readonly committed?: Committed | undefined
  },
): Promise<Committed> {
  const changes = collectChanges(layout, blocks)
  const head = await lockForWriting(transaction, layout)
  if (after !== undefined) assertIs(head, after)
  let last: Block | undefined = head
  for (const { block } of blocks) {
    assertFollows(last, block)
    last = {
      number: block.number,
      hash: block.hash.toLowerCase(),
      parentHash: block.parentHash.toLowerCase(),
      timestamp: block.timestamp,
    }
  }
  const known = rowsAt(head, committed)
  const rows = new Map<Table, CurrentRows>()
  for (const [table, tableChanges] of changes) {
    rows.set(table, await writeTable(transaction, { table, changes: tableChanges, known: known.get(table) }))
  }
  await insertBlocks(transaction, { layout, blocks: blocks.map(({ block }) => block) })
  if (!head || !last) return { head: await readHead(transaction, layout), rows }
  return { head: { ...last, revision: head.revision, fault: head.fault }, rows }
}

/** Blocks other writers, but not readers, until the transaction ends. Returns the head. */
export async function lockForWriting(transaction: Queryable, layout: Layout): Promise<Head | undefined> {
  await transaction.query(`lock table ${layout.blocks} in share row exclusive mode`)
  return readHead(transaction, layout)
}

async function insertBlocks(
  transaction: Transaction,
  { layout, blocks }: { readonly layout: Layout; readonly blocks: readonly Block[] },
): Promise<void> {
  if (blocks.length === 0) return
  const rows = blocks.map(({ number, hash, parentHash, timestamp }) =>
    formatRow([String(number), hash.toLowerCase(), parentHash.toLowerCase(), String(timestamp)]),
  )
  await transaction
    .copy(`copy ${layout.blocks} (number, hash, parent_hash, timestamp) from stdin`, rows.join(''))
    .catch((cause) => {
      if (cause.code !== uniqueViolation) throw cause
      throw new SubgraphError({
        code: 'invalid_block',
        message: 'The hash of a block is already stored for another block.',
        cause,
      })
    })
}

/** Deletes all blocks above a number, with their changes. Returns the new head. */
export async function revertTo(
  transaction: Queryable,
  { layout, blockNumber }: { readonly layout: Layout; readonly blockNumber: number },
): Promise<Head | undefined> {
  if (!Number.isInteger(blockNumber) || blockNumber < -1 || blockNumber >= openEnd) {
    throw new SubgraphError({ code: 'invalid_block', message: `Cannot revert to block ${String(blockNumber)}.` })
  }
  await lockForWriting(transaction, layout)
  await transaction.query(`update ${layout.meta} set revision = revision + 1`)
  await transaction.query(`delete from ${layout.blocks} where number > $1`, [blockNumber])
  for (const { name } of layout.tables.values()) {
    await transaction.query(`delete from ${name} where "$from" > $1`, [blockNumber])
    await transaction.query(`update ${name} set "$to" = ${openEnd} where "$to" > $1 and "$to" < ${openEnd}`, [
      blockNumber,
    ])
  }
  return readHead(transaction, layout)
}
