import type { MetaField } from '../plan/plan-meta.ts'
import type { ResolvedBlock } from '../run/resolve-block.ts'

type Source = { readonly [name: string]: unknown }

/** Returns the value of `_meta`. For a block given by number, hash and timestamp are null, as in graph-node. */
export function writeMeta(
  fields: readonly MetaField[],
  {
    resolved: { number, block },
    deployment,
    hasIndexingErrors,
  }: { readonly resolved: ResolvedBlock; readonly deployment: string; readonly hasIndexingErrors: boolean },
): unknown {
  return select(fields, {
    __typename: '_Meta_',
    deployment,
    hasIndexingErrors,
    block: {
      __typename: '_Block_',
      number,
      hash: block?.hash ?? null,
      timestamp: block?.timestamp ?? null,
      parentHash: block?.parentHash ?? null,
    },
  })
}

function select(selected: readonly MetaField[], source: Source): unknown {
  return Object.fromEntries(
    selected.map(({ key, name, fields }) => {
      const value = source[name]
      const isObject = typeof value === 'object' && value !== null
      return [key, isObject ? select(fields, value as Source) : value]
    }),
  )
}
