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

/** Makes the function that gives a column's value in API form. */
export function createDecoder({ field }: Column): (raw: Row[string] | undefined) => unknown {
  const decode = decoders[storageScalar(field.type)] ?? ((text: string) => text)
  const decodeNullable = (text: string | null) => (text === null ? null : decode(text))
  return (raw) => (typeof raw === 'string' ? decode(raw) : (raw?.map(decodeNullable) ?? null))
}

const decoders: Readonly<Record<string, (text: string) => unknown>> = {
  Int: Number,
  Boolean: (text) => text === 'true',
  Bytes: (text) => `0x${text.slice('\\x'.length)}`,
}
