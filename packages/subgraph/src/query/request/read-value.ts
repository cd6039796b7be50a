import { Kind, type ValueNode } from 'graphql'
import { QueryError } from '../query-error.ts'
import { nullValue, type Value } from './value.ts'

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
