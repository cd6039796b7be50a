import type { MetricHelp, Metrics } from '@tallystick/base'
import type { Follower, FollowerStatus } from '@tallystick/subgraph'

export const subgraphMetricHelp: MetricHelp = {
  tallystick_subgraph_head_block: 'Latest block of the embedded subgraph.',
  tallystick_subgraph_lag_blocks: 'Blocks the embedded subgraph is behind its chain.',
  tallystick_subgraph_lag_seconds: 'Seconds between the latest indexed block and the chain head.',
  tallystick_subgraph_events: 'Logs indexed by this process since it started.',
  tallystick_subgraph_reorgs: 'Reorgs this process has rolled back since it started.',
  tallystick_subgraph_repairs: 'Times this process has replaced blocks that were read wrongly since it started.',
  tallystick_subgraph_fault: 'ALARM: 1 while the embedded subgraph contradicts its chain and is not repaired yet.',
  tallystick_subgraph_disputed: 'ALARM: 1 while every RPC contradicts blocks that count as final.',
  tallystick_subgraph_problem: 'ALARM: 1 while the embedded subgraph cannot be read. /readyz gives the reason.',
}

export function addSubgraphMetrics(
  metrics: Metrics,
  subgraphs: ReadonlyMap<number, { readonly follower: Pick<Follower, 'status'> }>,
): void {
  const gauge = (family: string, read: (status: FollowerStatus) => number | undefined) =>
    metrics.gauge(family, () =>
      [...subgraphs].flatMap(([chain, { follower }]) => {
        const value = read(follower.status())
        return value === undefined ? [] : [{ labels: { chain }, value }]
      }),
    )
  gauge('tallystick_subgraph_head_block', ({ head }) => head?.number)
  gauge('tallystick_subgraph_lag_blocks', ({ lagBlocks }) => lagBlocks)
  gauge('tallystick_subgraph_lag_seconds', ({ lagSeconds }) => lagSeconds)
  gauge('tallystick_subgraph_events', ({ eventsIndexed }) => eventsIndexed)
  gauge('tallystick_subgraph_reorgs', ({ reorgsSeen }) => reorgsSeen)
  gauge('tallystick_subgraph_repairs', ({ repairs }) => repairs)
  gauge('tallystick_subgraph_fault', ({ fault }) => (fault === undefined ? 0 : 1))
  gauge('tallystick_subgraph_disputed', ({ state }) => (state === 'disputed' ? 1 : 0))
  gauge('tallystick_subgraph_problem', ({ problem }) => (problem === undefined ? 0 : 1))
}
