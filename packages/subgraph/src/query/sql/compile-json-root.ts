import { storageScalar } from '../../schema/entity-model.ts'
import { type Column, getColumn, getTable, type Table } from '../../store/layout.ts'
import { headSql } from '../../store/read-block.ts'
import type { EntityRoot } from '../plan/plan-query.ts'
import type { PlannedField } from '../plan/plan-selection.ts'
import { rootSql } from './root-sql.ts'
import type { Scope, Statement } from './statement.ts'

/** Statement that returns one row: the head, and the value of a root field as JSON text in `json`, or null. */
export type JsonStatement = Statement & { readonly jsonIfNull: '[]' | 'null' }

/** Compiles a root field without nested levels to one statement, which returns the JSON that the client receives. */
export function compileJsonRoot(scope: Scope, root: EntityRoot): JsonStatement {
  const { entity, fields } = root.plan
  const table = getTable(scope.layout, entity.name)
  const columns = fields.map((field) => `${fieldSql(table, field)} as "${field.key}"`).join(', ')
  const { clauses, parameters } = rootSql(scope, root)
  const isSingle = root.kind === 'single'
  // No field can be called "$row". PostgreSQL would take a column of the row's name for the row.
  const text = `select h.*, (select ${isSingle ? 'row_to_json' : 'json_agg'}("$row")::text
      from (select ${columns} ${clauses}) as "$row") as json
    from (${headSql(scope.layout)}) as h`
  return { text, parameters, jsonIfNull: isSingle ? 'null' : '[]' }
}

function fieldSql(table: Table, field: PlannedField): string {
  // GraphQL names consist of letters, digits and _.
  if (field.kind === 'typename') return `'${table.entity.name}'::text`
  if (field.kind === 'link') throw new Error(`The field ${field.key} has a level of its own.`)
  return jsonSql(getColumn(table, field.field.name))
}

/** Returns the expression of a column in API form: JSON numbers for 32-bit integers, texts for all other numbers. */
function jsonSql({ field, name }: Column): string {
  const scalar = storageScalar(field.type)
  if (scalar === 'Int' || scalar === 'Boolean') return `c.${name}`
  if (scalar !== 'Bytes') return `c.${name}::${field.isList ? 'text[]' : 'text'}`
  if (!field.isList) return `'0x' || encode(c.${name}, 'hex')`
  const hexes = `select '0x' || encode(e.v, 'hex') from unnest(c.${name}) with ordinality as e(v, n) order by e.n`
  return `case when c.${name} is not null then array(${hexes}) end`
}
