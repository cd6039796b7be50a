import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { createCertificateAuthority } from '@tallystick/workbench/certificate-authority'
import { keepConnections } from '@tallystick/workbench/start-local-server'
import { onTestFinished } from 'vitest'
import type { Defer } from './harness.ts'

export type Received = {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Responds to a request that was read to its end. */
export type Respond = (response: ServerResponse, received: Received, request: IncomingMessage) => void

export type Receiver = {
  readonly port: number
  readonly url: string
  /** Every request that was read to its end. */
  readonly received: Received[]
  /** Connections that are open. */
  readonly sockets: ReadonlySet<Socket>
  respond: Respond
}

const authority = createCertificateAuthority()
/** Trusts the receivers, except those with a wrong certificate. */
export const receiverCa = authority.cert
const certificate = authority.issue(['receiver.test', '127.0.0.1'])

export const ok: Respond = (response) => response.writeHead(204).end()

/** Starts a real HTTPS receiver on 127.0.0.1. */
export async function startReceiver(
  { respond = ok, tls = certificate }: { readonly respond?: Respond; readonly tls?: typeof certificate | null } = {},
  defer: Defer = onTestFinished as Defer,
): Promise<Receiver> {
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('error', () => undefined)
    request.on('end', () => {
      const { url: path = '', headers } = request
      const received = { path, headers, body: Buffer.concat(chunks).toString('utf8') }
      receiver.received.push(received)
      receiver.respond(response, received, request)
    })
  }
  const server = tls
    ? createServer({ ...tls, ...keepConnections }, listener)
    : createHttpServer(keepConnections, listener)
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = tls ? `https://receiver.test:${port}/hook` : `http://receiver.test:${port}/hook`
  const receiver: Receiver = { port, url, received: [], sockets, respond }
  defer(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  )
  return receiver
}
