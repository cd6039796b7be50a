import { Kind, type ValueNode } from 'graphql'
import { QueryError } from '../query-error.ts'

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
      return isInt32(value.text) || value.text.length > 16
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

export function isInt32(text: string): boolean {
  return text.length <= 11 && Number(text) === (Number(text) | 0)
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

/** Reads a literal. A variable that was not given is null, also inside objects, as in graph-node. */
export function readLiteral(node: ValueNode, variables: ReadonlyMap<string, Value>): Value {
  switch (node.kind) {
    case Kind.VARIABLE:
      return variables.get(node.name.value) ?? nullValue
    case Kind.NULL:
      return nullValue
    case Kind.BOOLEAN:
      return { kind: 'Boolean', value: node.value }
    case Kind.INT:
      return { kind: 'Int', text: node.value }
    case Kind.FLOAT:
      return { kind: 'Float', text: node.value }
    case Kind.STRING:
      return { kind: 'String', text: node.value }
    case Kind.ENUM:
      return { kind: 'Enum', text: node.value }
    case Kind.LIST:
      return { kind: 'List', items: node.values.map((item) => readLiteral(item, variables)) }
    case Kind.OBJECT:
      return {
        kind: 'Object',
        entries: new Map(node.fields.map((field) => [field.name.value, readLiteral(field.value, variables)])),
      }
  }
}

// The limit of brackets in the text of a query.
const nestingMax = 50

/** Reads a value from the `variables` of a request. */
export function readJson(json: unknown, depth = 0): Value {
  if (typeof json === 'boolean') return { kind: 'Boolean', value: json }
  if (typeof json === 'string') return { kind: 'String', text: json }
  if (typeof json === 'bigint') return { kind: 'Int', text: String(json) }
  if (typeof json === 'number') {
    return { kind: Number.isSafeInteger(json) ? 'Int' : 'Float', text: Object.is(json, -0) ? '0' : String(json) }
  }
  if (typeof json !== 'object' || json === null) return nullValue
  if (depth > nestingMax) throw new QueryError(`Recursion limit exceeded, variables nest deeper than ${nestingMax}.`)
  if (Array.isArray(json)) return { kind: 'List', items: json.map((item) => readJson(item, depth + 1)) }
  const entries = Object.entries(json).map(([key, value]) => [key, readJson(value, depth + 1)] as const)
  return { kind: 'Object', entries: new Map(entries) }
}
