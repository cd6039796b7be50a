import { type Column, type Layout, openEnd, type Table } from './layout.ts'

/** The length an index keeps of a text or of bytes: a B-tree entry must fit a third of a page, values need not. */
export const indexedPrefixLength = 64

/** The statements that make an empty store. */
export function createTablesSql(layout: Layout): readonly string[] {
  return [
    `create table ${layout.blocks} (
       number int4 primary key, hash text not null unique, parent_hash text not null, timestamp int8 not null)`,
    ...[...layout.tables.values()].flatMap((table) => [createTableSql(table), ...createIndexesSql(table)]),
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

/**
 * Queries ask nearly always for the head, so the indexes on attributes hold the open versions only: they stay as small
 * as the state, whatever the history. `$from` and `$to` are for a revert, which touches the latest blocks.
 */
function createIndexesSql({ name, columns }: Table): readonly string[] {
  const atHead = `where "$to" = ${openEnd}`
  return [
    `create unique index on ${name} ("id") ${atHead}`,
    `create index on ${name} using brin ("$from")`,
    `create index on ${name} ("$to") where "$to" < ${openEnd}`,
    ...[...columns.values()].flatMap((column) => {
      const keys = indexKeysOf(column)
      return keys === undefined ? [] : [`create index on ${name} ${keys} ${atHead}`]
    }),
  ]
}

/** How an attribute is indexed: with the id behind it, which breaks ties when it is sorted by. */
function indexKeysOf(column: Column): string | undefined {
  const { field, name } = column
  if (field.name === 'id' || column.elementType === 'bool') return undefined
  if (field.isList) return field.type.kind === 'reference' ? `using gin (${name})` : undefined
  const prefix = indexedPrefixSql(column, name)
  return prefix === undefined ? `(${name}, "id")` : `(${prefix})`
}

/** The expression that is indexed in place of a value of any length; undefined for columns indexed as they are. */
export function indexedPrefixSql({ field, elementType }: Column, expression: string): string | undefined {
  if (field.isList || field.name === 'id' || field.type.kind !== 'scalar') return undefined
  if (elementType === 'text') return `left(${expression}, ${indexedPrefixLength})`
  return elementType === 'bytea' ? `substring(${expression}, 1, ${indexedPrefixLength})` : undefined
}
