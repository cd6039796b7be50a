import { storageScalar } from '../../schema/entity-model.ts'
import { type Column, getColumn, getTable } from '../../store/layout.ts'
import { headSql } from '../../store/read-block.ts'
import type { PlannedField } from '../plan/plan-selection.ts'
import { type DataRoot, orderSql, rootSql } from './compile-plan.ts'
import type { Scope, Statement } from './statement.ts'

/** Its row has the head, and the answer of the root field as JSON in `json`: null where nothing fits. */
export type JsonStatement = Statement & { readonly ifNothing: '[]' | 'null' }

// PostgreSQL cuts longer names of columns off.
const keyLengthMax = 63
// Its limit is 1,664 columns.
const fieldsMax = 1_000

/**
 * Writes a root field as one statement that returns it as the client gets it, so that nobody has to take rows apart and
 * put them together again. Undefined if it has levels below it, or fields for which that cannot be said so plainly.
 */
export function compileRootAsJson(scope: Scope, root: DataRoot): JsonStatement | undefined {
  const { entity, fields } = root.plan
  const table = getTable(scope.layout, entity.name)
  const columnOf = (name: string) => getColumn(table, name)
  const selected = fields.map((field) => fieldSql(field, { typename: entity.name, columnOf }))
  if (selected.includes(undefined) || fields.length === 0 || fields.length > fieldsMax) return undefined
  const { source, sortKeys, range, parameters } = rootSql(scope, root)
  const order = orderSql(sortKeys.map(({ expression, direction }) => [expression, direction]))
  const isSingle = root.kind === 'single'
  // Named as no field can be: a column of the name of the row would be taken for it.
  const text = `select h.*, (select ${isSingle ? 'row_to_json' : 'json_agg'}("$row")::text
      from (select ${selected.join(', ')} ${source} ${order} ${range}) as "$row") as json
    from (${headSql(scope.layout)}) as h`
  return { text, parameters, ifNothing: isSingle ? 'null' : '[]' }
}

function fieldSql(
  field: PlannedField,
  { typename, columnOf }: { readonly typename: string; readonly columnOf: (name: string) => Column },
): string | undefined {
  if (field.key.length > keyLengthMax) return undefined
  // Names of GraphQL have letters, digits and _ only.
  if (field.kind === 'typename') return `'${typename}'::text as "${field.key}"`
  const expression = field.kind === 'value' ? jsonSql(columnOf(field.field.name)) : undefined
  return expression && `${expression} as "${field.key}"`
}

/** A column in API form. JSON's numbers are for what fits 32 bits; all others are texts. */
function jsonSql({ field, name }: Column): string | undefined {
  if (field.isList) return undefined
  const scalar = storageScalar(field.type)
  if (scalar === 'Int' || scalar === 'Boolean') return `c.${name}`
  return scalar === 'Bytes' ? `'0x' || encode(c.${name}, 'hex')` : `c.${name}::text`
}
