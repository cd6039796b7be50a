import type { Queryable } from '@tallystick/database'
import { SubgraphError } from '../subgraph-error.ts'
import { openEnd } from './block.ts'
import { createDecoder, type Row, selectColumns } from './decode-column.ts'
import { encodeValue, formatArray } from './encode-value.ts'
import { getColumn, getTable, type Layout } from './layout.ts'

/** Stored fields of an entity in API form. A reference is an id. */
export type StoredEntity = Readonly<Record<string, unknown>>

/** Reads entities by id, in API form. The result lacks entities that do not exist. */
export type LoadStored = (entity: string, ids: readonly string[]) => Promise<ReadonlyMap<string, StoredEntity>>

/** Creates the function that reads entities at the head, in one statement. */
export function createLoad(queryable: Queryable, layout: Layout): LoadStored {
  return async (entity, ids) => {
    const table = layout.tables.get(entity)
    if (!table) throw new SubgraphError({ code: 'invalid_change', message: `There is no entity ${entity}.` })
    const idField = getColumn(table, 'id').field
    const texts = ids.flatMap((id) => {
      const encoded = encodeValue(idField, id)
      return 'text' in encoded && encoded.text !== null ? [encoded.text] : []
    })
    if (texts.length === 0) return new Map()
    const columns = [...table.columns.values()]
    const rows = await queryable.query<Row>(
      `select ${selectColumns(columns, 'c')} from ${table.name} as c
       where c."$to" = ${openEnd} and c."id" = any($1::text::${table.idType}[])`,
      [formatArray(texts)],
    )
    const readers = columns.map((column, index) => [column.field.name, `c${index}`, createDecoder(column)] as const)
    const entities = rows.map(
      (row): StoredEntity => Object.fromEntries(readers.map(([name, alias, decode]) => [name, decode(row[alias])])),
    )
    return new Map(entities.map((loaded) => [String(loaded['id']), loaded]))
  }
}

/** Blocks in which an entity was created and last changed. */
export type Versions = { readonly first: number; readonly last: number }

/** Returns undefined if there is no such entity. */
export async function findVersions(
  queryable: Queryable,
  { layout, entity, id }: { readonly layout: Layout; readonly entity: string; readonly id: string },
): Promise<Versions | undefined> {
  const { name, idType } = getTable(layout, entity)
  const [row] = await queryable.query<{ first: number | null; last: number | null }>(
    `select min("$from") as first, max("$from") as last from ${name} where "id" = $1::text::${idType}`,
    [id],
  )
  return row?.first == null || row.last === null ? undefined : { first: row.first, last: row.last }
}
