import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createCertificateAuthority } from '@tallystick/workbench/certificate-authority'
import { findFreePort } from '@tallystick/workbench/free-port'
import { onTestFinished } from 'vitest'
import { type Failure, type FailureName, failures, type Tls } from './failures.ts'
import type { Defer } from './harness.ts'

export type FailingServer = {
  readonly url: string
  /** Certificate that a client must trust to attempt TLS. */
  readonly ca: string | undefined
  /** Number of requests. For servers that do not speak HTTP, number of connections. */
  readonly requests: () => number
  readonly openConnections: () => number
}

/** Starts a real server that fails in one way on every request. */
export async function startFailingServer(
  name: FailureName,
  defer: Defer = onTestFinished as Defer,
): Promise<FailingServer> {
  const failure = failures[name]
  const nothing = { ca: undefined, requests: () => 0, openConnections: () => 0 }
  if ('url' in failure) return { url: failure.url, ...nothing }
  if ('nothingListens' in failure) return { url: `http://127.0.0.1:${await findFreePort()}`, ...nothing }
  let requests = 0
  const { server, ca } = createFailing(failure, () => {
    requests += 1
  })
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  defer(
    () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  )
  const scheme = 'tls' in failure || 'plainForTls' in failure ? 'https' : 'http'
  return { url: `${scheme}://127.0.0.1:${port}`, ca, requests: () => requests, openConnections: () => sockets.size }
}

function createFailing(failure: Failure, onRequest: () => void): { server: Server; ca: string | undefined } {
  if (!('respond' in failure)) {
    const act = 'onConnection' in failure ? failure.onConnection : () => undefined
    const server = createServer((socket) => {
      onRequest()
      act(socket)
    })
    return { server, ca: undefined }
  }
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    onRequest()
    request.resume()
    request.once('end', () => failure.respond(response, request))
  }
  if (!failure.tls) return { server: createHttpServer(handle), ca: undefined }
  const { ca, ...pair } = certificateOf(failure.tls)
  return { server: createHttpsServer(pair, handle), ca }
}

function certificateOf(tls: Tls) {
  const trusted = createCertificateAuthority()
  const stranger = createCertificateAuthority()
  switch (tls) {
    case 'self-signed':
      return { ca: trusted.cert, cert: stranger.cert, key: stranger.key }
    case 'unknown authority':
      return { ca: trusted.cert, ...stranger.issue(['127.0.0.1']) }
    case 'wrong host':
      return { ca: trusted.cert, ...trusted.issue(['elsewhere.invalid']) }
    case 'expired': {
      const old = createCertificateAuthority(new Date('2020-01-01'))
      return { ca: old.cert, ...old.issue(['127.0.0.1']) }
    }
  }
}
