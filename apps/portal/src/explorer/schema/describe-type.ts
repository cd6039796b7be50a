import {
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  isEnumType,
  isInputObjectType,
  isObjectType,
} from 'graphql'

export type SchemaField = {
  readonly name: string
  readonly type: GraphQLOutputType | GraphQLInputType
  readonly description: string | undefined
  readonly args: readonly SchemaArgument[]
}

type SchemaArgument = {
  readonly name: string
  readonly type: GraphQLInputType
  /** Value that an argument has if a query does not give it, as text. */
  readonly standard: string | undefined
}

export type TypeDescription = {
  readonly kind: 'type' | 'input' | 'enum' | 'scalar'
  readonly description: string | undefined
  readonly fields: readonly SchemaField[]
  /** Of an enum. */
  readonly values: readonly string[]
  /** Whether a query can select its fields. */
  readonly canInsert: boolean
}

/** Describes a type for the schema browser. */
export function describeType(type: GraphQLNamedType): TypeDescription {
  const empty = { description: type.description ?? undefined, fields: [], values: [], canInsert: false }
  if (isObjectType(type)) {
    const fields = Object.values(type.getFields()).map((field) => ({
      ...textOf(field),
      type: field.type,
      args: field.args.map(({ name, type: argumentType, defaultValue }) => ({
        name,
        type: argumentType,
        standard: defaultValue === undefined ? undefined : JSON.stringify(defaultValue),
      })),
    }))
    return { ...empty, kind: 'type', fields, canInsert: true }
  }
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).map((field) => ({ ...textOf(field), type: field.type, args: [] }))
    return { ...empty, kind: 'input', fields }
  }
  if (isEnumType(type)) return { ...empty, kind: 'enum', values: type.getValues().map(({ name }) => name) }
  return { ...empty, kind: 'scalar' }
}

function textOf({ name, description }: { readonly name: string; readonly description?: string | null | undefined }) {
  return { name, description: description ?? undefined }
}
