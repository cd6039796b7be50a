import type { Socket } from 'node:net'
import type { StopSignal, Time } from '@tallystick/base'
import { type HttpHead, receive } from '@tallystick/chain'
import type { TallystickError } from '@tallystick/core'
import { buildConnector, Pool } from 'undici'
import { upstreamError } from '../chain-subgraph.ts'
import { createGate } from '../gate.ts'

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

export type ConnectionsOptions = {
  readonly origin: string
  readonly answerBytesMax: number
  /** Certificates to trust instead of the system's. */
  readonly ca?: string | undefined
  /** Its clock is that of the service. Timers of HTTP are in real time. */
  readonly time: Time
}

/** Creates a bounded pool of keep-alive HTTP/1.1 connections to one origin. Limits response sizes and follows no redirects. */
export function createConnections({ origin, answerBytesMax, ca, time }: ConnectionsOptions): Connections {
  const sockets = new Set<Socket>()
  const resumable: { session?: Buffer } = {}
  const connectedAtMs = new WeakMap<Error, number>()
  const connectSocket = buildConnector({ timeout: connectTimeoutMs, ...(ca !== undefined && { ca }) })
  const connect: buildConnector.connector = (options, callback) => {
    // The declared type omits the return value.
    const socket = connectSocket(options, callback) as unknown as Socket
    let atMs = Number.POSITIVE_INFINITY
    socket.once('connect', () => {
      atMs = time.monotonic()
    })
    socket.prependListener('error', (error) => connectedAtMs.set(error, atMs))
    // undici refers to sessions weakly: the next garbage collection would end their reuse.
    socket.on('session', (session) => {
      resumable.session = session
    })
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
  const gate = createGate({ runningMax: connectionsMax, waitingMax, refuse: overloaded })
  return {
    post: ({ path, headers, body, signal, isUrgent, onHeaders }) => {
      const send = async () => {
        const bytesMax = answerBytesMax
        const request = { origin, path, method: 'POST', headers, body, bytesMax, signal, onHead: onHeaders } as const
        const { bytes, ...head } = await receive(pool, request)
        return { ...head, text: decoder.decode(bytes) }
      }
      // The pool cannot queue requests: it opens connections even for those that were aborted. An aborted request keeps its
      // place until it has a connection. Otherwise the pool's queue would be unbounded.
      return isUrgent ? send() : gate.pass(send, signal)
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

function overloaded(): TallystickError {
  return upstreamError({
    failure: 'overloaded',
    message: 'Too many queries are waiting for the chain’s subgraph. Try again in a few seconds.',
    retryAfterSeconds: 1,
  })
}
