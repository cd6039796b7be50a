import type { MetricHelp, Metrics } from '../../metrics.ts'
import { type CallResult, callResults } from './judge-call.ts'
import type { UpstreamStatus } from './upstream-status.ts'

export const remoteMetricHelp: MetricHelp = {
  tallystick_data_upstream_seconds:
    'How long calls to a subgraph took, whatever came of them; `upstream` is a host, or embedded.',
  tallystick_data_upstream_total: 'Calls to a subgraph, by outcome; `upstream` is a host, or embedded.',
  tallystick_data_circuit:
    '1 while a remote subgraph is not asked because it failed, 0.5 while that is looked into, else 0.',
  tallystick_data_remote_head_block: 'Latest block a remote subgraph said it had.',
  tallystick_data_remote_lag_seconds: 'How old that block is.',
}

export type CallMetrics = { record(call: { readonly result: CallResult; readonly durationMs: number }): void }

/** The calls to one upstream. Series exist from the start, so that an alert can tell zero from missing. */
export function createCallMetrics(
  metrics: Metrics,
  labels: { readonly chain: number; readonly upstream: string },
): CallMetrics {
  const histogram = metrics.histogram('tallystick_data_upstream_seconds', labels)
  const counters = new Map(
    callResults.map((outcome) => [outcome, metrics.counter('tallystick_data_upstream_total', { ...labels, outcome })]),
  )
  return {
    record: ({ result, durationMs }) => {
      histogram.observe(durationMs / 1000)
      counters.get(result)?.increment()
    },
  }
}

const circuitValues = { closed: 0, probing: 0.5, open: 1 } as const

/** What there is to read of all remote subgraphs; a gauge is made once for all of them. */
export function addRemoteMetrics(
  metrics: Metrics,
  {
    subgraphs,
    now,
  }: {
    readonly subgraphs: readonly { readonly chainId: number; status(): readonly UpstreamStatus[] }[]
    /** The service's clock, in milliseconds. */
    readonly now: () => number
  },
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
    head?.timestamp === undefined ? undefined : Math.max(0, now() / 1000 - head.timestamp),
  )
}
