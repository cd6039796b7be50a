import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toQuantity } from '@tallystick/sandbox'
import { keepConnections } from '@tallystick/workbench/keep-connections'
import { drip, type FakeServer } from './fake-servers.ts'

/**
 * How the proxy of a node answers. `no-logs` and `fewer-logs`: without an error, as a node behind a load balancer that lags.
 * `other-chain`: everything is of another chain. `false-chain`: only the chain id is.
 */
export type RpcMode = 'pass' | 'refuse' | 'hang' | 'drip' | 'no-logs' | 'fewer-logs' | 'other-chain' | 'false-chain'

type Node = { readonly id: number; readonly url: string }
type RpcAnswer = { readonly id: number; readonly result?: unknown }

/** Starts a proxy of a node. `other` is the node of another chain. */
export async function startRpcProxy(node: Node, { other }: { readonly other: Node }): Promise<FakeServer<RpcMode>> {
  let mode: RpcMode = 'pass'
  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const asked = mode
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const target = asked === 'other-chain' ? other : node
    const headers = { 'content-type': 'application/json' }
    const text = await (await fetch(target.url, { method: 'POST', headers, body })).text()
    response.setHeader('content-type', 'application/json').end(falsify(text, { body, mode: asked, other }))
  }
  const server = createServer(keepConnections, (incoming, response) => {
    if (mode === 'refuse') return void incoming.socket.destroy()
    if (mode === 'drip') {
      incoming.resume()
      return void drip(response)
    }
    if (mode !== 'hang') answer(incoming, response).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  server.requestTimeout = 0
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setMode: (next) => {
      mode = next
      server.closeAllConnections()
    },
    stop: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

type Falsifying = { readonly body: string; readonly mode: RpcMode; readonly other: Node }

/** Returns the answers to a request, or to a batch of them, as the mode has them. */
export function falsify(text: string, { body, mode, other }: Falsifying): string {
  if (mode === 'pass' || mode === 'other-chain') return text
  const requests = [JSON.parse(body)].flat() as readonly { readonly id: number; readonly method: string }[]
  const methods = new Map(requests.map(({ id, method }) => [id, method]))
  const change = (answer: RpcAnswer): RpcAnswer => {
    const method = methods.get(answer.id)
    if (method === 'eth_chainId' && mode === 'false-chain') return { ...answer, result: toQuantity(other.id) }
    if (method !== 'eth_getLogs' || !Array.isArray(answer.result)) return answer
    if (mode === 'no-logs') return { ...answer, result: [] }
    return mode === 'fewer-logs' ? { ...answer, result: answer.result.filter((_, at) => at % 2 === 1) } : answer
  }
  const answers = JSON.parse(text)
  return JSON.stringify(Array.isArray(answers) ? answers.map(change) : change(answers))
}
