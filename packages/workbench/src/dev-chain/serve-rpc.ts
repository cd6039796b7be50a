import type { IncomingMessage, ServerResponse } from 'node:http'
import { type LocalServer, startLocalServer } from '../start-local-server.ts'

export type Answer = (body: string) => Promise<string | undefined>

// Batches of transactions are large, but none of ours exceeds a tenth of this.
const bodyBytesMax = 64 * 1024 * 1024

/** Serves JSON-RPC over HTTP on loopback. */
export function serveRpc(answer: Answer, port: number): Promise<LocalServer> {
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    // Wallets and local pages call the chain from a browser.
    if (request.method === 'OPTIONS') return send(response, { status: 204, text: '' })
    if (request.method !== 'POST') return send(response, { status: 405, text: 'Send JSON-RPC by POST.' })
    const text = await answer(await readBody(request))
    send(response, { status: text === undefined ? 204 : 200, text: text ?? '' })
  }
  return startLocalServer(
    (request, response) =>
      respond(request, response).catch(({ message }: Error) => send(response, { status: 400, text: message })),
    { port },
  )
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
