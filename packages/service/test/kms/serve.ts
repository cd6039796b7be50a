import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { startLocalServer } from '@tallystick/workbench/start-local-server'
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
  const server = await startLocalServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request
    const seen = { method, path, headers, body: await text(request) }
    requests.push(seen)
    await handle(seen, response)
  })
  defer(server.stop)
  return { host: `127.0.0.1:${server.port}`, requests }
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
