import type { Socket } from 'node:net'
import type { StopSignal } from '@tallystick/base'
import { type HttpHead, receive } from '@tallystick/chain'
import { buildConnector, Pool } from 'undici'
import { createSlots } from './create-slots.ts'

/** HTTP response with any status. */
export type Exchange = HttpHead & { readonly text: string }

export type Post = {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly signal: StopSignal
  /** Whether it may use the connections reserved for probes. */
  readonly isUrgent: boolean
  /** Called when the response headers have arrived. */
  readonly onHeaders: () => void
}

export type Connections = {
  /** Sends one request and reads the response. Throws the error of undici, or the signal's reason. */
  post(post: Post): Promise<Exchange>
  /** Returns whether an error occurred on a reused connection: one established before this instant. */
  wasReused(error: unknown, sinceMs: number): boolean
  close(): Promise<void>
}

// Few enough that an indexer does not block this client. Further queries wait.
const connectionsMax = 64
// One for the health probe, one for the head query.
const urgentMax = 2
const waitingMax = 1_000
// An intercontinental handshake takes less than 1 s.
const connectTimeoutMs = 5_000
// Load balancers keep idle connections for 60 s or more. Undici obeys servers that announce a shorter time.
const idleTimeoutMs = 20_000

/** Opens a bounded pool of keep-alive HTTP/1.1 connections to one origin. Limits response sizes and follows no redirects. */
export function openConnections({
  origin,
  answerBytesMax,
  ca,
  monotonicNow,
}: {
  readonly origin: string
  readonly answerBytesMax: number
  /** Certificates to trust instead of the system's. */
  readonly ca?: string | undefined
  readonly monotonicNow: () => number
}): Connections {
  const sockets = new Set<Socket>()
  const connectedAtMs = new WeakMap<Error, number>()
  const connectSocket = buildConnector({ timeout: connectTimeoutMs, ...(ca !== undefined && { ca }) })
  const connect: buildConnector.connector = (options, callback) => {
    // The declared type omits the return value.
    const socket = connectSocket(options, callback) as unknown as Socket
    let atMs = Number.POSITIVE_INFINITY
    socket.once('connect', () => {
      atMs = monotonicNow()
    })
    socket.prependListener('error', (error) => connectedAtMs.set(error, atMs))
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  }
  const pool = new Pool(origin, {
    connect,
    connections: connectionsMax + urgentMax,
    keepAliveTimeout: idleTimeoutMs,
    keepAliveMaxTimeout: idleTimeoutMs,
    // Callers have a deadline and a signal.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const slots = createSlots({ slotsMax: connectionsMax, waitingMax })
  return {
    post: async ({ path, headers, body, signal, isUrgent, onHeaders }) => {
      // The pool cannot queue requests: it opens connections even for those that were aborted.
      const release = isUrgent ? () => undefined : await slots.take(signal)
      try {
        // An aborted request keeps its slot until it has a connection. Otherwise the pool's queue would be unbounded.
        const request = { origin, path, method: 'POST', headers, body, bytesMax: answerBytesMax, signal } as const
        const { bytes, ...head } = await receive(pool, { ...request, onHead: onHeaders })
        return { ...head, text: decoder.decode(bytes) }
      } finally {
        release()
      }
    },
    wasReused: (error, sinceMs) => error instanceof Error && (connectedAtMs.get(error) ?? sinceMs) < sinceMs,
    close: async () => {
      await pool.destroy()
      // The pool does not own sockets that are still connecting.
      for (const socket of sockets) socket.destroy()
    },
  }
}

// Removes a byte order mark.
const decoder = new TextDecoder()
