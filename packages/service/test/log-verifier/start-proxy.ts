import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { buffer } from 'node:stream/consumers'
import type { SecureContext } from 'node:tls'
import { startLocalServer } from '@tallystick/workbench/start-local-server'
import type { Answer } from './audit-log.ts'

export type LogProxy = {
  /** Fetches a resource of the log through the proxy. */
  get(path: string): Promise<Answer>
  /** Changes bodies, by the path below the URL of the log. */
  change: (path: string, body: Buffer) => Buffer
  stop(): Promise<void>
}

/** Starts a proxy in front of a log that can change what it passes on. */
export async function startProxy(logUrl: string, secureContext: SecureContext): Promise<LogProxy> {
  const agent = new Agent({ secureContext, keepAlive: true, maxSockets: 16 })
  const server = await startLocalServer(async ({ url = '' }, response) => {
    const outgoing = request(`${logUrl}${url}`, { agent }).end()
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    const body = proxy.change(url.slice(1), await buffer(incoming))
    response.writeHead(incoming.statusCode ?? 502, { 'content-type': incoming.headers['content-type'] ?? '' })
    response.end(body)
  })
  const proxy: LogProxy = {
    get: async (path) => {
      const response = await fetch(`${server.url}/${path}`)
      const type = response.headers.get('content-type') ?? ''
      return { status: response.status, type, body: Buffer.from(await response.arrayBuffer()) }
    },
    change: (_, body) => body,
    stop: async () => {
      agent.destroy()
      await server.stop()
    },
  }
  return proxy
}
