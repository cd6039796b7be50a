import {
  type FieldNode,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import { QueryError } from '../query-error.ts'
import type { Values } from '../request/coerce-arguments.ts'
import type { Fragments } from '../request/parse-query.ts'

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
