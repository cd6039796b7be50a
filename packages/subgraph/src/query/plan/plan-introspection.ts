import { type DocumentNode, type FieldNode, Kind } from 'graphql'
import type { Query } from '../request/read-request.ts'
import { collectFields, type SelectionContext, subSelectionsOf } from './plan-selection.ts'

/** `__schema` and `__type` fields as a document of their own. */
export type IntrospectionPlan = {
  readonly document: DocumentNode
  readonly variables: Readonly<Record<string, unknown>>
  /** Response keys whose value is null: they ask for types that graph-node does not know. */
  readonly nullKeys: readonly string[]
}

// graphql-js resolves each of them for every type, field and argument. The query of the usual tools has 200.
const introspectionFieldsMax = 1_000

/** Plans introspection fields. Throws a `QueryError` if they select too many fields. */
export function planIntrospection(
  { document, operation, fragments, variables, rawVariables }: Query,
  fields: readonly FieldNode[],
): IntrospectionPlan {
  const budget = { max: introspectionFieldsMax, left: introspectionFieldsMax }
  for (const field of fields) countFields({ fragments, variables, budget }, [field])
  const isInternal = (field: FieldNode) => asksForInternalType(field, rawVariables)
  const selections = fields.filter((field) => !isInternal(field))
  const definitions = [
    { ...operation, selectionSet: { ...operation.selectionSet, selections } },
    ...document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION),
  ]
  const nullKeys = fields.filter(isInternal).map(({ alias, name }) => (alias ?? name).value)
  return { document: { ...document, definitions }, variables: rawVariables, nullKeys }
}

function countFields(context: SelectionContext, fields: readonly FieldNode[]): void {
  for (const nodes of collectFields(context, subSelectionsOf(fields)).values()) countFields(context, nodes)
}

/** graph-node does not know the types of introspection: `__type(name: "__Type")` is null. */
function asksForInternalType(field: FieldNode, variables: Readonly<Record<string, unknown>>): boolean {
  const given = field.arguments?.find(({ name }) => name.value === 'name')?.value
  const name = given?.kind === Kind.VARIABLE ? variables[given.name.value] : given?.kind === Kind.STRING && given.value
  return typeof name === 'string' && name.startsWith('__')
}
