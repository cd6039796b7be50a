import {
  type ASTNode,
  type FieldNode,
  GraphQLEnumType,
  type GraphQLField,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLSchema,
  isInputType,
  isNonNullType,
  isRequiredInputField,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  type ValueNode,
} from 'graphql'
import { locate, QueryError } from '../query-error.ts'
import { debugValue, nullValue, type Value } from './value.ts'

export type Values = ReadonlyMap<string, Value>

/** Coerces the variables an operation declares. It ignores others. */
export function coerceVariables(
  schema: GraphQLSchema,
  { operation, variables }: { readonly operation: OperationDefinitionNode; readonly variables: unknown },
): Values {
  const given = typeof variables === 'object' && variables !== null ? (variables as Record<string, unknown>) : {}
  const coerced = new Map<string, Value>()
  for (const definition of operation.variableDefinitions ?? []) {
    const name = definition.variable.name.value
    const type = typeFromAST(schema, definition.type)
    if (!isInputType(type))
      throw new QueryError(`Variable \`${name}\` must have an input type`, { locations: locate(definition) })
    const isGiven = Object.hasOwn(given, name) && given[name] !== undefined
    if (!isGiven && !definition.defaultValue) {
      if (!isNonNullType(type)) continue
      throw new QueryError(`No value provided for required variable \`${name}\``, {
        locations: locate(definition.variable),
      })
    }
    const value =
      isGiven || !definition.defaultValue ? readJson(given[name]) : readLiteral(definition.defaultValue, new Map())
    const result = coerceValue(type, value)
    if (!result) throw invalidArgument(name, { value, node: definition.variable })
    coerced.set(name, result)
  }
  return coerced
}

/** Coerces the arguments of a field. Arguments that are not given are missing in the result, without their default. */
export function coerceArguments(
  field: GraphQLField<unknown, unknown>,
  { node, variables }: { readonly node: FieldNode; readonly variables: Values },
): Values {
  const coerced = new Map<string, Value>()
  for (const argument of field.args) {
    const given = node.arguments?.find(({ name }) => name.value === argument.name)
    if (!given) continue
    const isUnset = given.value.kind === 'Variable' && !variables.has(given.value.name.value)
    if (isUnset && argument.defaultValue !== undefined) continue
    const value = readLiteral(given.value, variables)
    const result = coerceValue(argument.type, value)
    if (!result) throw invalidArgument(argument.name, { value, node: given })
    coerced.set(argument.name, result)
  }
  return coerced
}

export function invalidArgument(
  name: string,
  { value, node }: { readonly value: Value; readonly node?: ASTNode | undefined },
): QueryError {
  return new QueryError(`Invalid value provided for argument \`${name}\`: ${debugValue(value)}`, {
    locations: locate(node),
  })
}

export function argumentOf(values: Values, name: string): Value {
  return values.get(name) ?? nullValue
}

/**
 * Coerces a value to its input type. Returns undefined if it does not fit. It does not parse texts.
 *
 * It uses `instanceof`, because outside of production the predicates of graphql take several times as long, and a request
 * may have 100,000 values.
 */
function coerceValue(type: GraphQLInputType, value: Value): Value | undefined {
  if (type instanceof GraphQLNonNull) return value.kind === 'Null' ? undefined : coerceValue(type.ofType, value)
  if (value.kind === 'Null') return nullValue
  if (type instanceof GraphQLList) return coerceList(type.ofType, value)
  if (type instanceof GraphQLInputObjectType) return coerceObject(type, value)
  if (type instanceof GraphQLEnumType) {
    const isName = value.kind === 'Enum' || value.kind === 'String'
    return isName && type.getValue(value.text) ? { kind: 'Enum', text: value.text } : undefined
  }
  return coerceScalar(type.name, value)
}

/** Accepts a single value as a list of one, as GraphQL specifies. graph-node rejects it. */
function coerceList(type: GraphQLInputType, value: Value): Value | undefined {
  const items: Value[] = []
  for (const item of value.kind === 'List' ? value.items : [value]) {
    const coerced = coerceValue(type, item)
    if (!coerced) return undefined
    items.push(coerced)
  }
  return { kind: 'List', items }
}

function coerceObject(type: GraphQLInputObjectType, value: Value): Value | undefined {
  if (value.kind !== 'Object') return undefined
  const fields = type.getFields()
  const entries = new Map<string, Value>()
  for (const [key, entry] of value.entries) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined
    const coerced = field && coerceValue(field.type, entry)
    if (!coerced) return undefined
    entries.set(key, coerced)
  }
  const isComplete = requiredFieldsOf(type).every((name) => entries.has(name))
  return isComplete ? { kind: 'Object', entries } : undefined
}

// A filter type has about a hundred fields, and a request may hold many thousands of filter objects.
const requiredFields = new WeakMap<GraphQLInputObjectType, readonly string[]>()

function requiredFieldsOf(type: GraphQLInputObjectType): readonly string[] {
  const known = requiredFields.get(type)
  if (known) return known
  const names = Object.values(type.getFields())
    .filter(isRequiredInputField)
    .map(({ name }) => name)
  requiredFields.set(type, names)
  return names
}

function coerceScalar(name: string, value: Value): Value | undefined {
  switch (name) {
    case 'Boolean':
      return value.kind === 'Boolean' ? value : undefined
    case 'Int':
      return value.kind === 'Int' && isInt32(value.text) ? value : undefined
    case 'ID':
      if (value.kind === 'Int') return { kind: 'String', text: value.text }
      return value.kind === 'String' ? value : undefined
    case 'BigInt':
    case 'Int8':
      return value.kind === 'String' || value.kind === 'Int' ? value : undefined
    case 'BigDecimal':
      return value.kind === 'String' || value.kind === 'Int' || value.kind === 'Float' ? value : undefined
    case 'Timestamp':
      return value.kind === 'String' && /^[+-]?\d{1,19}$/.test(value.text) ? value : undefined
    default:
      return value.kind === 'String' ? value : undefined
  }
}

export function isInt32(text: string): boolean {
  return text.length <= 11 && Number(text) === (Number(text) | 0)
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
