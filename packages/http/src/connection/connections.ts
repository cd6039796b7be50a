import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2SecureServer, ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'

// A client that has just connected sends its request at once.
const firstRequestMs = 1_000

export type Connections = {
  /** Ends idle connections now and the others after their pending requests. A new connection may send one request. */
  drain(): void
  /** Ends every connection immediately. */
  destroy(): void
}

/**
 * Tracks the connections of a server and which of them have pending requests. Node's `closeIdleConnections` skips
 * connections that never sent a request, and they would delay a shutdown.
 */
export function trackConnections(server: Http2SecureServer): Connections {
  const raw = new Set<Socket>()
  const sessions = new Set<ServerHttp2Session>()
  /** Last response started on each HTTP/1.1 connection. Responses are sent in order, so the last one finishes last. */
  const lastResponses = new Map<Socket, ServerResponse | undefined>()
  let isDraining = false

  server.on('connection', (socket: Socket) => {
    raw.add(socket)
    socket.once('close', () => raw.delete(socket))
  })
  server.on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
  })
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === 'h2') return
    lastResponses.set(socket, undefined)
    socket.once('close', () => lastResponses.delete(socket))
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
    drain: () => {
      isDraining = true
      for (const session of sessions) session.close()
      for (const [socket, response] of lastResponses) {
        if (response && !response.closed) endAfter(socket, response)
        else if (response) socket.destroy()
        else endUnlessUsed(socket)
      }
    },
    destroy: () => {
      for (const socket of raw) socket.destroy()
    },
  }
}
