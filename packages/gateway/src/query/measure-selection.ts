import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql'
import { queryRejected } from '../chain-subgraph.ts'

export type Variables = Readonly<Record<string, unknown>>

/** Number of rows, or a function of the variables if one of them determines it. */
export type Rows = number | ((variables: Variables) => number)

/** Size of a selection with its fragments expanded. */
type SelectionSize = {
  /** Fields of its own level. */
  readonly width: number
  readonly depth: number
  /** Fields of all levels. */
  readonly fields: number
  readonly aliases: number
  /** The largest product of `first` along a path. */
  readonly rows: Rows
}

export type MeasureContext = {
  /** Decides whether a field is a list. A field that is not in the schema counts as a list. */
  readonly schema: GraphQLSchema
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  /** Sizes by fragment. Each is measured once, so nested spreads do not multiply the work. */
  readonly measured: Map<string, SelectionSize | 'measuring'>
}

/** graph-node's default of `first`. */
const firstDefault = 100

/** Returns the fragments of a document by name. Throws `query_rejected` if two have one name. */
export function fragmentsOf({ definitions }: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of definitions) {
    if (definition.kind !== Kind.FRAGMENT_DEFINITION) continue
    const name = definition.name.value
    if (fragments.has(name)) throw queryRejected(`The query has two fragments named "${name}".`)
    fragments.set(name, definition)
  }
  return fragments
}

/** Measures a selection in time proportional to the text, whatever it expands to. */
export function measureSelection(
  context: MeasureContext,
  { set, type }: { readonly set: SelectionSetNode; readonly type: GraphQLNamedType | undefined },
): SelectionSize {
  return set.selections.map((selection) => measureOne(context, { selection, type })).reduce(add, nothing)
}

const nothing: SelectionSize = { width: 0, depth: 0, fields: 0, aliases: 0, rows: 1 }

function add(a: SelectionSize, b: SelectionSize): SelectionSize {
  return {
    width: a.width + b.width,
    depth: Math.max(a.depth, b.depth),
    fields: a.fields + b.fields,
    aliases: a.aliases + b.aliases,
    rows: combine([a.rows, b.rows], Math.max),
  }
}

function measureOne(
  context: MeasureContext,
  { selection, type }: { readonly selection: SelectionNode; readonly type: GraphQLNamedType | undefined },
): SelectionSize {
  if (selection.kind === Kind.FIELD) return measureField(context, { field: selection, type })
  if (selection.kind === Kind.FRAGMENT_SPREAD) return measureFragment(context, selection.name.value)
  const { typeCondition, selectionSet } = selection
  const ownType = typeCondition ? context.schema.getType(typeCondition.name.value) : type
  return measureSelection(context, { set: selectionSet, type: ownType })
}

function measureFragment(context: MeasureContext, name: string): SelectionSize {
  const known = context.measured.get(name)
  if (known === 'measuring') throw queryRejected(`The fragment "${name}" spreads itself. Remove the spread.`)
  if (known) return known
  const fragment = context.fragments.get(name)
  if (!fragment) throw queryRejected(`The query spreads the undefined fragment "${name}".`)
  context.measured.set(name, 'measuring')
  const type = context.schema.getType(fragment.typeCondition.name.value)
  const size = measureSelection(context, { set: fragment.selectionSet, type })
  context.measured.set(name, size)
  return size
}

function measureField(
  context: MeasureContext,
  { field, type }: { readonly field: FieldNode; readonly type: GraphQLNamedType | undefined },
): SelectionSize {
  const definition = isObjectType(type) ? type.getFields()[field.name.value] : undefined
  const inner = field.selectionSet
    ? measureSelection(context, { set: field.selectionSet, type: definition && getNamedType(definition.type) })
    : nothing
  // Introspection is deep by nature and has a limit of its own.
  const isDescription = field.name.value.startsWith('__')
  const isList = definition ? isListType(getNullableType(definition.type)) : mayBeList(field)
  const factor = field.selectionSet && isList ? firstOf(field) : 1
  return {
    width: 1,
    depth: isDescription ? 1 : 1 + inner.depth,
    fields: 1 + inner.fields,
    aliases: (field.alias ? 1 : 0) + inner.aliases,
    rows: isDescription ? 1 : combine([factor, inner.rows], (a, b) => a * b),
  }
}

/** By graph-node's convention a field with an `id` argument returns one entity, and so does `_meta`. */
function mayBeList({ name, arguments: given = [] }: FieldNode): boolean {
  return name.value !== '_meta' && !given.some((argument) => argument.name.value === 'id')
}

function firstOf({ arguments: given = [] }: FieldNode): Rows {
  const value = given.find(({ name }) => name.value === 'first')?.value
  if (value?.kind !== Kind.VARIABLE) return readCount(value)
  const name = value.name.value
  return (variables) => {
    const given = Object.hasOwn(variables, name) ? variables[name] : undefined
    return typeof given === 'number' && given >= 0 ? given : firstDefault
  }
}

function readCount(value: ValueNode | undefined): number {
  return value?.kind === Kind.INT ? Math.max(0, Number(value.value)) : firstDefault
}

/** Combines two row counts, immediately if both are numbers. */
function combine([a, b]: readonly [Rows, Rows], operate: (a: number, b: number) => number): Rows {
  if (typeof a === 'number' && typeof b === 'number') return operate(a, b)
  const read = (rows: Rows, variables: Variables) => (typeof rows === 'number' ? rows : rows(variables))
  return (variables) => operate(read(a, variables), read(b, variables))
}

/** Limits of a query (DESIGN.md §2.3). */
export const queryLimits = {
  tokens: 2_000,
  depth: 10,
  rootFields: 30,
  aliases: 100,
  /** Counted after fragments are expanded: nested spreads multiply the fields of a short text. */
  fields: 2_000,
  rows: 100_000,
} as const

type QueryLimit = keyof typeof queryLimits
export type QueryLimits = Readonly<Record<QueryLimit, number>>

/**
 * Limits of `/subgraphs`. They allow for the selection of the head that a gateway adds to a query of `/data`
 * (`alias: _meta { block { number hash timestamp } }`), since another Tallystick may use the endpoint as its upstream.
 */
export const publicQueryLimits: QueryLimits = {
  ...queryLimits,
  tokens: queryLimits.tokens + 11,
  rootFields: queryLimits.rootFields + 1,
  aliases: queryLimits.aliases + 1,
  fields: queryLimits.fields + 5,
}

/** Throws `query_rejected` with the message of the limit if `found` exceeds it. */
export function assertWithin(limit: QueryLimit, found: number, limits: QueryLimits = queryLimits): void {
  const max = limits[limit]
  if (found <= max) return
  const count = Number.isSafeInteger(found) ? String(found) : 'far more'
  throw queryRejected(messages[limit](count, max), { limit, max, found: count })
}

const messages: Readonly<Record<QueryLimit, (found: string, max: number) => string>> = {
  tokens: (_, max) => `The query has more than ${max} tokens. Select less or send several queries.`,
  depth: (found, max) => `The query is ${found} levels deep; the limit is ${max}. Query the deeper levels by id.`,
  rootFields: (found, max) => `The query has ${found} root fields; the limit is ${max}. Send several queries.`,
  aliases: (found, max) => `The query has ${found} aliases; the limit is ${max}. Send several queries.`,
  fields: (found, max) =>
    `With fragments expanded, the query selects ${found} fields; the limit is ${max}. Select fewer fields.`,
  rows: (found, max) =>
    `The query could return ${found} rows along one path (the product of \`first\`, 100 by default); ` +
    `the limit is ${max}. Use a smaller \`first\`.`,
}
