/**
 * Input value before it is coerced, from a literal or from JSON. The kinds are graph-node's, because its error messages
 * print them in Rust's debug form. Numbers stay texts, because a BigInt literal may have any length.
 */
export type Value =
  | { readonly kind: 'Null' }
  | { readonly kind: 'Boolean'; readonly value: boolean }
  | { readonly kind: 'Int' | 'Float' | 'String' | 'Enum'; readonly text: string }
  | { readonly kind: 'List'; readonly items: readonly Value[] }
  | { readonly kind: 'Object'; readonly entries: ReadonlyMap<string, Value> }

export const nullValue: Value = { kind: 'Null' }

/** Prints a value as Rust's `{:?}` does. */
export function debugValue(value: Value): string {
  switch (value.kind) {
    case 'Null':
      return 'Null'
    case 'Boolean':
      return `Boolean(${value.value})`
    case 'Int':
      // graph-node reads a JSON number beyond 32 bits as a float.
      return BigInt.asIntN(32, BigInt(value.text)) === BigInt(value.text) || value.text.length > 16
        ? `Int(Number(${value.text}))`
        : `Float(${debugFloat(Number(value.text))})`
    case 'Float':
      return `Float(${debugFloat(Number(value.text))})`
    case 'String':
      return `String(${debugString(value.text)})`
    case 'Enum':
      return `Enum(${debugString(value.text)})`
    case 'List':
      return `List([${value.items.map(debugValue).join(', ')}])`
    case 'Object':
      return `Object({${[...value.entries].map(([key, entry]) => `${debugString(key)}: ${debugValue(entry)}`).join(', ')}})`
  }
}

function debugFloat(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return 'inf'
  if (value === Number.NEGATIVE_INFINITY) return '-inf'
  const size = Math.abs(value)
  if (size !== 0 && (size >= 1e16 || size < 1e-4)) return value.toExponential().replace('e+', 'e')
  return Number.isInteger(value) ? `${value}.0` : String(value)
}

const namedEscapes: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
}

function debugString(text: string): string {
  const escaped = text.replaceAll(
    /["\\]|[\p{Cc}\p{Surrogate}]/gu,
    (character) => namedEscapes[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
  return `"${escaped}"`
}
