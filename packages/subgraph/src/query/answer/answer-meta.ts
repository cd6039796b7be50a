import type { FieldNode } from 'graphql'
import type { ResolvedBlock } from '../plan/block-constraint.ts'
import { collectFields, type SelectionContext, subSelectionsOf } from '../plan/collect-fields.ts'

/** Answers `_meta`: a block asked for by its number alone shows neither hash nor time, as in graph-node. */
export function answerMeta(
  context: SelectionContext,
  {
    nodes,
    resolved: { number, block },
    deployment,
  }: { readonly nodes: readonly FieldNode[]; readonly resolved: ResolvedBlock; readonly deployment: string },
): unknown {
  const source = {
    __typename: '_Meta_',
    deployment,
    hasIndexingErrors: false,
    block: {
      __typename: '_Block_',
      number,
      hash: block?.hash ?? null,
      timestamp: block?.timestamp ?? null,
      parentHash: block?.parentHash ?? null,
    },
  }
  return select(context, { nodes, source })
}

function select(
  context: SelectionContext,
  { nodes, source }: { readonly nodes: readonly FieldNode[]; readonly source: Readonly<Record<string, unknown>> },
): unknown {
  const fields = collectFields(context, subSelectionsOf(nodes))
  return Object.fromEntries(
    [...fields].map(([key, selected]) => {
      const value = source[selected[0]?.name.value ?? '']
      const isObject = typeof value === 'object' && value !== null
      return [key, isObject ? select(context, { nodes: selected, source: value as Record<string, unknown> }) : value]
    }),
  )
}
