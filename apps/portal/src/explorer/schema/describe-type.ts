import {
  type GraphQLArgument,
  type GraphQLEnumValue,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  isEnumType,
  isInputObjectType,
  isObjectType,
} from 'graphql'

export type SchemaField = Pick<GraphQLArgument, 'name' | 'description'> & {
  readonly type: GraphQLOutputType | GraphQLInputType
  readonly args?: readonly GraphQLArgument[]
}

type TypeDescription = {
  /** A query can select the fields of a `type` only. */
  readonly kind: 'type' | 'input' | 'enum' | 'scalar'
  readonly fields: readonly SchemaField[]
  /** Of an enum. */
  readonly values: readonly GraphQLEnumValue[]
}

/** Describes a type for the schema browser. */
export function describeType(type: GraphQLNamedType): TypeDescription {
  if (isObjectType(type)) return { kind: 'type', fields: Object.values(type.getFields()), values: [] }
  if (isInputObjectType(type)) return { kind: 'input', fields: Object.values(type.getFields()), values: [] }
  if (isEnumType(type)) return { kind: 'enum', fields: [], values: type.getValues() }
  return { kind: 'scalar', fields: [], values: [] }
}
