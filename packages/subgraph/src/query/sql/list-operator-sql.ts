import { storageScalar } from '../../schema/entity-model.ts'
import { decodeScalar } from './decode-scalar.ts'
import type { OperatorUse } from './operator-use.ts'

/** Returns the SQL of an operator on a stored list: it has all elements of the operand, none, or (nocase) any. */
export function listOperatorSql({ key, column, expression, value, parameters }: OperatorUse): string {
  const scalar = storageScalar(column.field.type)
  const items = value.kind === 'List' ? value.items : []
  const texts = items.map((item) => decodeScalar(scalar, { value: item, argument: 'where' }))
  const list = `${parameters.add(texts)}::text[]`
  const typed = column.elementType === 'text' ? list : `${list}::${column.elementType}[]`
  const anyAlike = `exists (select 1 from unnest(${expression}) as e(v) where e.v ilike any(${list}))`
  switch (key.operator) {
    case '':
      return `${expression} = ${typed}`
    case 'not':
      return `${expression} <> ${typed}`
    case 'contains':
      return `${expression} @> ${typed}`
    case 'not_contains':
      return `not ${expression} && ${typed}`
    case 'contains_nocase':
      return anyAlike
    default:
      return `${expression} is not null and not ${anyAlike}`
  }
}
