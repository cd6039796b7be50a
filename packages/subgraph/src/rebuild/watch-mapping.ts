import type { Mapping, OpenMapping } from '../follow/mapping.ts'
import { SubgraphError } from '../subgraph-error.ts'

export type WatchedMapping = {
  readonly mapping: OpenMapping
  /** Returns why the logs cannot be mapped: the index started too late, or an RPC left logs out. */
  readonly failure: () => SubgraphError | undefined
}

// A follower reads the logs again, from another RPC if there is one.
const refusalsMax = 5

/** Watches whether a mapping refuses the same log again and again. A follower would retry for ever. */
export function watchMapping(mapping: Mapping | OpenMapping): WatchedMapping {
  let refused = { message: '', count: 0 }
  const watch = (opened: Mapping): Mapping => ({
    ...opened,
    map: (...mapped) =>
      opened.map(...mapped).catch((error) => {
        if (error instanceof SubgraphError && error.code === 'unmappable_log') {
          const { message } = error
          refused = { message, count: message === refused.message ? refused.count + 1 : 1 }
        }
        throw error
      }),
  })
  return {
    mapping: async (context) => watch(typeof mapping === 'function' ? await mapping(context) : mapping),
    failure: () =>
      refused.count < refusalsMax ? undefined : new SubgraphError({ code: 'rebuild_failed', message: refused.message }),
  }
}
