import type { FieldNode } from 'graphql'
import type { ApiSchema } from '../../schema/api-schema.ts'
import { parseScalar } from '../../schema/parse-scalar.ts'
import { QueryError } from '../query-error.ts'
import { argumentOf, invalidArgument, type Values } from '../request/coerce-arguments.ts'
import type { Query } from '../request/read-request.ts'
import type { Value } from '../request/value.ts'
import { type IntrospectionPlan, planIntrospection } from './plan-introspection.ts'
import {
  collectFields,
  type EntityPlan,
  type PlanContext,
  planSelection,
  type SelectionContext,
  subSelectionsOf,
  valuesOf,
} from './plan-selection.ts'

/** Root field that reads entities. */
export type EntityRoot = {
  readonly kind: 'single' | 'collection'
  readonly key: string
  readonly values: Values
  readonly plan: EntityPlan
  readonly block: BlockConstraint
}

/** Root field `_meta`. */
export type MetaRoot = {
  readonly kind: 'meta'
  readonly key: string
  readonly fields: readonly MetaField[]
  readonly block: BlockConstraint
}

/** Root field that is answered from the state at a block. */
type BlockRoot = EntityRoot | MetaRoot

/** Way to read the root fields that need data. */
export type ReadPlan =
  | { readonly kind: 'nothing' }
  /** One statement at the head: it returns the head and the entities of one root field as JSON. */
  | { readonly kind: 'statement'; readonly root: EntityRoot | undefined; readonly metas: readonly MetaRoot[] }
  /** Several statements in one snapshot: one per level of each root field, in the order of the query. */
  | { readonly kind: 'snapshot'; readonly roots: readonly BlockRoot[] }

/** All root fields of a query, with everything decided that does not need the database. */
export type QueryPlan = {
  readonly read: ReadPlan
  readonly typenameKeys: readonly string[]
  readonly introspection: IntrospectionPlan | undefined
}

export type PlanOptions = {
  readonly api: ApiSchema
  /** Highest number of entities in an answer. */
  readonly rowsMax: number
}

// A short text can select any number of fields through fragments.
const selectedFieldsMax = 10_000

/** Plans a query: expands its selections, coerces its arguments and chooses how it is read. */
export function planQuery({ api, rowsMax }: PlanOptions, query: Query): QueryPlan {
  const { fragments, variables } = query
  const budget = { max: selectedFieldsMax, left: selectedFieldsMax }
  const context: PlanContext = { api, fragments, variables, budget }
  const roots: BlockRoot[] = []
  const typenameKeys: string[] = []
  const introspected: FieldNode[] = []
  for (const [key, nodes] of collectFields(context, [query.operation.selectionSet])) {
    const name = nodes[0]?.name.value ?? ''
    if (name === '__typename') typenameKeys.push(key)
    else if (name.startsWith('__')) introspected.push(...nodes)
    else roots.push(planRoot(context, { key, nodes }))
  }
  const introspection = introspected.length > 0 ? planIntrospection(query, introspected) : undefined
  return { read: chooseRead(roots, rowsMax), typenameKeys, introspection }
}

function planRoot(
  context: PlanContext,
  { key, nodes }: { readonly key: string; readonly nodes: readonly FieldNode[] },
): BlockRoot {
  const node = nodes[0] as FieldNode
  const values = valuesOf(context, { typeName: 'Query', node })
  const block = parseBlockConstraint(argumentOf(values, 'block'))
  if (node.name.value === '_meta') return { kind: 'meta', key, fields: planMeta(context, nodes), block }
  const root = context.api.rootFields.get(node.name.value)
  if (!root) throw new QueryError(`Type \`Query\` has no field \`${node.name.value}\``)
  const plan = planSelection(context, { entity: root.entity, selectionSets: subSelectionsOf(nodes), depth: 1 })
  return { kind: root.kind, key, values, plan, block }
}

function chooseRead(roots: readonly BlockRoot[], rowsMax: number): ReadPlan {
  if (roots.length === 0) return { kind: 'nothing' }
  const metas = roots.filter((root) => root.kind === 'meta')
  const [root, second] = roots.filter((candidate) => candidate.kind !== 'meta')
  const isLatest = roots.every(({ block }) => block.kind === 'latest')
  const isOneStatement = isLatest && !second && (!root || canBeJson(root, rowsMax))
  return isOneStatement ? { kind: 'statement', root, metas } : { kind: 'snapshot', roots }
}

// The text of the statement has each of them.
const fieldsMax = 1_000

/** Returns whether the database can write a root field as JSON: it has no nested levels, and its rows need no count. */
function canBeJson({ plan: { fields } }: EntityRoot, rowsMax: number): boolean {
  if (rowsMax < firstMax || fields.length === 0 || fields.length > fieldsMax) return false
  return fields.every(({ kind }) => kind !== 'link')
}

export type BlockConstraint =
  | { readonly kind: 'latest' }
  | { readonly kind: 'hash'; readonly hash: string }
  | { readonly kind: 'number' | 'number_gte'; readonly number: number }

/** Parses a `block` argument. `hash` takes precedence over `number`, and `number` over `number_gte`. */
function parseBlockConstraint(value: Value): BlockConstraint {
  if (value.kind !== 'Object') return { kind: 'latest' }
  const hash = value.entries.get('hash')
  if (hash) {
    const parsed = hash.kind === 'String' ? parseScalar('Bytes', hash.text) : { fault: 'null' }
    if ('fault' in parsed) throw invalidArgument('block', { value })
    return { kind: 'hash', hash: `0x${parsed.text.slice(2)}` }
  }
  for (const kind of ['number', 'number_gte'] as const) {
    const number = value.entries.get(kind)
    if (number?.kind === 'Int') return { kind, number: Number(number.text) }
    if (number) break
  }
  throw invalidArgument('block', { value })
}

/** Selected field of `_meta` or of its block. */
export type MetaField = { readonly key: string; readonly name: string; readonly fields: readonly MetaField[] }

/** Expands the selection of `_meta`. */
function planMeta(context: SelectionContext, nodes: readonly FieldNode[]): readonly MetaField[] {
  const selected = collectFields(context, subSelectionsOf(nodes))
  return [...selected].map(([key, fieldNodes]) => ({
    key,
    name: fieldNodes[0]?.name.value ?? '',
    fields: planMeta(context, fieldNodes),
  }))
}

// The operators of The Graph's network use these limits.
export const firstDefault = 100
export const firstMax = 1_000
export const skipMax = 5_000
