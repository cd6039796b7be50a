import { storageScalar } from '../schema/entity-model.ts'
import type { Column } from './layout.ts'

/**
 * Columns are read as text, lists as arrays of it, so that no driver rounds a number: a row has them as `c0`, `c1`, …
 */
export type Row = Readonly<Record<string, string | readonly (string | null)[] | null>>

/** The select list that reads columns of the table `alias`. */
export function selectColumns(columns: readonly Column[], alias: string): string {
  return columns
    .map(({ name, field }, index) => `${alias}.${name}::${field.isList ? 'text[]' : 'text'} as c${index}`)
    .join(', ')
}

/** A value of a row in API form. */
export function decodeColumn({ field }: Column, raw: Row[string] | undefined): unknown {
  const scalar = storageScalar(field.type)
  const decode = (text: string | null) => {
    if (text === null) return null
    if (scalar === 'Int') return Number(text)
    if (scalar === 'Boolean') return text === 'true'
    return scalar === 'Bytes' ? `0x${text.slice('\\x'.length)}` : text
  }
  return typeof raw === 'string' ? decode(raw) : (raw?.map(decode) ?? null)
}
