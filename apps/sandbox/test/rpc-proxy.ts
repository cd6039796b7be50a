import { text } from 'node:stream/consumers'
import { startLocalServer } from '@tallystick/workbench/start-local-server'

export type ProxiedCall = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }

/** What to answer instead of the node, or undefined to let it answer; the call may be changed on its way. */
export type Interfere = (call: ProxiedCall) => { readonly error: object } | { readonly pass: ProxiedCall } | undefined

export type RpcProxy = { readonly url: string; readonly calls: () => readonly ProxiedCall[]; stop(): Promise<void> }

/** A server in front of a node, for what the node itself cannot be made to do. */
export async function startRpcProxy(target: string, interfere: Interfere = () => undefined): Promise<RpcProxy> {
  const calls: ProxiedCall[] = []
  // A node that is stopped closes the connections of calls that nobody waits for any more.
  const server = await startLocalServer(async (request, response) => {
    const call = JSON.parse(await text(request)) as ProxiedCall
    calls.push(call)
    const interference = interfere(call) ?? { pass: call }
    const answer = 'error' in interference ? { jsonrpc: '2.0', id: call.id, ...interference } : undefined
    const body = answer ? JSON.stringify(answer) : await pass(target, (interference as { pass: ProxiedCall }).pass)
    response.setHeader('content-type', 'application/json').end(body)
  })
  return {
    url: server.url,
    calls: () => calls,
    stop: server.stop,
  }
}

/** As a node does that knows eth_call without overrides. */
export const refuseOverrides: Interfere = ({ method, params }) =>
  method === 'eth_call' && params.length > 2
    ? { error: { code: -32602, message: 'too many arguments, want at most 2' } }
    : undefined

/** As a node does that takes any number of parameters and looks at the first two. */
export const ignoreOverrides: Interfere = (call) =>
  call.method === 'eth_call' ? { pass: { ...call, params: call.params.slice(0, 2) } } : undefined

async function pass(target: string, call: ProxiedCall): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(target, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...call }) })
  return answer.text()
}
