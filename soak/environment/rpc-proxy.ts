import { text } from 'node:stream/consumers'
import { toQuantity } from '@tallystick/workbench/dev-chain/call-node'
import { startLocalServer } from '@tallystick/workbench/start-local-server'
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
  const server = await startLocalServer(async (incoming, response) => {
    if (mode === 'refuse') return void incoming.socket.destroy()
    if (mode === 'drip') {
      incoming.resume()
      return void drip(response)
    }
    if (mode === 'hang') return
    const asked = mode
    const body = await text(incoming)
    const target = asked === 'other-chain' ? other : node
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(target.url, { method: 'POST', headers, body })
    response.setHeader('content-type', 'application/json')
    response.end(falsify(await answer.text(), { body, mode: asked, other }))
  })
  return {
    url: server.url,
    setMode: (next) => {
      mode = next
      server.closeConnections()
    },
    stop: server.stop,
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
