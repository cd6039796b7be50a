import type { Server, Socket } from 'node:net'
import { createTrust, type MetricHelp, type Metrics } from '@tallystick/base'
import { groupOfAddress } from '../request/address-group.ts'
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

type ConnectionsOptions = {
  /** By default as many as the limit of open files allows. */
  readonly connectionsMax: number | undefined
  /** Null is no limit. */
  readonly connectionsPerAddressMax: number | null
  /** Addresses without a limit per address, which are those of proxies. */
  readonly exempt: readonly string[]
  readonly metrics: Metrics
  readonly say: (line: string) => void
}

/** Limits the connections of each listener separately, so that a full public listener does not block the admin listener. */
export function limitConnections(
  { publicServer, adminServer }: { readonly publicServer: Server; readonly adminServer: Server },
  { connectionsMax: configured, connectionsPerAddressMax: perAddressMax, exempt, metrics, say }: ConnectionsOptions,
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

type ConnectionBounds = {
  readonly max: number
  /** Null is unlimited. An IPv6 address counts as its /64 network. */
  readonly perAddressMax: number | null
  /** Addresses and networks without a bound per address: the trusted proxies. */
  readonly exempt: readonly string[]
}

/**
 * Destroys connections over a bound before TLS and HTTP see them. Call it after all listeners of `connection` are added:
 * they receive only the other connections.
 */
function boundConnections(
  server: Server,
  { max, perAddressMax, exempt }: ConnectionBounds,
  onRefused: (bound: 'all' | 'address') => void,
): { readonly open: () => number } {
  const isExempt = createTrust(exempt)
  const counts = new Map<string, number>()
  let open = 0
  const findBound = (address: string, block: string) => {
    if (open >= max) return 'all'
    if (perAddressMax === null || (counts.get(block) ?? 0) < perAddressMax) return undefined
    return isExempt(address) ? undefined : 'address'
  }
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    // Undefined if the client has disconnected.
    const address = socket.remoteAddress ?? ''
    const block = groupOfAddress(address)
    const bound = findBound(address, block)
    if (bound) {
      socket.destroy()
      onRefused(bound)
      return
    }
    open += 1
    counts.set(block, (counts.get(block) ?? 0) + 1)
    socket.once('close', () => {
      open -= 1
      const left = (counts.get(block) ?? 0) - 1
      if (left > 0) counts.set(block, left)
      else counts.delete(block)
    })
    for (const listener of listeners) listener.call(server, socket)
  })
  return { open: () => open }
}
