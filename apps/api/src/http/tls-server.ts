import type { Server } from 'node:http'
import { constants, createSecureServer, type Http2SecureServer } from 'node:http2'
import type { ServerOpts, Socket } from 'node:net'
import { trackConnections } from './connections.ts'
import { endConnection } from './end-connection.ts'
import { keyExchange } from './key-exchange.ts'

export type TlsServerOptions = {
  readonly cert: string | Buffer
  readonly key: string | Buffer
  /** The whole answer to bytes that are not TLS, given the first of them. */
  readonly answerPlain: (firstBytes: Buffer) => string
  readonly timeouts?: Partial<typeof defaultTimeoutsMs> | undefined
}

export type TlsServer = {
  /** One server for HTTP/1.1 and HTTP/2, without a request listener yet. */
  readonly server: Server
  /** New connections use this certificate; those open are left alone. */
  setCertificate(certificate: { readonly cert: string | Buffer; readonly key: string | Buffer }): void
  /** Ends every connection now, whatever it is doing. */
  destroyConnections(): void
}

// A client sends its first byte at once and its headers soon after; what is slower is not a client but an attack.
const defaultTimeoutsMs = { firstByte: 10_000, handshake: 10_000, headers: 10_000, request: 30_000, keepAlive: 72_000 }
// Node looks for slow requests every 30 seconds unless told otherwise.
const lookForSlowMs = 1_000
// What RFC 9113 §6.5.2 advises not to go below; Node has no limit of its own.
const maxConcurrentStreams = 100
// First byte of a TLS record that carries a handshake (RFC 8446 §5.1). No HTTP method starts with it.
const tlsHandshakeByte = 0x16

/**
 * A TLS server that looks at the first byte of each connection: TLS goes on as ever, anything else is told in plain HTTP
 * that HTTPS is required, and closed.
 */
export function createTlsServer({ cert, key, answerPlain, timeouts }: TlsServerOptions): TlsServer {
  const timeoutsMs = { ...defaultTimeoutsMs, ...timeouts }
  const tls = { ...keyExchange, handshakeTimeout: timeoutsMs.handshake }
  const server = createSecureServer({
    // `requireHost` answers a request without `Host`. From Node 24 on, Node would, without our body and headers.
    ...{ ...tls, cert, key, allowHTTP1: true, requireHostHeader: false, settings: { maxConcurrentStreams } },
    // As HTTP/1.1 servers have it: the end of an answer must not wait until its beginning is acknowledged.
    ...({ noDelay: true } satisfies ServerOpts),
  })
  applyTimeouts(server, timeoutsMs)
  // The one listener of `connection` is the TLS layer itself; we stand before it.
  const [startTls] = server.listeners('connection') as [(this: Http2SecureServer, socket: Socket) => void]
  server.removeAllListeners('connection')
  const connections = trackConnections(server)
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => socket.destroy())
    sniff(socket, { onTls: () => startTls.call(server, socket), answerPlain, timeoutMs: timeoutsMs.firstByte })
  })
  // Node passes a failed handshake on as `clientError`, whose handler sends an answer. Without a session nothing can be
  // sent, so the answer would never leave and the connection never end.
  server.removeAllListeners('tlsClientError')
  server.on('tlsClientError', (_error, socket) => socket.destroy())

  // Node's limits on slow requests are those of HTTP/1.1; a stream that is not done in time is cut here.
  server.on('stream', (stream) => {
    const cut = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), timeoutsMs.request)
    stream.once('close', () => clearTimeout(cut))
  })
  server.on('session', (session) => session.setTimeout(timeoutsMs.keepAlive, () => session.close()))
  // Node would answer an expectation it does not know by itself, without a body; RFC 9110 §10.1.1 lets us pass it over.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  // Fastify calls this when it closes.
  Object.assign(server, { closeHttp2Sessions: connections.drain })

  return {
    server: server as unknown as Server,
    setCertificate: (certificate) => server.setSecureContext({ ...tls, ...certificate }),
    destroyConnections: connections.destroy,
  }
}

function applyTimeouts(server: Http2SecureServer, timeoutsMs: typeof defaultTimeoutsMs): void {
  // `allowHTTP1` makes it carry the members of an HTTP/1.1 server, which the types do not know.
  Object.assign(server, {
    headersTimeout: timeoutsMs.headers,
    requestTimeout: timeoutsMs.request,
    keepAliveTimeout: timeoutsMs.keepAlive,
    connectionsCheckingInterval: lookForSlowMs,
  })
}

function sniff(
  socket: Socket,
  {
    onTls,
    answerPlain,
    timeoutMs,
  }: {
    readonly onTls: () => void
    readonly answerPlain: (firstBytes: Buffer) => string
    readonly timeoutMs: number
  },
): void {
  const giveUp = setTimeout(() => socket.destroy(), timeoutMs)
  socket.once('close', () => clearTimeout(giveUp))
  socket.once('data', (firstBytes: Buffer) => {
    clearTimeout(giveUp)
    if (firstBytes[0] !== tlsHandshakeByte) {
      endConnection(socket, answerPlain(firstBytes))
      return
    }
    socket.pause()
    socket.unshift(firstBytes)
    onTls()
  })
}
