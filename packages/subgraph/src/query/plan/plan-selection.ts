import { type FieldNode, isObjectType, type SelectionSetNode } from 'graphql'
import type { ApiSchema } from '../../schema/api-schema.ts'
import { type Entity, type Field, getEntity, type StoredField, targetNameOf } from '../../schema/entity-model.ts'
import { QueryError } from '../query-error.ts'
import { coerceArguments, type Values } from '../request/coerce-arguments.ts'
import { collectFields, type SelectionContext, subSelectionsOf } from './collect-fields.ts'

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
  const fields = [...collectFields(context, selectionSets)].map(([key, nodes]) =>
    planField(context, { entity, key, nodes, depth }),
  )
  return { entity, fields }
}

function planField(
  context: PlanContext,
  {
    entity,
    key,
    nodes,
    depth,
  }: { readonly entity: Entity; readonly key: string; readonly nodes: readonly FieldNode[]; readonly depth: number },
): PlannedField {
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
