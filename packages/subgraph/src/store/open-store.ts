import type { Database, Queryable } from '@tallystick/database'
import type { EntityModel } from '../schema/entity-model.ts'
import { fingerprintOf } from '../schema/schema-id-of.ts'
import { SubgraphError } from '../subgraph-error.ts'
import type { Head } from './block.ts'
import { createAttributeIndexesSql, createTablesSql } from './create-tables.ts'
import { createLayout, type Layout, readHead } from './layout.ts'
import { lockOpening } from './replace-namespace.ts'
import { lockForWriting } from './write-blocks.ts'

// Version of the tables, not of the schema. A release that changes the tables has to migrate them.
const layoutVersion = 1

/** Opens the store of a namespace. The first use creates it. Its schema cannot change. Returns its tables. */
export async function openStore(
  database: Database,
  { model, namespace }: { readonly model: EntityModel; readonly namespace: string },
): Promise<Layout> {
  const layout = createLayout(model, namespace)
  const fingerprint = fingerprintOf(model)
  await database.transaction((transaction) => ensureTables(transaction, { layout, fingerprint }))
  // PGlite has no autovacuum, which would update the statistics.
  if (database.engine === 'pglite') await analyse(database, layout)
  return layout
}

async function ensureTables(
  transaction: Queryable,
  { layout, fingerprint }: { readonly layout: Layout; readonly fingerprint: string },
): Promise<void> {
  await lockOpening(transaction, layout)
  await transaction.query(`create schema if not exists ${layout.schemaName}`)
  await transaction.query(
    `create table if not exists ${layout.meta} (layout int4 not null, schema text not null, is_indexed bool not null,
      revision int4 not null default 0, fault text)`,
  )
  const [found] = await transaction.query<{ layout: number; schema: string; revision?: number }>(
    `select * from ${layout.meta}`,
  )
  // A release before 0.3 made the table without these columns, and works with them.
  if (found && found.revision === undefined) {
    await transaction.query(`alter table ${layout.meta} add revision int4 not null default 0, add fault text`)
  }
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

/**
 * Creates the indexes for queries, once. A backfill does not have them: creating an index at the end is faster than updating
 * it with every row.
 */
export async function createIndexes(transaction: Queryable, layout: Layout): Promise<void> {
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

/** Records what contradicts the index, or that nothing does. Returns the head. */
export async function writeFault(
  transaction: Queryable,
  { layout, fault }: { readonly layout: Layout; readonly fault: string | undefined },
): Promise<Head | undefined> {
  await transaction.query(
    `update ${layout.meta} set fault = $1::text, revision = revision + 1 where fault is distinct from $1::text`,
    [fault ?? null],
  )
  return readHead(transaction, layout)
}
