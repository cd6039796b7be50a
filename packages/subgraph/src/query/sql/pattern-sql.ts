import { decodeScalar } from './decode-scalar.ts'
import type { OperatorUse } from './operator-use.ts'

/**
 * Returns the SQL of `contains`, `starts_with` and `ends_with`: LIKE with the unescaped value. As in graph-node, `%`, `_` and
 * `\` in it are wildcards, and queries rely on it.
 */
export function patternSql(use: OperatorUse): string {
  const { key, column, expression, value, parameters } = use
  const isNegated = key.operator.startsWith('not_')
  if (column.elementType === 'bytea' && column.field.type.kind === 'scalar') {
    const bytes = `${parameters.add(decodeScalar('Bytes', { value, argument: 'where' }))}::text::bytea`
    return `position(${bytes} in ${expression}) ${isNegated ? '= 0' : '> 0'}`
  }
  const text = decodeScalar('String', { value, argument: 'where' })
  const like = `${isNegated ? 'not ' : ''}${key.operator.endsWith('_nocase') ? 'ilike' : 'like'}`
  return `${textSql(use, expression)} ${like} ${parameters.add(patternOf(key.operator, text))}::text`
}

/** Text operators on a reference whose id is Bytes apply to the id in API form. */
function textSql({ column }: OperatorUse, expression: string): string {
  return column.elementType === 'bytea' ? `('0x' || encode(${expression}, 'hex'))` : expression
}

function patternOf(operator: string, text: string): string {
  if (operator.includes('starts_with')) return `${text}%`
  if (operator.includes('ends_with')) return `%${text}`
  return text.startsWith('%') || text.endsWith('%') ? text : `%${text}%`
}
