import {
  type FieldNode,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  getDirectiveValues,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import type { ApiSchema } from '../../schema/api-schema.ts'
import { type Entity, type Field, getEntity, type StoredField, targetNameOf } from '../../schema/entity-model.ts'
import { QueryError } from '../query-error.ts'
import { coerceArguments, type Values } from '../request/coerce-arguments.ts'
import type { Fragments } from '../request/read-request.ts'

/** Selected fields of an entity, in the order of the query. */
export type EntityPlan = { readonly entity: Entity; readonly fields: readonly PlannedField[] }

export type LinkPlan = {
  readonly kind: 'link'
  readonly key: string
  readonly field: Field
  readonly node: FieldNode
  readonly values: Values
  readonly target: EntityPlan
}

export type PlannedField =
  | { readonly kind: 'typename'; readonly key: string }
  | { readonly kind: 'value'; readonly key: string; readonly field: StoredField }
  | LinkPlan

export type PlanContext = SelectionContext & { readonly api: ApiSchema }

// graph-node's limit. Only fragments reach it, because brackets nest less deeply.
const depthMax = 255

/** Expands a selection on an entity and coerces its arguments, without the database. */
export function planSelection(
  context: PlanContext,
  {
    entity,
    selectionSets,
    depth,
  }: { readonly entity: Entity; readonly selectionSets: readonly SelectionSetNode[]; readonly depth: number },
): EntityPlan {
  if (depth > depthMax) throw new QueryError(`query has a depth that exceeds the limit of \`${depthMax}\``)
  const fields = [...collectFields(context, selectionSets)].map(([key, nodes]): PlannedField => {
    const node = nodes[0] as FieldNode
    const name = node.name.value
    if (name === '__typename') return { kind: 'typename', key }
    const field = entity.fields.find((candidate) => candidate.name === name)
    if (!field) throw new QueryError(`Type \`${entity.name}\` has no field \`${name}\``)
    if (field.kind === 'stored' && field.type.kind !== 'reference') return { kind: 'value', key, field }
    const target = planSelection(context, {
      entity: getEntity(context.api.model, targetNameOf(field)),
      selectionSets: subSelectionsOf(nodes),
      depth: depth + 1,
    })
    return { kind: 'link', key, field, node, values: valuesOf(context, { typeName: entity.name, node }), target }
  })
  return { entity, fields }
}

/** Returns the coerced arguments of a field of an object type. */
export function valuesOf(
  { api, variables }: PlanContext,
  { typeName, node }: { readonly typeName: string; readonly node: FieldNode },
): Values {
  const type = api.graphql.getType(typeName)
  const field = isObjectType(type) ? type.getFields()[node.name.value] : undefined
  return field ? coerceArguments(field, { node, variables }) : new Map()
}

/** Inputs of a selection's expansion, and how many more fields it may have: fragments can multiply a short text. */
export type SelectionContext = {
  readonly fragments: Fragments
  readonly variables: Values
  readonly budget: FieldBudget
}

type FieldBudget = { readonly max: number; left: number }

/**
 * Returns the fields of one level by response key, in the order of the query. It expands fragments and applies `@skip`
 * and `@include`, also on fragment spreads. Entities are concrete types, so every valid fragment applies.
 */
export function collectFields(
  context: SelectionContext,
  selectionSets: readonly SelectionSetNode[],
): ReadonlyMap<string, readonly FieldNode[]> {
  const fields = new Map<string, FieldNode[]>()
  const visited = new Set<string>()
  const collect = (selections: readonly SelectionNode[]) => {
    for (const selection of selections) {
      if (!isIncluded(selection, context.variables)) continue
      if (selection.kind === Kind.FIELD) {
        spend(context)
        const key = (selection.alias ?? selection.name).value
        const nodes = fields.get(key)
        if (nodes) nodes.push(selection)
        else fields.set(key, [selection])
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        collect(selection.selectionSet.selections)
      } else if (!visited.has(selection.name.value)) {
        visited.add(selection.name.value)
        collect(context.fragments.get(selection.name.value)?.selectionSet.selections ?? [])
      }
    }
  }
  for (const { selections } of selectionSets) collect(selections)
  return fields
}

export function subSelectionsOf(nodes: readonly FieldNode[]): readonly SelectionSetNode[] {
  return nodes.flatMap(({ selectionSet }) => (selectionSet ? [selectionSet] : []))
}

function spend({ budget }: SelectionContext): void {
  budget.left -= 1
  if (budget.left >= 0) return
  throw new QueryError(`The query selects more than ${budget.max} fields, fragments included. Select fewer.`)
}

function isIncluded(node: SelectionNode, variables: Values): boolean {
  if (!node.directives?.length) return true
  // graph-node ignores the directives of `__typename`.
  if (node.kind === Kind.FIELD && node.name.value === '__typename') return true
  const booleans: Record<string, boolean> = {}
  for (const [name, value] of variables) if (value.kind === 'Boolean') booleans[name] = value.value
  if (getDirectiveValues(GraphQLSkipDirective, node, booleans)?.['if'] === true) return false
  return getDirectiveValues(GraphQLIncludeDirective, node, booleans)?.['if'] !== false
}
