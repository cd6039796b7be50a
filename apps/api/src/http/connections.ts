import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2SecureServer, ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'

// A client that has just connected sends its request at once.
const firstRequestMs = 1_000

export type Connections = {
  /** Ends what has nothing under way, now, and the rest as soon as it has not. A new connection may send a request. */
  drain(): void
  /** Ends everything, whatever it is doing. */
  destroy(): void
}

/**
 * Knows the connections of a server and which of them have a request under way. Node's own `closeIdleConnections` passes
 * over those that never sent a request, and they would hold up a shutdown.
 */
export function trackConnections(server: Http2SecureServer): Connections {
  const raw = new Set<Socket>()
  const sessions = new Set<ServerHttp2Session>()
  /** The last answer begun on each connection of HTTP/1.1: answers are sent in order, so when it is done all are. */
  const lastAnswers = new Map<Socket, ServerResponse | undefined>()
  let draining = false

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
    lastAnswers.set(socket, undefined)
    socket.once('close', () => lastAnswers.delete(socket))
  })
  server.on('request', ({ socket, httpVersionMajor }: IncomingMessage, response: ServerResponse) => {
    if (httpVersionMajor !== 1) return
    if (lastAnswers.has(socket)) lastAnswers.set(socket, response)
    if (draining) endAfter(socket, response)
  })
  const endAfter = (socket: Socket, answer: ServerResponse) => {
    answer.once('close', () => {
      if (lastAnswers.get(socket) === answer) socket.destroySoon()
    })
  }
  const endUnlessUsed = (socket: Socket) => {
    const end = setTimeout(() => {
      if (lastAnswers.get(socket) === undefined) socket.destroy()
    }, firstRequestMs)
    socket.once('close', () => clearTimeout(end))
  }

  return {
    drain: () => {
      draining = true
      for (const session of sessions) session.close()
      for (const [socket, answer] of lastAnswers) {
        if (answer && !answer.closed) endAfter(socket, answer)
        else if (answer) socket.destroy()
        else endUnlessUsed(socket)
      }
    },
    destroy: () => {
      for (const socket of raw) socket.destroy()
    },
  }
}
