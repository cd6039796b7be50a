import type { Server, ServerOptions } from 'node:http'
import { constants, createSecureServer, type Http2SecureServer, type SecureServerOptions } from 'node:http2'
import type { ServerOpts, Socket } from 'node:net'
import { trackConnections } from '../connection/connections.ts'
import { endConnection } from '../connection/end-connection.ts'
import { limitResets } from '../connection/limit-resets.ts'
import { isLongResponse } from '../response/long-response.ts'
import { keyExchange } from './key-exchange.ts'

export type TlsServerOptions = {
  readonly cert: string | Buffer
  readonly key: string | Buffer
  /** Returns the whole response to a connection that is not TLS, given its first bytes. */
  readonly answerPlain: (firstBytes: Buffer) => string
  /** Called for an HTTP/2 connection that is closed because its client resets too many streams. */
  readonly onResetFlood?: (() => void) | undefined
  readonly timeouts?: Partial<typeof defaultTimeoutsMs> | undefined
}

export type TlsServer = {
  /** One server for HTTP/1.1 and HTTP/2, without a request listener yet. */
  readonly server: Server
  /** Sets the certificate of new connections. Open ones are not affected. */
  setCertificate(certificate: { readonly cert: string | Buffer; readonly key: string | Buffer }): void
  /** Sets the key that the tickets of new sessions are encrypted with. Tickets of another key need a whole handshake. */
  setTicketKeys(key: Buffer): void
  /** Ends every connection immediately. */
  destroyConnections(): void
}

// A client sends its first byte at once and its headers soon after. A slower connection is treated as an attack.
const defaultTimeoutsMs = {
  firstByte: 10_000,
  handshake: 10_000,
  headers: 10_000,
  request: 30_000,
  keepAlive: 72_000,
  /** Interval at which slow requests are looked for. Node's default is 30 s. */
  slowRequestCheck: 1_000,
}
// RFC 9113 §6.5.2 recommends at least 100. Node has no limit by default.
const maxConcurrentStreams = 100
// First byte of a TLS record that carries a handshake (RFC 8446 §5.1). No HTTP method starts with it.
const tlsHandshakeByte = 0x16

/**
 * Creates a TLS server that checks the first byte of each connection. A connection that is not TLS gets a plain HTTP
 * response that HTTPS is required, and is closed.
 */
export function createTlsServer({ cert, key, answerPlain, onResetFlood, timeouts }: TlsServerOptions): TlsServer {
  const timeoutsMs = { ...defaultTimeoutsMs, ...timeouts }
  const tls = { ...keyExchange, handshakeTimeout: timeoutsMs.handshake }
  const options: SecureServerOptions & ServerOpts & Pick<ServerOptions, 'requireHostHeader'> = {
    ...tls,
    cert,
    key,
    allowHTTP1: true,
    // `requireHost` handles a missing `Host`. From Node 24, Node's own response would lack our body and headers.
    requireHostHeader: false,
    settings: { maxConcurrentStreams },
    // As on HTTP/1.1 servers: the end of a response must not wait for the acknowledgement of its start.
    noDelay: true,
  }
  const server = createSecureServer(options)
  applyTimeouts(server, timeoutsMs)
  // The only listener of `connection` is the TLS layer. Ours runs before it.
  const [startTls] = server.listeners('connection') as [(this: Http2SecureServer, socket: Socket) => void]
  server.removeAllListeners('connection')
  const connections = trackConnections(server, 'secureConnection')
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => socket.destroy())
    sniff(socket, { onTls: () => startTls.call(server, socket), answerPlain, timeoutMs: timeoutsMs.firstByte })
  })
  // Node emits a failed handshake as `clientError`, whose handler sends a response. Without a TLS session it could never
  // be sent, and the connection would stay open.
  server.removeAllListeners('tlsClientError')
  server.on('tlsClientError', (_error, socket) => socket.destroy())

  // Node limits slow requests on HTTP/1.1 only. Slow HTTP/2 streams are closed here.
  server.on('stream', (stream) => {
    const timer = setTimeout(() => {
      if (!isLongResponse(stream)) stream.close(constants.NGHTTP2_CANCEL)
    }, timeoutsMs.request)
    stream.once('close', () => clearTimeout(timer))
  })
  limitResets(server, () => onResetFlood?.())
  server.on('session', (session) => session.setTimeout(timeoutsMs.keepAlive, () => session.close()))
  // Node would respond to an unknown expectation without a body. RFC 9110 §10.1.1 allows ignoring it.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  // Fastify calls this when it closes.
  Object.assign(server, { closeHttp2Sessions: connections.drain })

  return {
    server: server as unknown as Server,
    setCertificate: (certificate) => server.setSecureContext({ ...tls, ...certificate }),
    setTicketKeys: (key) => server.setTicketKeys(key),
    destroyConnections: connections.destroy,
  }
}

function applyTimeouts(server: Http2SecureServer, timeoutsMs: typeof defaultTimeoutsMs): void {
  // With `allowHTTP1` it has the members of an HTTP/1.1 server, which its type lacks.
  Object.assign(server, {
    headersTimeout: timeoutsMs.headers,
    requestTimeout: timeoutsMs.request,
    keepAliveTimeout: timeoutsMs.keepAlive,
    connectionsCheckingInterval: timeoutsMs.slowRequestCheck,
  })
}

type SniffOptions = {
  readonly onTls: () => void
  readonly answerPlain: (firstBytes: Buffer) => string
  readonly timeoutMs: number
}

function sniff(socket: Socket, { onTls, answerPlain, timeoutMs }: SniffOptions): void {
  const timer = setTimeout(() => socket.destroy(), timeoutMs)
  socket.once('close', () => clearTimeout(timer))
  socket.once('data', (firstBytes: Buffer) => {
    clearTimeout(timer)
    if (firstBytes[0] !== tlsHandshakeByte) {
      endConnection(socket, answerPlain(firstBytes))
      return
    }
    socket.pause()
    socket.unshift(firstBytes)
    onTls()
  })
}
