import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2SecureServer, Http2ServerRequest, ServerHttp2Session } from 'node:http2'
import type { Server, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { FastifyInstance } from 'fastify'

// A client that has just connected sends its request at once.
const firstRequestMs = 1_000

/**
 * Tracks the connections of a server and which of them have pending requests. Node's `closeIdleConnections` skips
 * connections that never sent a request, and they would delay a shutdown.
 */
export function trackConnections(server: Http2SecureServer | Server, opened: 'connection' | 'secureConnection') {
  const raw = new Set<Socket>()
  const sessions = new Set<ServerHttp2Session>()
  /** Last response started on each HTTP/1.1 connection. Responses are sent in order, so the last one finishes last. */
  const lastResponses = new Map<Socket, ServerResponse | undefined>()
  let isDraining = false

  server.on('connection', (socket: Socket) => {
    raw.add(socket)
    socket.once('close', () => raw.delete(socket))
  })
  server.on('session', (session: ServerHttp2Session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
  })
  server.on(opened, (socket: Socket | TLSSocket) => {
    if ('alpnProtocol' in socket && socket.alpnProtocol === 'h2') return
    lastResponses.set(socket, undefined)
    socket.once('close', () => lastResponses.delete(socket))
    if (isDraining) endUnlessUsed(socket)
  })
  server.on('request', ({ socket, httpVersionMajor }: IncomingMessage, response: ServerResponse) => {
    if (httpVersionMajor !== 1) return
    if (lastResponses.has(socket)) lastResponses.set(socket, response)
    if (isDraining) endAfter(socket, response)
  })
  const endAfter = (socket: Socket, response: ServerResponse) => {
    response.once('close', () => {
      if (lastResponses.get(socket) === response) socket.destroySoon()
    })
  }
  const endUnlessUsed = (socket: Socket) => {
    const end = setTimeout(() => {
      if (lastResponses.get(socket) === undefined) socket.destroy()
    }, firstRequestMs)
    socket.once('close', () => clearTimeout(end))
  }

  return {
    /** Ends idle connections now and the others after their pending requests. A new connection may send one request. */
    drain: () => {
      isDraining = true
      for (const session of sessions) session.close()
      for (const [socket, response] of lastResponses) {
        if (response && !response.closed) endAfter(socket, response)
        else if (response) socket.destroy()
        else endUnlessUsed(socket)
      }
    },
    /** Ends every connection immediately. */
    destroy: () => {
      for (const socket of raw) socket.destroy()
    },
  }
}

/** Ends the idle connections of a server without TLS when it closes. */
export function endIdleConnections(app: FastifyInstance): void {
  const { drain } = trackConnections(app.server, 'connection')
  app.addHook('preClose', async () => drain())
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => void

export type ListeningServer = { readonly listening: boolean }

/** Puts a handler before another one of a server. */
export type AddHandler = (handler: Handler, server: ListeningServer) => Handler

// No common client pipelines. A waiting request takes about 2 KB, and a client may send 3,000 of them in one write.
const pipelinedMax = 256
// HTTP/1.1 requests and timers run between two slices.
const sliceMs = 5

/**
 * Returns a handler that calls `handler` when a request can be answered. A pipelined request waits until the response
 * before it is sent, so that a client that does not read holds one response in memory. HTTP/2 requests wait for the end of
 * the turn: those that the client has reset by then cost nothing, and a burst does not delay other connections.
 * `onCut` is called for a connection that is closed because too many pipelined requests wait.
 */
export function paceRequests(handler: Handler, onCut: () => void): Handler {
  const waiting = new WeakMap<Socket, number>()
  const handleStream = createStreamQueue(handler)

  const wait = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    const count = (waiting.get(socket) ?? 0) + 1
    waiting.set(socket, count)
    if (count > pipelinedMax) {
      if (!socket.destroyed) onCut()
      socket.destroy()
      return
    }
    const begin = () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1)
      if (!socket.destroyed) handler(request, response)
    }
    // Node flushes the response after this event.
    response.once('socket', () => process.nextTick(begin))
  }
  return (request, response) => {
    if (request.httpVersionMajor === 2) handleStream(request, response)
    // Node gives a response its socket when the responses before it are sent.
    else if (response.socket === null) wait(request, response)
    else handler(request, response)
  }
}

/** Paces the requests of a server that has its request listener already. `addBefore` puts another handler before that. */
export function paceServer(server: Server, onCut: () => void, addBefore: AddHandler = (handler) => handler): void {
  const listeners = server.listeners('request')
  server.removeAllListeners('request')
  const handler: Handler = (request, response) => {
    for (const listener of listeners) listener.call(server, request, response)
  }
  server.on('request', paceRequests(addBefore(handler, server), onCut))
}

/** Returns a handler that answers the requests of all HTTP/2 connections in slices of 5 ms, in the order of arrival. */
function createStreamQueue(handler: Handler): Handler {
  let queue: [IncomingMessage, ServerResponse][] = []
  const run = () => {
    const endMs = performance.now() + sliceMs
    let done = 0
    for (const [request, response] of queue) {
      done += 1
      const { stream } = request as unknown as Http2ServerRequest
      if (stream.destroyed || stream.aborted) continue
      handler(request, response)
      if (performance.now() >= endMs) break
    }
    queue = queue.slice(done)
    if (queue.length > 0) setImmediate(run)
  }
  return (request, response) => {
    if (queue.push([request, response]) === 1) setImmediate(run)
  }
}
