import type { Database, Queryable } from '@tallystick/database'
import type { EntityModel } from '../schema/entity-model.ts'
import { fingerprintOf } from '../schema/fingerprint-of.ts'
import { SubgraphError } from '../subgraph-error.ts'
import { assertFollows, assertIs, type Block } from './block.ts'
import { type BlockChanges, collectChanges } from './collect-changes.ts'
import { createAttributeIndexesSql, createTablesSql } from './create-tables.ts'
import { formatArray, formatIntegers } from './format-array.ts'
import { createLayout, type Layout, openEnd } from './layout.ts'
import { readHead } from './read-block.ts'
import { writeTable } from './write-table.ts'

export type Store = {
  readonly database: Database
  readonly layout: Layout
  /** Writes blocks and their changes in one transaction. If `after` is given, the head must have that hash. Returns the new head. */
  commit(blocks: readonly BlockChanges[], after?: string): Promise<Block | undefined>
  /**
   * Creates the indexes for queries, once. A backfill does not have them: creating an index at the end is faster than
   * updating it with every row.
   */
  ensureIndexes(): Promise<void>
  /** Deletes all blocks above a number, with their changes. Returns the new head. */
  revert(blockNumber: number): Promise<Block | undefined>
}

// Version of the tables, not of the schema. A release that changes the tables has to migrate them.
const layoutVersion = 1
// SQLSTATE.
const uniqueViolation = '23505'

/** Opens the store of a namespace. The first use creates it. Its schema cannot change. */
export async function openStore(
  database: Database,
  { model, namespace }: { readonly model: EntityModel; readonly namespace: string },
): Promise<Store> {
  const layout = createLayout(model, namespace)
  const fingerprint = fingerprintOf(model)
  await database.transaction((transaction) => ensureTables(transaction, { layout, fingerprint }))
  // PGlite has no autovacuum, which would update the statistics.
  if (database.engine === 'pglite') await analyse(database, layout)
  let isIndexed = false
  return {
    database,
    layout,
    commit: (blocks, after) =>
      database.transaction((transaction) => commitBlocks(transaction, { layout, blocks, after })),
    ensureIndexes: async () => {
      if (!isIndexed) await database.transaction((transaction) => createIndexes(transaction, layout))
      isIndexed = true
    },
    revert: (blockNumber) => database.transaction((transaction) => revertTo(transaction, { layout, blockNumber })),
  }
}

async function ensureTables(
  transaction: Queryable,
  { layout, fingerprint }: { readonly layout: Layout; readonly fingerprint: string },
): Promise<void> {
  await transaction.query('select pg_advisory_xact_lock(hashtext($1))', [`tallystick subgraph ${layout.namespace}`])
  await transaction.query(`create schema if not exists ${layout.schemaName}`)
  await transaction.query(
    `create table if not exists ${layout.meta} (layout int4 not null, schema text not null, is_indexed bool not null)`,
  )
  const [found] = await transaction.query<{ layout: number; schema: string }>(`select * from ${layout.meta}`)
  if (!found) {
    for (const statement of createTablesSql(layout)) await transaction.query(statement)
    await transaction.query(`insert into ${layout.meta} values ($1, $2, false)`, [layoutVersion, fingerprint])
  } else if (found.layout !== layoutVersion || found.schema !== fingerprint) {
    throw new SubgraphError({
      code: 'schema_mismatch',
      message: `The namespace "${layout.namespace}" has data of another schema. Open it with that schema, or index again in another namespace.`,
    })
  }
}

async function createIndexes(transaction: Queryable, layout: Layout): Promise<void> {
  await lockForWriting(transaction, layout)
  const [meta] = await transaction.query<{ is_indexed: boolean }>(`select is_indexed from ${layout.meta}`)
  if (meta?.is_indexed) return
  await transaction.query("select set_config('statement_timeout', '0', true)")
  for (const statement of createAttributeIndexesSql(layout)) await transaction.query(statement)
  // The planner needs statistics of the rows that the backfill just wrote.
  await analyse(transaction, layout)
  await transaction.query(`update ${layout.meta} set is_indexed = true`)
}

async function analyse(queryable: Queryable, layout: Layout): Promise<void> {
  for (const { name } of layout.tables.values()) await queryable.query(`analyze ${name}`)
}

async function commitBlocks(
  transaction: Queryable,
  {
    layout,
    blocks,
    after,
  }: { readonly layout: Layout; readonly blocks: readonly BlockChanges[]; readonly after: string | undefined },
): Promise<Block | undefined> {
  const changes = collectChanges(layout, blocks)
  const head = await lockForWriting(transaction, layout)
  if (after !== undefined) assertIs(head, after)
  let last = head
  for (const { block } of blocks) {
    assertFollows(last, block)
    last = {
      number: block.number,
      hash: block.hash.toLowerCase(),
      parentHash: block.parentHash.toLowerCase(),
      timestamp: block.timestamp,
    }
  }
  for (const [table, tableChanges] of changes) await writeTable(transaction, { table, changes: tableChanges })
  await insertBlocks(transaction, { layout, blocks: blocks.map(({ block }) => block) })
  return last
}

/** Blocks other writers, but not readers, until the transaction ends. Returns the head. */
async function lockForWriting(transaction: Queryable, layout: Layout): Promise<Block | undefined> {
  await transaction.query(`lock table ${layout.blocks} in share row exclusive mode`)
  return readHead(transaction, layout)
}

async function insertBlocks(
  transaction: Queryable,
  { layout, blocks }: { readonly layout: Layout; readonly blocks: readonly Block[] },
): Promise<void> {
  if (blocks.length === 0) return
  await transaction
    .query(
      `insert into ${layout.blocks} (number, hash, parent_hash, timestamp)
       select * from unnest($1::text::int4[], $2::text::text[], $3::text::text[], $4::text::int8[])`,
      [
        formatIntegers(blocks.map(({ number }) => number)),
        formatArray(blocks.map(({ hash }) => hash.toLowerCase())),
        formatArray(blocks.map(({ parentHash }) => parentHash.toLowerCase())),
        formatIntegers(blocks.map(({ timestamp }) => timestamp)),
      ],
    )
    .catch((cause) => {
      if (cause.code !== uniqueViolation) throw cause
      throw new SubgraphError({
        code: 'invalid_block',
        message: 'The hash of a block is already stored for another block.',
        cause,
      })
    })
}

async function revertTo(
  transaction: Queryable,
  { layout, blockNumber }: { readonly layout: Layout; readonly blockNumber: number },
): Promise<Block | undefined> {
  if (!Number.isInteger(blockNumber) || blockNumber < -1 || blockNumber >= openEnd) {
    throw new SubgraphError({ code: 'invalid_block', message: `Cannot revert to block ${String(blockNumber)}.` })
  }
  await lockForWriting(transaction, layout)
  await transaction.query(`delete from ${layout.blocks} where number > $1`, [blockNumber])
  for (const { name } of layout.tables.values()) {
    await transaction.query(`delete from ${name} where "$from" > $1`, [blockNumber])
    await transaction.query(`update ${name} set "$to" = ${openEnd} where "$to" > $1 and "$to" < ${openEnd}`, [
      blockNumber,
    ])
  }
  return readHead(transaction, layout)
}
