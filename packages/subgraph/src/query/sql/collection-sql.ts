import type { Ordering } from '../../schema/api-schema.ts'
import { type Field, targetNameOf } from '../../schema/entity-model.ts'
import { getColumn, getTable, type Table } from '../../store/layout.ts'
import { type EntityRoot, firstDefault, firstMax, skipMax } from '../plan/plan-query.ts'
import { QueryError } from '../query-error.ts'
import { argumentOf, type Values } from '../request/coerce-arguments.ts'
import { filterSql, linkSql } from './filter-sql.ts'
import { decodeScalar } from './operator-sql.ts'
import { createParameters, parameterOf, type Scope, type StatementScope, visibleSql } from './statement.ts'

/** `from` and the clauses after it, for the entities of a root field as `c`. */
type RootSql = { readonly clauses: string; readonly parameters: readonly unknown[] }

export function rootSql(scope: Scope, root: EntityRoot): RootSql {
  const table = getTable(scope.layout, root.plan.entity.name)
  const parameters = createParameters()
  const inner: StatementScope = { ...scope, parameters }
  if (root.kind === 'single') {
    const id = parameterOf(argumentOf(root.values, 'id'), (value) =>
      decodeScalar(table.entity.idScalar, { value, argument: 'id' }),
    )
    const condition = `c."id" = ${parameters.add(id)}::text::${table.idType}`
    const clauses = `from ${table.name} as c where ${visibleSql(inner, { alias: 'c', condition })}`
    return { clauses, parameters: parameters.values }
  }
  const { join, condition, sortKeys, range } = collectionSql(inner, { table, alias: 'c', values: root.values })
  const order = sortKeys.map(({ expression, direction }) => `${expression} ${direction}`).join(', ')
  const clauses = `from ${table.name} as c ${join} where ${condition} order by ${order} ${range}`
  return { clauses, parameters: parameters.values }
}

type SortKey = { readonly expression: string; readonly direction: 'asc' | 'desc' }

/** Clauses of the statement for a collection, from its arguments. */
type CollectionSql = {
  readonly join: string
  readonly condition: string
  readonly sortKeys: readonly SortKey[]
  readonly range: string
}

type CollectionSqlOptions = {
  readonly table: Table
  readonly alias: string
  readonly values: Values
  /** Condition that links a nested collection to its parent. */
  readonly link?: string | undefined
}

export function collectionSql(scope: StatementScope, options: CollectionSqlOptions): CollectionSql {
  const { table, alias, values, link } = options
  const where = argumentOf(values, 'where')
  const order = orderSql(scope, options)
  const first = integerOf(values, 'first')
  const skip = integerOf(values, 'skip')
  const filter = where.kind === 'Null' ? 'true' : filterSql(scope, { table, alias, where })
  return {
    ...order,
    condition: visibleSql(scope, { alias, condition: link === undefined ? filter : `${link} and (${filter})` }),
    range: `limit ${scope.parameters.add(`${first}`)}::text::int4 offset ${scope.parameters.add(`${skip}`)}::text::int4`,
  }
}

const ranges = {
  first: { absent: firstDefault, min: 1, max: firstMax },
  skip: { absent: 0, min: 0, max: skipMax },
} as const

function integerOf(values: Values, name: keyof typeof ranges): number {
  const { absent, min, max } = ranges[name]
  const value = argumentOf(values, name)
  const number = value.kind === 'Int' ? Number(value.text) : absent
  if (number >= min && number <= max) return number
  // `first: 0` is rejected although the message says "between 0". The text is graph-node's.
  throw new QueryError(`The \`${name}\` argument must be between 0 and ${max}, but is ${number}`)
}

function orderSql(
  scope: StatementScope,
  { table, alias, values, link }: CollectionSqlOptions,
): Pick<CollectionSql, 'join' | 'sortKeys'> {
  const orderBy = argumentOf(values, 'orderBy')
  const id = `${alias}."id"`
  // Without orderBy the direction is ignored.
  if (orderBy.kind !== 'Enum') return { join: '', sortKeys: [{ expression: id, direction: 'asc' }] }
  const ordering = scope.api.orderings.get(table.entity.name)?.get(orderBy.text)
  if (!ordering || !isSortable(ordering.childField ?? ordering.field)) {
    throw new QueryError(`Ordering by \`${orderBy.text}\` is not supported for type \`${table.entity.name}\``)
  }
  const chosen = argumentOf(values, 'orderDirection')
  const direction = chosen.kind === 'Enum' && chosen.text === 'desc' ? 'desc' : 'asc'
  const { join, expression } = sortExpression(scope, { table, alias, link, ordering })
  // Also for the id of a child, unlike graph-node, so that pages do not overlap.
  const tieBreak = orderBy.text === 'id' ? [] : [{ expression: id, direction } as const]
  return { join, sortKeys: [{ expression, direction }, ...tieBreak] }
}

function isSortable(field: Field): boolean {
  return field.kind === 'stored' && !field.isList && field.type.kind === 'scalar'
}

function sortExpression(
  scope: StatementScope,
  { table, alias, link, ordering }: Omit<CollectionSqlOptions, 'values'> & { readonly ordering: Ordering },
): { readonly join: string; readonly expression: string } {
  const { field, childField } = ordering
  if (!childField) return { join: '', expression: `${alias}.${getColumn(table, field.name).name}` }
  if (link !== undefined) throw new QueryError('SortKey::ChildKey cannot be used for parent ordering (yet)')
  const child = getTable(scope.layout, targetNameOf(field))
  const column = getColumn(child, childField.name).name
  const condition = linkSql({ parent: table, parentAlias: alias, child, childAlias: 'o', field })
  // Lateral with a limit, so that a derived field with two children does not duplicate its parent.
  return {
    join: `left join lateral (select o.${column} as value from ${child.name} as o
             where ${visibleSql(scope, { alias: 'o', condition })} limit 1) as o on true`,
    expression: 'o.value',
  }
}
