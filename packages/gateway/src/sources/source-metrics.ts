import type { Counter, MetricHelp, Metrics } from '@tallystick/base'
import type { SubgraphSource } from '../chain-subgraph.ts'

export const sourceMetricHelp: MetricHelp = {
  tallystick_data_source: 'Of a chain with two sources: 1 for the source that is queried first now, 0 for the other.',
  tallystick_data_source_answers_total:
    'Queries of a chain with two sources, by the source that answered. Answers from memory are not counted.',
}

const kinds: readonly SubgraphSource[] = ['embedded', 'remote']

export function createSourceCounters(metrics: Metrics, chain: number): ReadonlyMap<SubgraphSource, Counter> {
  return new Map(
    kinds.map((source) => [source, metrics.counter('tallystick_data_source_answers_total', { chain, source })]),
  )
}

/** Adds the gauge of all chains with two sources. */
export function addSourceMetrics(
  metrics: Metrics,
  chains: ReadonlyMap<number, { readonly current: SubgraphSource }>,
): void {
  metrics.gauge('tallystick_data_source', () =>
    [...chains].flatMap(([chain, { current }]) =>
      kinds.map((source) => ({ labels: { chain, source }, value: source === current ? 1 : 0 })),
    ),
  )
}
