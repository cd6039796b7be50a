import type { FieldNode } from 'graphql'
import { collectFields, type SelectionContext, subSelectionsOf } from './collect-fields.ts'

/** Selected field of `_meta` or of its block. */
export type MetaField = { readonly key: string; readonly name: string; readonly fields: readonly MetaField[] }

/** Expands the selection of `_meta`. */
export function planMeta(context: SelectionContext, nodes: readonly FieldNode[]): readonly MetaField[] {
  const selected = collectFields(context, subSelectionsOf(nodes))
  return [...selected].map(([key, fieldNodes]) => ({
    key,
    name: fieldNodes[0]?.name.value ?? '',
    fields: planMeta(context, fieldNodes),
  }))
}
