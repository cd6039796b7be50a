import { type Column, type Layout, openEnd, type Table } from './layout.ts'

/** Longer texts and bytes are not indexed: an entry of a B-tree must fit a third of a page. */
export const indexedBytesMax = 256

/** The statements that make an empty store, with the indexes that writing needs. */
export function createTablesSql(layout: Layout): readonly string[] {
  return [
    `create table ${layout.blocks} (
       number int4 primary key, hash text not null unique, parent_hash text not null, timestamp int8 not null)`,
    ...[...layout.tables.values()].flatMap((table) => [createTableSql(table), ...createVersionIndexesSql(table)]),
  ]
}

function createTableSql(table: Table): string {
  const columns = [...table.columns.values()].map(({ field, name, type }) => {
    // Byte order, whatever the database's own collation: what graph-node requires of its database.
    const collation = type.startsWith('text') ? ' collate "C"' : ''
    return `${name} ${type}${collation}${field.isRequired ? ' not null' : ''}`
  })
  return `create table ${table.name} (
    ${columns.join(', ')}, "$from" int4 not null, "$to" int4 not null, primary key ("id", "$from"))`
}

/** `$from` and `$to` are for a revert, which touches the latest blocks. */
function createVersionIndexesSql({ name }: Table): readonly string[] {
  return [
    `create unique index on ${name} ("id") where "$to" = ${openEnd}`,
    `create index on ${name} using brin ("$from")`,
    `create index on ${name} ("$to") where "$to" < ${openEnd}`,
  ]
}

/**
 * The indexes that queries need. They ask nearly always for the head, so these hold the open versions only and stay as
 * small as the state, whatever the history.
 */
export function createAttributeIndexesSql(layout: Layout): readonly string[] {
  return [...layout.tables.values()].flatMap(({ name, columns }) =>
    [...columns.values()].flatMap((column) => {
      const keys = indexKeysOf(column)
      const conditions = [
        `"$to" = ${openEnd}`,
        ...(hasAnyLength(column) ? [isIndexedSql(column.name)] : []),
        // Values that are not there yet cost nothing; no filter looks for them by index.
        ...(column.field.isRequired ? [] : [`${column.name} is not null`]),
      ]
      return keys === undefined ? [] : [`create index on ${name} ${keys} where ${conditions.join(' and ')}`]
    }),
  )
}

/**
 * How an attribute is indexed. A reference has the id behind it: what points at an entity is listed by id. Elsewhere the
 * ties of a sort are few, and an index without the id is smaller.
 */
function indexKeysOf(column: Column): string | undefined {
  const { field, name } = column
  if (field.name === 'id' || column.elementType === 'bool') return undefined
  if (field.type.kind === 'reference') return field.isList ? `using gin (${name})` : `(${name}, "id")`
  return field.isList ? undefined : `(${name})`
}

/** Whether values of the column may be too long for its index. Ids, and so references, are kept short; enums are. */
export function hasAnyLength({ field, elementType }: Column): boolean {
  if (field.isList || field.name === 'id' || field.type.kind !== 'scalar') return false
  return elementType === 'text' || elementType === 'bytea'
}

/** The condition under which a value is in the index. A filter that repeats it can use the index. */
export function isIndexedSql(expression: string): string {
  return `octet_length(${expression}) <= ${indexedBytesMax}`
}
