import type { Queryable } from '@tallystick/database'
import { SubgraphError } from '../subgraph-error.ts'
import type { EncodedFields } from './collect-changes.ts'
import { type Committed, readCurrent } from './current-rows.ts'
import { createDecoder } from './decode-column.ts'
import { encodeValue, parseArray } from './encode-value.ts'
import { getColumn, getTable, type Layout } from './layout.ts'

/** Stored fields of an entity in API form. A reference is an id. */
export type StoredEntity = Readonly<Record<string, unknown>>

/** Reads entities by id, in API form. The result lacks entities that do not exist. */
export type LoadStored = (entity: string, ids: readonly string[]) => Promise<ReadonlyMap<string, StoredEntity>>

/** Creates the function that reads entities at the head, in one statement. It does not read known rows. */
export function createLoad(
  queryable: Queryable,
  layout: Layout,
  findKnown: () => Committed['rows'] = () => new Map(),
): LoadStored {
  return async (entity, ids) => {
    const table = layout.tables.get(entity)
    if (!table) throw new SubgraphError({ code: 'invalid_change', message: `There is no entity ${entity}.` })
    const idField = getColumn(table, 'id').field
    const wanted = ids.flatMap((id) => {
      const encoded = encodeValue(idField, id)
      return 'text' in encoded && encoded.text !== null ? [encoded.text] : []
    })
    const rows = await readCurrent(queryable, { table, ids: wanted, known: findKnown().get(table) })
    const readers = [...table.columns.values()].map((column) => ({ column, decode: createDecoder(column) }))
    const toEntity = (fields: EncodedFields): StoredEntity =>
      Object.fromEntries(
        readers.map(({ column: { field }, decode }, index) => {
          const text = fields[index] ?? null
          return [field.name, decode(field.isList && text !== null ? parseArray(text) : text)]
        }),
      )
    const entities = [...rows.values()].flatMap((fields) => (fields ? [toEntity(fields)] : []))
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
