import type { OperationDefinitionNode } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { Layout } from '../../store/layout.ts'
import { type BlockRoot, planRoots } from '../plan/plan-roots.ts'
import type { PlanContext } from '../plan/plan-selection.ts'
import { openVariables, signatureOf } from '../request/open-variables.ts'
import { compileRootAsJson, type JsonStatement } from './compile-as-json.ts'

/** A query as it is asked again and again, compiled to one statement that returns its answer as JSON. */
export type Shape = {
  readonly context: PlanContext
  readonly key: string
  readonly statement: JsonStatement
  readonly metas: readonly Extract<BlockRoot, { kind: 'meta' }>[]
  readonly typenameKeys: readonly string[]
}

export type FindShape = (context: PlanContext, operation: OperationDefinitionNode) => Shape | undefined

const shapesMax = 500

/**
 * Returns a function that gives the shape of a query, compiled at its first use and kept while it is among the last ones
 * used. Undefined if the query needs more than one statement.
 */
export function createShapes(layout: Layout): FindShape {
  const cache = new LRUCache<string, Shape | 'none'>({ max: shapesMax })
  const numbers = new WeakMap<OperationDefinitionNode, number>()
  let lastNumber = 0
  return (context, operation) => {
    const signature = signatureOf(context.variables)
    if (signature === undefined) return undefined
    const number = numbers.get(operation) ?? ++lastNumber
    numbers.set(operation, number)
    const key = `${number}${signature}`
    const known = cache.get(key)
    if (known) return known === 'none' ? undefined : known
    const shape = compileShape(layout, { context, operation })
    cache.set(key, shape ?? 'none')
    return shape
  }
}

function compileShape(
  layout: Layout,
  { context, operation }: { readonly context: PlanContext; readonly operation: OperationDefinitionNode },
): Shape | undefined {
  const variables = openVariables(context.variables)
  const open: PlanContext = { ...context, variables: variables.values, budget: { ...context.budget } }
  const { blockRoots, typenameKeys, introspection } = planRoots(open, operation)
  if (introspection.length > 0 || blockRoots.some(({ block }) => block.kind !== 'latest')) return undefined
  const metas = blockRoots.filter((root) => root.kind === 'meta')
  const [root, second] = blockRoots.filter((candidate) => candidate.kind !== 'meta')
  if (!root || second) return undefined
  const scope = { api: context.api, layout, visibility: { kind: 'head' } } as const
  const statement = compileRootAsJson(scope, root)
  if (!statement || variables.areRead) return undefined
  return { context: open, key: root.key, statement, metas, typenameKeys }
}
