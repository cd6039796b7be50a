import { failedTokenMetricHelp } from './admin/failed-tokens.ts'
import { auditMetricHelp } from './audit/watch-audit.ts'
import { dataMetricHelp } from './data/data-metrics.ts'
import { remoteMetricHelp } from './data/remote/remote-metrics.ts'
import { sourceMetricHelp } from './data/sources/source-metrics.ts'
import { subgraphMetricHelp } from './data/subgraph-metrics.ts'
import { eventMetricHelp } from './events/event-metrics.ts'
import { readinessMetricHelp } from './health/readiness.ts'
import { hookMetricHelp } from './hooks/start-hooks.ts'
import { hostMetricHelp } from './host-metrics.ts'
import { connectionMetricHelp } from './http/limit-connections.ts'
import { httpMetricHelp } from './http/measure.ts'
import { logMetricHelp } from './log/watch-rows.ts'
import type { MetricHelp } from './metrics.ts'
import { preflightMetricHelp } from './notes/issue/preflight-metrics.ts'
import { discrepancyMetricHelp } from './notes/journal/discrepancy-monitor.ts'
import { noteMetricHelp } from './notes/note-metrics.ts'
import { protectionMetricHelp } from './notes/protection/keep-protected.ts'
import { treasuryMetricHelp } from './notes/treasury/treasury-metrics.ts'
import { poolMetricHelp } from './notes/watch/watch-pools.ts'
import { clockMetricHelp } from './time/clock-monitor.ts'
import { databaseMetricHelp } from './watch-database.ts'

/** Help texts of all metrics of the service. */
export const metricHelp: MetricHelp = {
  ...httpMetricHelp,
  ...hostMetricHelp,
  ...auditMetricHelp,
  ...connectionMetricHelp,
  ...failedTokenMetricHelp,
  ...noteMetricHelp,
  ...logMetricHelp,
  ...preflightMetricHelp,
  ...discrepancyMetricHelp,
  ...protectionMetricHelp,
  ...subgraphMetricHelp,
  ...dataMetricHelp,
  ...remoteMetricHelp,
  ...sourceMetricHelp,
  ...treasuryMetricHelp,
  ...poolMetricHelp,
  ...clockMetricHelp,
  ...hookMetricHelp,
  ...eventMetricHelp,
  ...databaseMetricHelp,
  ...readinessMetricHelp,
}
