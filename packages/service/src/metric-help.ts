import type { MetricHelp } from '@tallystick/base'
import {
  dataMetricHelp,
  publicQueryMetricHelp,
  remoteMetricHelp,
  sourceMetricHelp,
  subgraphMetricHelp,
} from '@tallystick/gateway'
import { connectionMetricHelp, httpMetricHelp } from '@tallystick/http'
import {
  clockMetricHelp,
  discrepancyMetricHelp,
  noteMetricHelp,
  poolMetricHelp,
  preflightMetricHelp,
  protectionMetricHelp,
  treasuryMetricHelp,
} from '@tallystick/issuer'
import { auditMetricHelp } from '@tallystick/keys'
import { eventMetricHelp, hookMetricHelp } from '@tallystick/notify'
import { logMetricHelp } from '@tallystick/public-log'
import { failedTokenMetricHelp } from './admin/failed-tokens.ts'
import { databaseMetricHelp } from './database/watch-database.ts'
import { readinessMetricHelp } from './health/readiness.ts'
import { hostMetricHelp } from './host-metrics.ts'
import { visitorMetricHelp } from './visitors/visitor-access.ts'

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
  ...publicQueryMetricHelp,
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
  ...visitorMetricHelp,
}
