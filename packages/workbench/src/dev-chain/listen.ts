import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { keepConnections } from '../keep-connections.ts'

export type Answer = (body: string) => Promise<string | undefined>

const host = '127.0.0.1'
// Batches of transactions are large, but none of ours exceeds a tenth of this.
const bodyBytesMax = 64 * 1024 * 1024

export type Listener = { readonly url: string; close(): void }

/** Serves JSON-RPC over HTTP on loopback. */
export async function listen(answer: Answer, port: number): Promise<Listener> {
  const server = createServer(keepConnections, (request, response) => {
    respond(answer, { request, response }).catch((error: Error) => {
      send(response, { status: 400, text: error.message })
    })
  })
  server.listen(port, host)
  await once(server, 'listening')
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse }

async function respond(answer: Answer, { request, response }: Exchange): Promise<void> {
  // Wallets and local pages call the chain from a browser.
  if (request.method === 'OPTIONS') return send(response, { status: 204, text: '' })
  if (request.method !== 'POST') return send(response, { status: 405, text: 'Send JSON-RPC by POST.' })
  const text = await answer(await readBody(request))
  send(response, { status: text === undefined ? 204 : 200, text: text ?? '' })
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > bodyBytesMax) throw new Error(`The body is larger than ${bodyBytesMax} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function send(response: ServerResponse, { status, text }: { readonly status: number; readonly text: string }): void {
  if (response.headersSent) return
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'access-control-allow-origin': '*',
    'access-control-allow-headers': 'content-type',
    ...(status === 405 ? { allow: 'POST, OPTIONS' } : {}),
  })
  response.end(text)
}
