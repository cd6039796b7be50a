import { connect as connectPlain } from 'node:net'
import { type ConnectionOptions, connect } from 'node:tls'
import { Worker } from 'node:worker_threads'

/** A server. Without `ca` it serves plain HTTP. */
export type Target = { readonly port: number; readonly ca?: string | undefined }

/** Complete request as sent on the wire: a constant, or a function of its number. */
type RequestText = string | ((index: number) => string)

export type Load = Target & {
  readonly request: RequestText
  readonly seconds: number
  readonly connections?: number
}

export type LoadResult = {
  /** Responses per second. */
  readonly rate: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
  readonly p999Ms: number
}

export type Connection = {
  /** Sends one request at a time. `onAnswer` gets the start of the response with the complete head. The buffer is reused. */
  send(request: Buffer, onAnswer: (head: Buffer) => void): void
  close(): Promise<void>
}

const headEnd = Buffer.from('\r\n\r\n')
const defaultConnections = 32

/** Sends requests one after the other on each connection, as fast as the server responds. */
export async function measureLoad({ request, seconds, ...target }: Load): Promise<LoadResult> {
  const next = createRequests(request)
  const times: number[] = []
  const { connections, failed } = await openConnections(target)
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000
  const runOn = (connection: Connection) =>
    new Promise<void>((resolve) => {
      const send = () => {
        const sentAt = performance.now()
        connection.send(next(), () => {
          const now = performance.now()
          times.push(now - sentAt)
          if (now < endsAt) send()
          else resolve()
        })
      }
      send()
    })
  await Promise.race([Promise.all(connections.map(runOn)), failed])
  const elapsedMs = performance.now() - startedAt
  await closeAll(connections)
  return summarize(times, elapsedMs)
}

/**
 * Sends requests at a fixed rate over any free connection. The time of a request starts when this loop sees that it is due,
 * not when a connection is free: a request that waits behind a slow response is slow too. A delay of the loop itself is not
 * counted.
 */
export async function measureAtRate({ rate, ...load }: Load & { readonly rate: number }): Promise<LoadResult> {
  const { request, seconds, ...target } = load
  const next = createRequests(request)
  const times: number[] = []
  const { connections, failed } = await openConnections(target)
  const free = [...connections]
  const total = Math.floor(rate * seconds)
  let startedAt: number | undefined
  let stopTicks = () => {}
  const run = new Promise<void>((resolve) => {
    let seen = 0
    const waiting: number[] = []
    const sendDue = () => {
      const now = performance.now()
      startedAt ??= now
      const due = Math.min(total, Math.floor(((now - startedAt) / 1000) * rate) + 1)
      for (; seen < due; seen++) waiting.push(now)
      while (waiting.length > 0 && free.length > 0) {
        // In turns: the server closes a connection that sends nothing.
        const connection = free.shift() as Connection
        const dueAt = waiting.shift() as number
        connection.send(next(), () => {
          times.push(performance.now() - dueAt)
          free.push(connection)
          if (times.length === total) resolve()
          else if (waiting.length > 0) sendDue()
        })
      }
    }
    stopTicks = startTicks(sendDue)
  })
  await Promise.race([run, failed]).finally(() => stopTicks())
  const elapsedMs = performance.now() - (startedAt ?? 0)
  await closeAll(connections)
  return summarize(times, elapsedMs)
}

const tickMs = 0.5
// By then the start of the thread no longer takes CPU time from the measured server.
const ticksSkipped = 100

/**
 * Calls `onTick` twice per millisecond and sleeps in between. A busy loop would take one of two cores from the server, and
 * Node's shortest timer is longer than the measured times. A separate thread can wait for a fraction of a millisecond.
 */
function startTicks(onTick: () => void): () => void {
  const stopped = new Int32Array(new SharedArrayBuffer(4))
  const ticker = new Worker(
    `const { parentPort, workerData: { stopped, tickMs } } = require('node:worker_threads')
    while (Atomics.wait(stopped, 0, 0, tickMs) === 'timed-out') parentPort.postMessage(0)`,
    { eval: true, workerData: { stopped, tickMs } },
  )
  let ticks = 0
  ticker.on('message', () => {
    if (ticks++ >= ticksSkipped) onTick()
  })
  return () => {
    Atomics.store(stopped, 0, 1)
    Atomics.notify(stopped, 0)
  }
}

/**
 * Opens keep-alive connections. Only the status, the length and the end of a response are read, so that the generator
 * does not starve the server on two cores. `failed` rejects on an unsuccessful response (other than 304), because a server
 * that rejects requests is fast.
 */
export async function openConnections({
  connections: count = defaultConnections,
  ...target
}: Target & { readonly connections?: number }): Promise<{
  readonly connections: readonly Connection[]
  readonly failed: Promise<never>
}> {
  let fail = (_: Error) => {}
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  // Prevents an unhandled rejection after the race.
  failed.catch(() => {})
  const connections = await Promise.all(Array.from({ length: count }, () => openConnection(target, fail)))
  return { connections, failed }
}

export async function closeAll(connections: readonly Connection[]): Promise<void> {
  await Promise.all(connections.map((connection) => connection.close()))
}

export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

async function openConnection({ port, ca }: Target, fail: (error: Error) => void): Promise<Connection> {
  let onAnswer: (head: Buffer) => void = () => {}
  let head: Buffer = Buffer.alloc(0)
  let pending = 0
  const read = (chunk: Buffer) => {
    if (pending === 0) {
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk])
      const end = head.indexOf(headEnd)
      if (end === -1) {
        head = Buffer.from(head)
        return
      }
      if (!isSuccess(head)) fail(new Error(head.toString()))
      pending = end + headEnd.length + contentLengthOf(head, end) - head.length
      if (pending > 0) head = Buffer.from(head.subarray(0, end))
    } else pending -= chunk.length
    if (pending > 0) return
    const answered = head
    head = Buffer.alloc(0)
    onAnswer(answered)
  }
  // Reads into one buffer without a stream. The types of `connect` lack this option.
  const onread = {
    buffer: Buffer.alloc(64 * 1024),
    callback: (length: number, buffer: Buffer) => {
      read(buffer.subarray(0, length))
      return true
    },
  }
  const options: ConnectionOptions & { readonly onread: typeof onread } = {
    ...{ port, host: '127.0.0.1', servername: 'localhost', ca },
    onread,
  }
  const socket = ca === undefined ? connectPlain({ port, host: options.host, onread }) : connect(options)
  socket.on('error', fail)
  await new Promise((resolve) => socket.once(ca === undefined ? 'connect' : 'secureConnect', resolve))
  return {
    send: (request, listener) => {
      onAnswer = listener
      socket.write(request)
    },
    close: () => new Promise((resolve) => socket.end(resolve)),
  }
}

/** Returns whether the status is 2xx or 304. */
function isSuccess(head: Buffer): boolean {
  const status = digitOf(head, 9) * 100 + digitOf(head, 10) * 10 + digitOf(head, 11)
  return (status >= 200 && status < 300) || status === 304
}

function digitOf(text: Buffer, index: number): number {
  return (text[index] as number) - 48
}

const contentLength = Buffer.from('ontent-length: ')

/** Reads the content length without creating a string, because it runs for every response. */
function contentLengthOf(head: Buffer, end: number): number {
  const at = head.indexOf(contentLength) + contentLength.length
  let length = 0
  if (at < contentLength.length || at > end) return 0
  for (let index = at; digitOf(head, index) >= 0; index++) length = length * 10 + digitOf(head, index)
  return length
}

function createRequests(request: RequestText): () => Buffer {
  if (typeof request === 'string') {
    const bytes = Buffer.from(request)
    return () => bytes
  }
  let sent = 0
  return () => Buffer.from(request(sent++))
}

function summarize(times: number[], elapsedMs: number): LoadResult {
  times.sort((a, b) => a - b)
  const at = (share: number) => quantile(times, share)
  return {
    rate: times.length / (elapsedMs / 1000),
    p50Ms: at(0.5),
    p95Ms: at(0.95),
    p99Ms: at(0.99),
    p999Ms: at(0.999),
  }
}
