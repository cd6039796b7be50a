import type { Scalar } from '../../schema/entity-model.ts'
import type { FilterKey, FilterOperator } from '../../schema/filter-keys.ts'
import { parseScalar } from '../../schema/parse-scalar.ts'
import { hasAnyLength, indexedBytesMax, isIndexedSql } from '../../store/create-tables.ts'
import type { Column } from '../../store/layout.ts'
import { QueryError } from '../query-error.ts'
import { invalidArgument } from '../request/coerce-arguments.ts'
import type { Value } from '../request/value.ts'
import { isOpen, type Parameters, parameterOf } from './statement.ts'

const comparisonSymbols: Readonly<Partial<Record<FilterOperator, string>>> = { gt: '>', lt: '<', gte: '>=', lte: '<=' }

/** Returns the SQL of a filter operator. graph-node has SQL's rules for null. */
export function operatorSql(use: OperatorUse): string {
  const { key, expression, value } = use
  const { operator, field } = key
  if (operator === 'in' || operator === 'not_in') return membershipSql(use)
  if (value.kind === 'Null') return nullSql(use)
  if (field.isList) return listOperatorSql(use)
  const symbol = comparisonSymbols[operator]
  if (symbol) return `${expression} ${symbol} ${operandSql(use)}`
  if (operator === '') return equalitySql(use)
  if (operator === 'not') return `${expression} <> ${operandSql(use)}`
  return patternSql(use)
}

function nullSql({ key, expression }: OperatorUse): string {
  const { operator } = key
  if (operator === '') return `${expression} is null`
  if (operator === 'not') return `${expression} is not null`
  const symbol = comparisonSymbols[operator]
  if (symbol) throw new QueryError(`Store error: unsupported filter \`${symbol}\` for value \`null\``)
  const not = operator.startsWith('not_') ? 'not ' : ''
  if (operator.includes('contains')) {
    throw new QueryError(
      `Failed to get entities from store: unsupported filter \`${not}contains\` for value \`null\`, query = ${key.key}: null`,
    )
  }
  const like = operator.endsWith('_nocase') ? 'ilike' : 'like'
  throw new QueryError(`Store error: unsupported filter \` ${not}${like} \` for value \`null\``)
}

function operandSql(use: OperatorUse): string {
  const operand = parameterOf(use.value, (value) => operandText({ ...use, value }))
  return `${use.parameters.add(operand)}::text::${use.column.elementType}`
}

function operandText({ column, value }: OperatorUse): string {
  return decodeScalar(column.scalar, { value, argument: 'where' })
}

function equalitySql(use: OperatorUse): string {
  // Open values are short.
  const texts = isOpen(use.value) ? [] : [operandText(use)]
  return withIndexCondition(use, { condition: `${use.expression} = ${operandSql(use)}`, texts })
}

function membershipSql(use: OperatorUse): string {
  const { key, column, expression, value, parameters } = use
  if (value.kind !== 'List') throw new QueryError(`Non-list value passed to \`_${key.operator}\` filter`)
  // graph-node compiles both operators to `false` for an empty list.
  if (value.items.length === 0) return 'false'
  const texts = value.items.map((item) => operandText({ ...use, value: item }))
  const list = `${parameters.add(texts)}::text[]::${column.elementType}[]`
  if (key.operator === 'not_in') return `${expression} <> all(${list})`
  return withIndexCondition(use, { condition: `${expression} = any(${list})`, texts })
}

/** Adds the condition of the partial index, which has short values only, so that PostgreSQL can use it. */
function withIndexCondition(
  { column, expression }: OperatorUse,
  { condition, texts }: { readonly condition: string; readonly texts: readonly string[] },
): string {
  const isShort = (text: string) => Buffer.byteLength(text) <= indexedBytesMax
  return hasAnyLength(column) && texts.every(isShort) ? `${condition} and ${isIndexedSql(expression)}` : condition
}

/** Returns the SQL of an operator on a stored list: it has all elements of the operand, none, or (nocase) any. */
function listOperatorSql({ key, column, expression, value, parameters }: OperatorUse): string {
  const items = value.kind === 'List' ? value.items : []
  const texts = items.map((item) => decodeScalar(column.scalar, { value: item, argument: 'where' }))
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

/**
 * Returns the SQL of `contains`, `starts_with` and `ends_with`: LIKE with the unescaped value. As in graph-node, `%`, `_` and
 * `\` in it are wildcards, and queries rely on it.
 */
function patternSql(use: OperatorUse): string {
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

/** Returns the text that PostgreSQL accepts for a coerced value. Throws a `QueryError` if there is none. */
export function decodeScalar(
  scalar: Scalar,
  { value, argument }: { readonly value: Value; readonly argument: string },
) {
  const parsed = parseScalar(scalar, textOf(value))
  if ('text' in parsed) return parsed.text
  if (scalar === 'Bytes' || scalar === 'BigInt' || scalar === 'BigDecimal' || scalar === 'Int8') {
    throw new QueryError(`Failed to decode \`${scalar}\` value: \`${parsed.fault}\``)
  }
  throw invalidArgument(argument, { value })
}

function textOf(value: Value): string {
  if ('text' in value) return value.text
  return value.kind === 'Boolean' ? String(value.value) : ''
}

/** Operator of a `where` on a column. `expression` is the column in the statement. */
type OperatorUse = {
  readonly key: Extract<FilterKey, { kind: 'operator' }>
  readonly column: Column
  readonly expression: string
  readonly value: Value
  readonly parameters: Parameters
}
