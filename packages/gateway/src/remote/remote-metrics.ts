import type { MetricHelp, Metrics, Time } from '@tallystick/base'
import type { Head, UpstreamFailure } from '../chain-subgraph.ts'
import { type CallResult, callResults } from './begin-call.ts'
import type { Circuit } from './circuit.ts'

export const remoteMetricHelp: MetricHelp = {
  tallystick_data_upstream_seconds:
    'Duration of calls to a subgraph with any outcome. `upstream` is a host, or "embedded".',
  tallystick_data_upstream_total: 'Calls to a subgraph, by outcome. `upstream` is a host, or "embedded".',
  tallystick_data_circuit:
    'Circuit of a remote subgraph: 0 is closed, 0.5 is probing, 1 is open (no queries are sent).',
  tallystick_data_remote_head_block: 'Head block that a remote subgraph reported.',
  tallystick_data_remote_lag_seconds: 'Age of the head block of a remote subgraph.',
}

/** Creates the metrics of calls to one upstream. All series exist from the start, so alerts can distinguish 0 from missing. */
export function createCallMetrics(metrics: Metrics, labels: { readonly chain: number; readonly upstream: string }) {
  const countOf = (outcome: CallResult) => metrics.counter('tallystick_data_upstream_total', { ...labels, outcome })
  return {
    seconds: metrics.histogram('tallystick_data_upstream_seconds', labels),
    counts: new Map(callResults.map((outcome) => [outcome, countOf(outcome)])),
  }
}

const circuitValues = { closed: 0, probing: 0.5, open: 1 } as const

type WatchedSubgraph = { readonly chainId: number; status(): readonly UpstreamStatus[] }

/** Adds the gauges of all remote subgraphs. */
export function addRemoteMetrics(
  metrics: Metrics,
  { subgraphs, time }: { readonly subgraphs: readonly WatchedSubgraph[]; readonly time: Time },
): void {
  const gauge = (family: string, read: (status: UpstreamStatus) => number | undefined) =>
    metrics.gauge(family, () =>
      subgraphs.flatMap((subgraph) =>
        subgraph.status().flatMap((status) => {
          const value = read(status)
          return value === undefined ? [] : [{ labels: { chain: subgraph.chainId, upstream: status.upstream }, value }]
        }),
      ),
    )
  gauge('tallystick_data_circuit', ({ circuit }) => circuitValues[circuit])
  gauge('tallystick_data_remote_head_block', ({ head }) => head?.number)
  gauge('tallystick_data_remote_lag_seconds', ({ head }) =>
    head?.timestamp === undefined ? undefined : Math.max(0, time.now() / 1000 - head.timestamp),
  )
}

export type UpstreamStatus = {
  readonly upstream: string
  readonly circuit: Circuit['state']
  /** Time until the next probe, or 0 if the circuit is not open. */
  readonly openForMs: number
  readonly lastFailure: UpstreamFailure | undefined
  readonly head: Head | undefined
  /** Whether its last head lagged too far behind the clock. */
  readonly isBehind: boolean
}
