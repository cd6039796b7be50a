import type { FieldNode, OperationDefinitionNode } from 'graphql'
import { QueryError } from '../query-error.ts'
import { argumentOf, type Values } from '../request/coerce-arguments.ts'
import { type BlockConstraint, parseBlockConstraint } from './block-constraint.ts'
import { collectFields, subSelectionsOf } from './collect-fields.ts'
import { type EntityPlan, type PlanContext, planSelection, valuesOf } from './plan-selection.ts'

/** A root field that is answered from the state at a block. */
export type BlockRoot =
  | {
      readonly kind: 'single' | 'collection'
      readonly key: string
      readonly values: Values
      readonly plan: EntityPlan
      readonly block: BlockConstraint
    }
  | {
      readonly kind: 'meta'
      readonly key: string
      readonly nodes: readonly FieldNode[]
      readonly block: BlockConstraint
    }

export type Roots = {
  /** In the order of the query. */
  readonly blockRoots: readonly BlockRoot[]
  readonly typenameKeys: readonly string[]
  readonly introspection: readonly FieldNode[]
}

export function planRoots(context: PlanContext, operation: OperationDefinitionNode): Roots {
  const blockRoots: BlockRoot[] = []
  const typenameKeys: string[] = []
  const introspection: FieldNode[] = []
  for (const [key, nodes] of collectFields(context, [operation.selectionSet])) {
    const name = nodes[0]?.name.value ?? ''
    if (name === '__typename') typenameKeys.push(key)
    else if (name.startsWith('__')) introspection.push(...nodes)
    else blockRoots.push(planBlockRoot(context, { key, nodes }))
  }
  return { blockRoots, typenameKeys, introspection }
}

function planBlockRoot(
  context: PlanContext,
  { key, nodes }: { readonly key: string; readonly nodes: readonly FieldNode[] },
): BlockRoot {
  const node = nodes[0] as FieldNode
  const values = valuesOf(context, { typeName: 'Query', node })
  const block = parseBlockConstraint(argumentOf(values, 'block'))
  if (node.name.value === '_meta') return { kind: 'meta', key, nodes, block }
  const root = context.api.rootFields.get(node.name.value)
  if (!root) throw new QueryError(`Type \`Query\` has no field \`${node.name.value}\``)
  const plan = planSelection(context, { entity: root.entity, selectionSets: subSelectionsOf(nodes), depth: 1 })
  return { kind: root.kind, key, values, plan, block }
}
