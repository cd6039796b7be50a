import { type DocumentNode, execute, type FieldNode, GraphQLSchema, Kind, type OperationDefinitionNode } from 'graphql'
import { collectFields, type SelectionContext, subSelectionsOf } from '../plan/collect-fields.ts'

// Each is answered for every type, field and argument of the schema. What the usual tools ask for has 200.
const introspectionFieldsMax = 1_000

export type Introspect = (query: {
  readonly context: SelectionContext
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  readonly fields: readonly FieldNode[]
  readonly variables: Readonly<Record<string, unknown>>
}) => Readonly<Record<string, unknown>>

/** Answers `__schema` and `__type` through graphql-js, with graph-node's list of types: sorted, without `__…`. */
export function createIntrospect(schema: GraphQLSchema): Introspect {
  const shown = showSorted(schema)
  return ({ context, document, operation, fields, variables }) => {
    if (fields.length === 0) return {}
    const budget = { max: introspectionFieldsMax, left: introspectionFieldsMax }
    for (const field of fields) spendOn({ ...context, budget }, [field])
    const asked = fields.filter((field) => !asksForInternalType(field, variables))
    const definitions = [
      { ...operation, selectionSet: { ...operation.selectionSet, selections: asked } },
      ...document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION),
    ]
    const result = execute({ schema: shown, document: { ...document, definitions }, variableValues: variables })
    if ('then' in result) throw new Error('Introspection is synchronous.')
    const [error] = result.errors ?? []
    if (error) throw error
    const hidden = fields
      .filter((field) => !asked.includes(field))
      .map(({ alias, name }) => [(alias ?? name).value, null])
    return Object.fromEntries([...Object.entries(result.data ?? {}), ...hidden])
  }
}

/** Counts the fields below some others, down to the last fragment; throws when they are too many. */
function spendOn(context: SelectionContext, fields: readonly FieldNode[]): void {
  for (const nodes of collectFields(context, subSelectionsOf(fields)).values()) spendOn(context, nodes)
}

/** graph-node knows no types of introspection itself: `__type(name: "__Type")` is null. */
function asksForInternalType(field: FieldNode, variables: Readonly<Record<string, unknown>>): boolean {
  const given = field.arguments?.find(({ name }) => name.value === 'name')?.value
  const name = given?.kind === Kind.VARIABLE ? variables[given.name.value] : given?.kind === Kind.STRING && given.value
  return typeof name === 'string' && name.startsWith('__')
}

/** graphql-js lists types in the order it met them, and asks the schema for them through these methods. */
function showSorted(schema: GraphQLSchema): GraphQLSchema {
  const shown = new GraphQLSchema({ ...schema.toConfig(), assumeValid: true })
  const all = shown.getTypeMap()
  const names = Object.keys(all).filter((name) => !name.startsWith('__'))
  const types = Object.fromEntries(names.sort().map((name) => [name, all[name]]))
  return Object.assign(shown, { getTypeMap: () => types, getType: (name: string) => all[name] })
}
