import type { Column } from './layout.ts'

/**
 * Row with columns `c0`, `c1`, … Columns are read as text, and lists as arrays of text, so that no driver rounds a number.
 */
export type Row = Readonly<Record<string, string | readonly (string | null)[] | null>>

/** Returns the select list that reads columns of the table `alias`. */
export function selectColumns(columns: readonly Column[], alias: string): string {
  return columns
    .map(({ name, field }, index) => `${alias}.${name}::${field.isList ? 'text[]' : 'text'} as c${index}`)
    .join(', ')
}

/** Creates a function that converts a column's value to API form. */
export function createDecoder({ scalar }: Column): (raw: Row[string] | undefined) => unknown {
  const decode = decoders[scalar] ?? ((text: string) => text)
  const decodeNullable = (text: string | null) => (text === null ? null : decode(text))
  return (raw) => (typeof raw === 'string' ? decode(raw) : (raw?.map(decodeNullable) ?? null))
}

const decoders: Readonly<Record<string, (text: string) => unknown>> = {
  Int: Number,
  // In the text of an array it is one letter.
  Boolean: (text) => text.startsWith('t'),
  Bytes: (text) => `0x${text.slice('\\x'.length)}`,
}
