import type { IncomingMessage, ServerResponse } from 'node:http'
import { type LocalServer, startLocalServer } from '../start-local-server.ts'
import type { DevChainHandler } from './create-dev-chain.ts'
import { RpcFailure } from './rpc-failure.ts'

// Batches of transactions are large, but none of ours exceeds a tenth of this.
const bodyBytesMax = 64 * 1024 * 1024

/** Serves the JSON-RPC of a chain over HTTP on loopback. */
export function serveRpc(chain: Pick<DevChainHandler, 'handle'>, port: number): Promise<LocalServer> {
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    // Wallets and local pages call the chain from a browser.
    if (request.method === 'OPTIONS') return send(response, { status: 204, text: '' })
    if (request.method !== 'POST') return send(response, { status: 405, text: 'Send JSON-RPC by POST.' })
    const text = await answerRequest(chain, await readBody(request))
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

/** Handles the body of a JSON-RPC request, one call or a batch. Returns undefined if it has only notifications. */
export async function answerRequest(chain: Pick<DevChainHandler, 'handle'>, body: string): Promise<string | undefined> {
  let request: unknown
  try {
    request = JSON.parse(body)
  } catch {
    return formatFailure(null, new RpcFailure({ code: -32700, message: 'The body is not JSON.' }))
  }
  if (!Array.isArray(request)) return answerCall(chain, request)
  if (request.length === 0) return formatFailure(null, new RpcFailure({ code: -32600, message: 'The batch is empty.' }))
  const answers: string[] = []
  // One after another, because transactions must stay in order.
  for (const call of request) {
    const answer = await answerCall(chain, call)
    if (answer !== undefined) answers.push(answer)
  }
  return answers.length === 0 ? undefined : `[${answers.join(',')}]`
}

async function answerCall(chain: Pick<DevChainHandler, 'handle'>, call: unknown): Promise<string | undefined> {
  const { id, method, params = [] } = (typeof call === 'object' && call !== null ? call : {}) as Record<string, unknown>
  const isId = id === undefined || id === null || typeof id === 'string' || typeof id === 'number'
  if (typeof method !== 'string' || !Array.isArray(params) || !isId) {
    const message = 'Send an object with `jsonrpc`, `id`, `method` and a list `params`.'
    return formatFailure(null, new RpcFailure({ code: -32600, message }))
  }
  const answer = await chain.handle(method, params).then(
    (text) => `{"jsonrpc":"2.0","id":${JSON.stringify(id ?? null)},${text.slice(1)}`,
    (error: unknown) => formatFailure(id ?? null, toFailure(error)),
  )
  // A call without an id is a notification and has no response.
  return id === undefined ? undefined : answer
}

function toFailure(error: unknown): RpcFailure {
  if (error instanceof RpcFailure) return error
  return new RpcFailure({ code: -32603, message: error instanceof Error ? error.message : String(error) })
}

function formatFailure(id: unknown, { code, message, data }: RpcFailure): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } })
}
