import { type Field, targetNameOf } from '../../schema/entity-model.ts'
import { getColumn, getTable, type Table } from '../../store/layout.ts'
import { QueryError } from '../query-error.ts'
import { debugValue, type Value } from '../request/value.ts'
import { operatorSql } from './operator-sql.ts'
import { type StatementScope, visibleSql } from './statement.ts'

type Filtered = { readonly table: Table; readonly alias: string; readonly isChild?: boolean | undefined }

/** Returns the SQL condition of a `where` object. */
export function filterSql(scope: StatementScope, { where, ...filtered }: Filtered & { readonly where: Value }): string {
  if (where.kind !== 'Object') throw invalidFilter()
  const { entries } = where
  const columnKeys = [...entries.keys()].filter((key) => key !== 'and' && key !== 'or')
  if (columnKeys.length === entries.size) {
    const conditions = columnKeys.map((key) => keySql(scope, { ...filtered, key, value: entries.get(key) as Value }))
    return conditions.length === 0 ? 'true' : conditions.map((condition) => `(${condition})`).join(' and ')
  }
  if (columnKeys.length > 0) throw entries.has('or') ? mixedWithOr(columnKeys) : invalidFilter()
  return pooledSql(scope, { ...filtered, entries })
}

/**
 * Combines `and` and `or` of one object. graph-node applies both operators to the elements of both lists, so together they
 * mean "all of them".
 */
function pooledSql(
  scope: StatementScope,
  { entries, ...filtered }: Filtered & { readonly entries: ReadonlyMap<string, Value> },
): string {
  const elements = [...entries.values()].flatMap((list) => {
    if (list.kind !== 'List') throw invalidFilter()
    return list.items.map((element) => `(${filterSql(scope, { ...filtered, where: element })})`)
  })
  if (elements.length === 0) return entries.has('or') ? 'false' : 'true'
  return elements.join(entries.has('and') ? ' and ' : ' or ')
}

function keySql(
  scope: StatementScope,
  { table, alias, isChild, key, value }: Filtered & { readonly key: string; readonly value: Value },
): string {
  if (key === '_change_block') return changeBlockSql(scope, { alias, value })
  const filterKey = scope.api.filterKeys.get(table.entity.name)?.get(key)
  if (!filterKey) throw invalidFilter()
  if (filterKey.kind === 'operator') {
    const column = getColumn(table, filterKey.field.name)
    const expression = `${alias}.${column.name}`
    return operatorSql({ key: filterKey, column, expression, value, parameters: scope.parameters })
  }
  if (isChild) {
    throw new QueryError(
      `Child filter nesting not supported by value \`${filterKey.field.name}\`: \`${debugValue(value)}\``,
    )
  }
  return childSql(scope, { table, alias, field: filterKey.field, value })
}

/** Returns the condition on the block that wrote the visible version. */
function changeBlockSql(
  { parameters }: StatementScope,
  { alias, value }: { readonly alias: string; readonly value: Value },
): string {
  const number = value.kind === 'Object' ? value.entries.get('number_gte') : undefined
  if (number?.kind !== 'Int') throw invalidFilter()
  return `${alias}."$from" >= ${parameters.add(Number(number.text))}::int4`
}

/** Returns the condition that a field points at a visible entity that matches a filter. */
function childSql(
  scope: StatementScope,
  { table, alias, field, value }: Filtered & { readonly field: Field; readonly value: Value },
): string {
  const child = getTable(scope.layout, targetNameOf(field))
  const condition = filterSql(scope, { table: child, alias: 'f', isChild: true, where: value })
  const link = linkSql({ parent: table, parentAlias: alias, child, childAlias: 'f', field })
  const isFound = visibleSql(scope, { alias: 'f', condition: `${link} and (${condition})` })
  return `exists (select 1 from ${child.name} as f where ${isFound})`
}

type LinkSqlOptions = {
  readonly parent: Table
  readonly parentAlias: string
  readonly child: Table
  readonly childAlias: string
  readonly field: Field
}

/** Returns the condition that links a row with the entity that one of its fields points at. */
export function linkSql({ parent, parentAlias, child, childAlias, field }: LinkSqlOptions): string {
  if (field.kind === 'stored') {
    const reference = `${parentAlias}.${getColumn(parent, field.name).name}`
    return `${childAlias}."id" = ${field.isList ? `any(${reference})` : reference}`
  }
  const back = getColumn(child, field.from)
  const reference = `${childAlias}.${back.name}`
  return back.field.isList ? `${reference} @> array[${parentAlias}."id"]` : `${reference} = ${parentAlias}."id"`
}

function invalidFilter(): QueryError {
  // The spelling is graph-node's. Clients may compare the text.
  return new QueryError('Filter must by an object')
}

function mixedWithOr(columnKeys: readonly string[]): QueryError {
  const keys = columnKeys.map((key) => `'${key}'`).join(', ')
  const example = columnKeys.map((key) => `${key}: …`).join(', ')
  return new QueryError(
    `Cannot mix column filters with 'or' operator at the same level. Found column filter(s) ${keys} alongside 'or' operator.\n\n` +
      `Instead of:\nwhere: { ${example}, or: [...] }\n\nUse:\nwhere: { or: [{ ${example}, ... }, { ${example}, ... }] }`,
  )
}
