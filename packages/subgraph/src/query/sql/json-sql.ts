import { type Column, getColumn, type Table } from '../../store/layout.ts'
import type { PlannedField } from '../plan/plan-selection.ts'

// PostgreSQL's limit for the arguments of a function.
const argumentsMax = 100

/**
 * Returns the expression of an entity `c` as JSON text in API form. It concatenates texts: PostgreSQL's JSON functions look
 * up the type of each column again for each row, which takes longer than reading the rows.
 */
export function objectSql(table: Table, fields: readonly PlannedField[]): string {
  const parts: string[] = []
  let text = '{'
  for (const field of fields) {
    const { before, sql, after } = valueSql(table, field)
    // GraphQL names consist of letters, digits and _.
    parts.push(`'${text}"${field.key}":${before}'`, sql)
    text = `${after},`
  }
  parts.push(`'${text.slice(0, -1)}}'`)
  const calls: string[] = []
  while (parts.length > 0) calls.push(`concat(${parts.splice(0, argumentsMax).join(', ')})`)
  return calls.join(' || ')
}

/** Value as JSON text: an expression between two constant texts. */
type ValueSql = { readonly before: string; readonly sql: string; readonly after: string }

function valueSql(table: Table, field: PlannedField): ValueSql {
  if (field.kind === 'typename') return { before: '"', sql: `'${table.entity.name}'`, after: '"' }
  if (field.kind === 'link') throw new Error(`The field ${field.key} has a level of its own.`)
  const value = columnSql(getColumn(table, field.field.name))
  if (field.field.isRequired) return value
  const { before, sql, after } = value
  return { before: '', sql: `coalesce('${before}' || ${sql}::text || '${after}', 'null')`, after: '' }
}

/** Returns a column in API form: JSON numbers for 32-bit integers, texts for all other numbers. */
function columnSql({ field, name, scalar }: Column): ValueSql {
  const column = `c.${name}`
  const isJson = scalar === 'Int' || scalar === 'Boolean'
  if (field.isList) {
    const hexes = `select '0x' || encode(e.v, 'hex') from unnest(${column}) with ordinality as e(v, n) order by e.n`
    const bytes = `case when ${column} is not null then array(${hexes}) end`
    return unquoted(`to_json(${scalar === 'Bytes' ? bytes : `${column}${isJson ? '' : '::text[]'}`})`)
  }
  // The name of a boolean: `concat` writes its first letter.
  if (isJson) return unquoted(`${column}::text`)
  if (scalar === 'Bytes') return { before: '"0x', sql: `encode(${column}, 'hex')`, after: '"' }
  // Only these may need escapes.
  if (scalar === 'String' || scalar === 'ID') return unquoted(`to_json(${column})`)
  return { before: '"', sql: column, after: '"' }
}

function unquoted(sql: string): ValueSql {
  return { before: '', sql, after: '' }
}
