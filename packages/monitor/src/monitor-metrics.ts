import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { createMetrics, type MetricHelp } from '@tallystick/base'
import { TallystickError } from '@tallystick/core'
import { findingKinds } from './finding.ts'
import type { MonitorContext } from './monitor-context.ts'

export const monitorMetricHelp: MetricHelp = {
  tallystick_monitor_findings_total: 'ALARM: findings, by kind. Kept over restarts in the state file.',
  tallystick_monitor_last_success_timestamp_seconds:
    'ALARM: Unix time when all that was new was last checked: of the log, and of each chain’s lends.',
  tallystick_monitor_checkpoint_size: 'Entries in the last verified checkpoint.',
  tallystick_monitor_entries_unread: 'Entries of the tree that are not read yet, such as withheld ones.',
  tallystick_monitor_entries_checked_total: 'Entries checked since the start.',
  tallystick_monitor_lends_checked_total: 'Lends checked since the start, by chain.',
  tallystick_monitor_lends_unchecked:
    'Lends that cannot be checked: older than the log, or waiting for their set, by chain.',
  tallystick_monitor_block: 'Last block whose lends were checked, by chain.',
  tallystick_monitor_warnings: 'Checks that fail at present.',
}

/** Returns the metrics of a monitor in Prometheus' text format. */
export function createMonitorMetrics(context: MonitorContext): () => string {
  const { state, totals, warnings } = context
  const metrics = createMetrics(monitorMetricHelp)
  metrics.readCounter('tallystick_monitor_findings_total', () =>
    findingKinds.map((kind) => ({ labels: { kind }, value: state.findings.counts[kind] ?? 0 })),
  )
  metrics.gauge('tallystick_monitor_last_success_timestamp_seconds', () =>
    // 0 until the first success, so that an alert on its age fires.
    ['log', ...context.rpcs.keys()].map((of) => ({
      labels: { of },
      value: (totals.successes.get(String(of)) ?? 0) / 1000,
    })),
  )
  metrics.gauge('tallystick_monitor_checkpoint_size', () => [{ value: state.checkpoint?.size ?? 0 }])
  metrics.gauge('tallystick_monitor_entries_unread', () => [{ value: (state.checkpoint?.size ?? 0) - state.checked }])
  metrics.readCounter('tallystick_monitor_entries_checked_total', () => [{ value: totals.entries }])
  metrics.readCounter('tallystick_monitor_lends_checked_total', () =>
    [...context.rpcs.keys()].map((chain) => ({ labels: { chain }, value: totals.lends.get(chain) ?? 0 })),
  )
  metrics.gauge('tallystick_monitor_lends_unchecked', () =>
    [...context.rpcs.keys()].map((chain) => ({
      labels: { chain },
      value: Number(state.chains[chain]?.lendsBefore ?? 0) + (totals.waiting.get(chain) ?? 0),
    })),
  )
  metrics.gauge('tallystick_monitor_block', () =>
    [...context.rpcs.keys()].flatMap((chain) => {
      const cursor = state.chains[chain]?.cursor
      return cursor ? [{ labels: { chain }, value: cursor.block }] : []
    }),
  )
  metrics.gauge('tallystick_monitor_warnings', () => [{ value: warnings.count }])
  return metrics.expose
}

const connectionsMax = 50

/** Serves metrics at `/metrics`, without a key. Throws if it cannot listen. */
export async function serveMetrics(
  expose: () => string,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Server> {
  const server = createServer({ requestTimeout: 10_000 }, ({ method, url }, response) => {
    if (method === 'GET' && url === '/metrics') {
      response.setHeader('content-type', 'text/plain; version=0.0.4; charset=utf-8')
      response.end(expose())
    } else response.writeHead(404).end()
  })
  server.maxConnections = connectionsMax
  server.listen(port, host)
  try {
    await once(server, 'listening')
    return server
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new TallystickError({
      code: 'invalid_config',
      message: `The metrics cannot be served on ${host}:${port} (${code}).`,
      retryable: false,
      cause: error,
    })
  }
}
