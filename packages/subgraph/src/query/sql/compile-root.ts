import { selectColumns } from '../../store/decode-column.ts'
import { type Column, getColumn, getTable, type Table } from '../../store/layout.ts'
import type { EntityRoot } from '../plan/plan-query.ts'
import type { EntityPlan, LinkPlan } from '../plan/plan-selection.ts'
import type { Values } from '../request/coerce-arguments.ts'
import { collectionSql, rootSql } from './collection-sql.ts'
import { linkSql } from './filter-sql.ts'
import {
  createParameters,
  parentIdsSlot,
  rowLimitSlot,
  type Scope,
  type Statement,
  type StatementScope,
  visibleSql,
} from './statement.ts'

/** Level of the answer: the columns it reads as `c0`, `c1`, …, `id` first, and the statements of the nested levels. */
export type Level = {
  readonly plan: EntityPlan
  readonly columns: readonly Column[]
  readonly links: ReadonlyMap<string, Link>
}

/** Statement that reads a nested level for all parents. Its rows have the parent's id in `parent`, except for a reference. */
export type Link = { readonly plan: LinkPlan; readonly statement: Statement; readonly level: Level }

export type CompiledRoot = { readonly statement: Statement; readonly level: Level }

/** Compiles a root field to one statement per level. Throws a `QueryError` for wrong arguments, whatever the data. */
export function compileRoot(scope: Scope, root: EntityRoot): CompiledRoot {
  const level = compileLevel(scope, root.plan)
  const { clauses, parameters } = rootSql(scope, root)
  return { level, statement: { text: `select ${selectColumns(level.columns, 'c')} ${clauses}`, parameters } }
}

function compileLevel(scope: Scope, plan: EntityPlan): Level {
  const table = getTable(scope.layout, plan.entity.name)
  const needed = new Set(['id'])
  const links = new Map<string, Link>()
  for (const field of plan.fields) {
    if (field.kind === 'value') needed.add(field.field.name)
    if (field.kind !== 'link') continue
    if (isReference(field)) needed.add(field.field.name)
    links.set(field.key, compileLink(scope, { table, plan: field }))
  }
  return { plan, columns: [...needed].map((name) => getColumn(table, name)), links }
}

/** Returns whether a link is a single stored reference. The row of the parent then has the id of the child. */
export function isReference({ field }: LinkPlan): boolean {
  return field.kind === 'stored' && !field.isList
}

function compileLink(scope: Scope, { table, plan }: { readonly table: Table; readonly plan: LinkPlan }): Link {
  const level = compileLevel(scope, plan.target)
  const child = getTable(scope.layout, plan.target.entity.name)
  const parameters = createParameters()
  const inner: StatementScope = { ...scope, parameters }
  const text = isReference(plan)
    ? referenceSql(inner, { child, columns: level.columns })
    : childrenSql(inner, { table, child, plan, columns: level.columns })
  return { plan, level, statement: { text, parameters: parameters.values } }
}

function referenceSql(
  scope: StatementScope,
  { child, columns }: { readonly child: Table; readonly columns: readonly Column[] },
): string {
  const ids = `${scope.parameters.add(parentIdsSlot)}::text[]::${child.idType}[]`
  const condition = visibleSql(scope, { alias: 'c', condition: `c."id" = any(${ids})` })
  return `select ${selectColumns(columns, 'c')} from ${child.name} as c where ${condition}`
}

// A derived field that is not a list has one child. A second one shows that it is ambiguous.
const firstTwo: Values = new Map([['first', { kind: 'Int', text: '2' }]])

type ChildrenSqlOptions = {
  readonly table: Table
  readonly child: Table
  readonly plan: LinkPlan
  readonly columns: readonly Column[]
}

/** Returns the SQL for the children of each parent, sorted and limited per parent. */
function childrenSql(scope: StatementScope, { table, child, plan, columns }: ChildrenSqlOptions): string {
  const { condition, sortKeys, range } = collectionSql(scope, {
    table: child,
    alias: 'c',
    values: plan.field.isList ? plan.values : firstTwo,
    link: linkSql({ parent: table, parentAlias: 'p', child, childAlias: 'c', field: plan.field }),
  })
  const ids = `${scope.parameters.add(parentIdsSlot)}::text[]::${table.idType}[]`
  const isStoredList = plan.field.kind === 'stored'
  const parents = isStoredList ? `${table.name} as p` : `unnest(${ids}) as p("id")`
  const isParent = visibleSql(scope, { alias: 'p', condition: `p."id" = any(${ids})` })
  const sorts = sortKeys.map(({ expression }, index) => `${expression} as s${index}`).join(', ')
  const innerOrder = sortKeys.map(({ expression, direction }) => `${expression} ${direction}`).join(', ')
  const outerOrder = sortKeys.map(({ direction }, index) => `k.s${index} ${direction}`).join(', ')
  return `select p."id"::text as parent, ${columns.map((_, index) => `k.c${index}`).join(', ')}
    from ${parents} cross join lateral (
      select ${selectColumns(columns, 'c')}, ${sorts} from ${child.name} as c
      where ${condition} order by ${innerOrder} ${range}) as k
    ${isStoredList ? `where ${isParent}` : ''} order by ${outerOrder} limit ${scope.parameters.add(rowLimitSlot)}::int4`
}
