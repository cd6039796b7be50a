import type { Counter, MetricHelp, Metrics } from '@tallystick/base'
import type { LRUCache } from 'lru-cache'
import type { SubgraphAnswer } from './chain-subgraph.ts'
import type { Flights } from './single-flight.ts'

export const dataMetricHelp: MetricHelp = {
  tallystick_data_cache_total:
    'Queries per chain that were answered from memory (hit), sent to the subgraph (miss), or joined to an identical pending query (coalesced).',
  tallystick_data_cache_bytes: 'Size of the answers kept for reuse, by chain.',
  tallystick_data_cache_answers: 'Number of answers kept for reuse, by chain.',
  tallystick_data_queries_waiting: 'Distinct queries pending at the subgraph of a chain.',
}

export type ChainMetrics = { readonly hit: Counter; readonly miss: Counter; readonly coalesced: Counter }

/** Parts of a chain that are read at each scrape. */
type WatchedChain = {
  readonly answers: Pick<LRUCache<string, SubgraphAnswer>, 'calculatedSize' | 'size'>
  readonly flights: Pick<Flights, 'count'>
}

export type DataMetrics = {
  ofChain(chain: number): ChainMetrics
  watch(chains: ReadonlyMap<number, WatchedChain>): void
}

export function createDataMetrics(metrics: Metrics): DataMetrics {
  return {
    ofChain: (chain) => {
      const counterOf = (result: keyof ChainMetrics) =>
        metrics.counter('tallystick_data_cache_total', { chain, result })
      return { hit: counterOf('hit'), miss: counterOf('miss'), coalesced: counterOf('coalesced') }
    },
    watch: (chains) => {
      const gauge = (family: string, read: (chain: WatchedChain) => number) =>
        metrics.gauge(family, () =>
          [...chains].map(([chain, watched]) => ({ labels: { chain }, value: read(watched) })),
        )
      gauge('tallystick_data_cache_bytes', ({ answers }) => answers.calculatedSize)
      gauge('tallystick_data_cache_answers', ({ answers }) => answers.size)
      gauge('tallystick_data_queries_waiting', ({ flights }) => flights.count)
    },
  }
}
