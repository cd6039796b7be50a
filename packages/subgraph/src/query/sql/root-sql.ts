import { getTable } from '../../store/layout.ts'
import type { EntityRoot } from '../plan/plan-query.ts'
import { argumentOf } from '../request/coerce-arguments.ts'
import { parameterOf } from '../request/open-variables.ts'
import { collectionSql, type SortKey } from './collection-sql.ts'
import { decodeScalar } from './decode-scalar.ts'
import { createParameters, type Scope, type StatementScope, visibleSql } from './statement.ts'

/** `from` and the clauses after it, for the entities of a root field as `c`. */
export type RootSql = { readonly clauses: string; readonly parameters: readonly unknown[] }

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
  const clauses = `from ${table.name} as c ${join} where ${condition} ${orderSql(sortKeys)} ${range}`
  return { clauses, parameters: parameters.values }
}

function orderSql(keys: readonly SortKey[]): string {
  return `order by ${keys.map(({ expression, direction }) => `${expression} ${direction}`).join(', ')}`
}
