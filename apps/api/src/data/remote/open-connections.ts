import type { Socket } from 'node:net'
import type { StopSignal } from '@tallystick/core/signal/create-abort'
import { buildConnector, type Dispatcher, Pool } from 'undici'
import { createSlots } from './create-slots.ts'

/** An HTTP answer, whatever its status. */
export type Exchange = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
}

export type Post = {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly signal: StopSignal
  /** Goes out even while callers' queries take all the connections they may have. */
  readonly isUrgent: boolean
  /** Is told when the headers of the answer are there. */
  readonly onHeaders: () => void
}

export type Connections = {
  /** Sends one request and reads its answer. Throws what undici throws, or the signal's reason. */
  post(post: Post): Promise<Exchange>
  /** Whether an error came over a connection that was there before this instant: one that had been kept. */
  wasKept(error: unknown, sinceMs: number): boolean
  close(): Promise<void>
}

// As many as an indexer takes from one client without thinking it an attack; a query over them waits for its turn.
const connectionsMax = 64
// One for the query that looks whether the upstream is well, and one for that which asks for its head.
const urgentMax = 2
const waitingMax = 1_000
// A handshake across the world takes well under a second.
const connectTimeoutMs = 5_000
// Load balancers keep idle connections for a minute or more; servers that keep them shorter say so, and undici heeds it.
const keptMs = 20_000

/** Kept-alive HTTP/1.1 connections to one origin, bounded in number, and in what they read. Redirects are not followed. */
export function openConnections({
  origin,
  answerBytesMax,
  ca,
  monotonicNow,
}: {
  readonly origin: string
  readonly answerBytesMax: number
  /** Certificates to trust in place of the system's. */
  readonly ca?: string | undefined
  readonly monotonicNow: () => number
}): Connections {
  const sockets = new Set<Socket>()
  const connectedAtMs = new WeakMap<Error, number>()
  const connectSocket = buildConnector({ timeout: connectTimeoutMs, ...(ca !== undefined && { ca }) })
  const connect: buildConnector.connector = (options, callback) => {
    // The declared type leaves out what it returns.
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
    keepAliveTimeout: keptMs,
    keepAliveMaxTimeout: keptMs,
    maxResponseSize: answerBytesMax,
    // Whoever asks has a deadline and a signal.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const slots = createSlots({ slotsMax: connectionsMax, waitingMax })
  return {
    post: async ({ path, headers, body, signal, isUrgent, onHeaders }) => {
      // Not left to the pool: it opens a connection even for a waiting request that was broken off long ago.
      const giveBack = isUrgent ? () => undefined : await slots.take(signal)
      try {
        return await exchange(pool, { path, headers, body, signal, onHeaders })
      } finally {
        giveBack()
      }
    },
    wasKept: (error, sinceMs) => error instanceof Error && (connectedAtMs.get(error) ?? sinceMs) < sinceMs,
    close: async () => {
      await pool.destroy()
      // Those that were still connecting are not the pool's yet.
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** By hand, not by `pool.request`: its streams and signals cost more than all the rest of an exchange. */
function exchange(pool: Pool, { path, headers, body, signal, onHeaders }: Omit<Post, 'isUrgent'>): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined
    let answer: Omit<Exchange, 'text'> | undefined
    const chunks: Buffer[] = []
    // One that waits for its connection keeps its slot until it is told: the pool would hold any number of them.
    const onAbort = () => controller?.abort(brokenOff)
    signal.addEventListener('abort', onAbort)
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (started) => {
        controller = started
        if (signal.aborted) started.abort(brokenOff)
      },
      onResponseStart: (_, status, received) => {
        // One that only informs; the answer is still to come.
        if (status < 200) return
        answer = { status, headers: pick(received) }
        onHeaders()
      },
      onResponseData: (_, chunk) => {
        chunks.push(chunk)
      },
      onResponseEnd: () => {
        signal.removeEventListener('abort', onAbort)
        if (answer) resolve({ ...answer, text: decoder.decode(Buffer.concat(chunks)) })
      },
      onResponseError: (_, error) => {
        signal.removeEventListener('abort', onAbort)
        reject(error)
      },
    }
    pool.dispatch({ method: 'POST', path, headers, body }, handler)
  })
}

// Nobody gets to see it: who is broken off has the signal's reason.
const brokenOff = new Error('broken off')
// Without a byte order mark, if there is one.
const decoder = new TextDecoder()

/** The headers that say something to us. */
function pick(headers: Readonly<Record<string, string | string[] | undefined>>): Exchange['headers'] {
  const { 'content-type': type, 'retry-after': retryAfter, date } = headers
  return { 'content-type': first(type), 'retry-after': first(retryAfter), date: first(date) }
}

/** Of a header sent twice the first counts. */
function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}
