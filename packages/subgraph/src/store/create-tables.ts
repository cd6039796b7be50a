import { openEnd } from './block.ts'
import type { Column, Layout, Table } from './layout.ts'

/** Longer texts and bytes are not indexed, because an entry of a B-tree is limited to a third of a page. */
export const indexedBytesMax = 256

/** Returns the statements that create an empty store, with the indexes for writes. */
export function createTablesSql(layout: Layout): readonly string[] {
  return [
    `create table ${layout.blocks} (
       number int4 primary key, hash text not null unique, parent_hash text not null, timestamp int8 not null)`,
    ...[...layout.tables.values()].flatMap((table) => [createTableSql(table), ...createVersionIndexesSql(table)]),
  ]
}

function createTableSql(table: Table): string {
  const columns = [...table.columns.values()].map(({ field, name, type }) => {
    // Byte order, independent of the database's collation. graph-node requires it of its database.
    const collation = type.startsWith('text') ? ' collate "C"' : ''
    return `${name} ${type}${collation}${field.isRequired ? ' not null' : ''}`
  })
  return `create table ${table.name} (
    ${columns.join(', ')}, "$from" int4 not null, "$to" int4 not null, primary key ("id", "$from"))`
}

/** The indexes on `$from` and `$to` are for a revert, which changes the latest blocks. */
function createVersionIndexesSql({ name }: Table): readonly string[] {
  return [
    `create unique index on ${name} ("id") where "$to" = ${openEnd}`,
    `create index on ${name} using brin ("$from")`,
    `create index on ${name} ("$to") where "$to" < ${openEnd}`,
  ]
}

/**
 * Returns the statements that create the indexes for queries. Nearly all queries read the head, so the indexes have only
 * open versions, and do not grow with the history.
 */
export function createAttributeIndexesSql(layout: Layout): readonly string[] {
  return [...layout.tables.values()].flatMap(({ name, columns }) =>
    [...columns.values()].flatMap((column) => {
      const keys = indexKeysOf(column)
      const conditions = [
        `"$to" = ${openEnd}`,
        ...(hasAnyLength(column) ? [isIndexedSql(column.name)] : []),
        // No filter finds null by index.
        ...(column.field.isRequired ? [] : [`${column.name} is not null`]),
      ]
      return keys === undefined ? [] : [`create index on ${name} ${keys} where ${conditions.join(' and ')}`]
    }),
  )
}

/**
 * Returns the index keys of an attribute. The index of a reference also has the id, because the entities that refer to
 * another are sorted by id. Other attributes have few ties, and an index without the id is smaller.
 */
function indexKeysOf(column: Column): string | undefined {
  const { field, name } = column
  if (field.name === 'id' || column.elementType === 'bool') return undefined
  if (field.type.kind === 'reference') return field.isList ? `using gin (${name})` : `(${name}, "id")`
  return field.isList ? undefined : `(${name})`
}

/** Returns whether values of a column may be too long for its index. Ids, references and enums are always short. */
export function hasAnyLength({ field, elementType }: Column): boolean {
  if (field.isList || field.name === 'id' || field.type.kind !== 'scalar') return false
  return elementType === 'text' || elementType === 'bytea'
}

/** Returns the condition under which a value is in the index. A filter must repeat it to use the index. */
export function isIndexedSql(expression: string): string {
  return `octet_length(${expression}) <= ${indexedBytesMax}`
}
