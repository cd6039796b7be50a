import { storageScalar } from '../../schema/entity-model.ts'
import type { FilterOperator } from '../../schema/filter-keys.ts'
import { hasAnyLength, indexedBytesMax, isIndexedSql } from '../../store/create-tables.ts'
import { QueryError } from '../query-error.ts'
import { isOpen, parameterOf } from '../request/open-variables.ts'
import { decodeScalar } from './decode-scalar.ts'
import { listOperatorSql } from './list-operator-sql.ts'
import type { OperatorUse } from './operator-use.ts'
import { patternSql } from './pattern-sql.ts'

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
  return decodeScalar(storageScalar(column.field.type), { value, argument: 'where' })
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
