import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'

export type LocalServer = {
  readonly url: string
  readonly port: number
  /** Closes all connections. The server keeps listening. */
  closeConnections(): void
  stop(): Promise<void>
}

/** Responds to a request. If it fails, the connection is closed. */
export type LocalListener = (request: IncomingMessage, response: ServerResponse) => unknown

/**
 * Options of a server without timeouts. On a loaded machine, one could close a connection that the next request uses.
 */
export const keepConnections = { keepAliveTimeout: 0, requestTimeout: 0 } as const

/** Starts a server on 127.0.0.1, with TLS if it is given a certificate. The default port is a free one. */
export async function startLocalServer(
  listener: LocalListener,
  { port: wantedPort = 0, tls }: { readonly port?: number | undefined; readonly tls?: ServerOptions | undefined } = {},
): Promise<LocalServer> {
  const onRequest = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      await listener(request, response)
    } catch {
      response.destroy()
    }
  }
  const server = tls
    ? createTlsServer({ ...tls, ...keepConnections }, onRequest)
    : createServer(keepConnections, onRequest)
  await once(server.listen(wantedPort, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    closeConnections: () => server.closeAllConnections(),
    stop: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
