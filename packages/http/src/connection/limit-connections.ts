import type { Server } from 'node:net'
import type { MetricHelp, Metrics } from '@tallystick/base'
import { boundConnections } from './bound-connections.ts'
import { chooseConnectionsMax, readOpenFileLimit } from './choose-bounds.ts'
import { cutUnread } from './cut-unread.ts'

export const connectionMetricHelp: MetricHelp = {
  tallystick_connections: 'Connections open on the public listener.',
  tallystick_connections_refused_total:
    'Connections the public listener closed immediately, by the exceeded bound: all or address.',
  tallystick_connections_cut_total:
    'Connections closed because the client did not read for 30 s (unread), had too many requests waiting (pipelined) or reset too many streams (resets).',
}

// For the command line, a scraper and a load balancer, out of the reserved files.
const adminConnectionsMax = 64

/** Limits the connections of each listener separately, so that a full public listener does not block the admin listener. */
export function limitConnections(
  { publicServer, adminServer }: { readonly publicServer: Server; readonly adminServer: Server },
  {
    connectionsMax: configured,
    connectionsPerAddressMax: perAddressMax,
    exempt,
    metrics,
    say,
  }: {
    /** By default as many as the limit of open files allows. */
    readonly connectionsMax: number | undefined
    /** Null is no limit. */
    readonly connectionsPerAddressMax: number | null
    /** Addresses without a limit per address, which are those of proxies. */
    readonly exempt: readonly string[]
    readonly metrics: Metrics
    readonly say: (line: string) => void
  },
): void {
  const openFileLimit = readOpenFileLimit()
  const { max, problem } = chooseConnectionsMax({ configured, openFileLimit })
  const refused = {
    all: metrics.counter('tallystick_connections_refused_total', { bound: 'all' }),
    address: metrics.counter('tallystick_connections_refused_total', { bound: 'address' }),
  }
  const cut = createCutCounter(metrics, 'unread')
  cutUnread(publicServer, cut)
  cutUnread(adminServer, cut)
  const bounds = { max, perAddressMax, exempt }
  const { open } = boundConnections(publicServer, bounds, (bound) => refused[bound].increment())
  metrics.gauge('tallystick_connections', () => [{ value: open() }])
  boundConnections(adminServer, { max: adminConnectionsMax, perAddressMax: null, exempt: [] }, () => undefined)
  const each = perAddressMax === null ? 'no limit per address' : `${perAddressMax} per address`
  say(`up to ${max} connections, ${each} (limit of open files: ${openFileLimit ?? 'unknown'})`)
  if (problem) say(`WARNING: ${problem}`)
}

/** Returns the function that counts a connection closed for a reason. */
export function createCutCounter(metrics: Metrics, reason: 'unread' | 'pipelined' | 'resets'): () => void {
  const counter = metrics.counter('tallystick_connections_cut_total', { reason })
  return () => counter.increment()
}
