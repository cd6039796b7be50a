import {
  type ASTNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
  isInputType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql'
import { locate, QueryError } from '../query-error.ts'
import { coerceValue } from './coerce-value.ts'
import { readJson, readLiteral } from './read-value.ts'
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
