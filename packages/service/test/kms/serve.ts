import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { keepConnections } from '@tallystick/workbench/keep-connections'
import type { Defer } from '../harness.ts'

export type Seen = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Starts an HTTP server on a free port. A handler that throws cuts the connection. */
export async function serve(
  handle: (seen: Seen, response: ServerResponse) => unknown,
  defer: Defer,
): Promise<{ readonly host: string; readonly requests: Seen[] }> {
  const requests: Seen[] = []
  const server = createServer(keepConnections, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url: path = '', headers } = request
    const seen = { method, path, headers, body: Buffer.concat(chunks).toString() }
    requests.push(seen)
    try {
      await handle(seen, response)
    } catch {
      response.destroy()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  defer(() => {
    server.closeAllConnections()
    server.close()
  })
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
