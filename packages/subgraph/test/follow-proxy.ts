import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { keepConnections } from '@tallystick/workbench/keep-connections'

export type ProxiedCall = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }
export type CallAnswer = { readonly id: number; readonly result?: unknown; readonly error?: unknown }

export type Exchange = {
  readonly calls: readonly ProxiedCall[]
  /** Number of the request since the behaviour was set, from 1. */
  readonly count: number
  readonly response: ServerResponse
  /** Forwards the request, by default to the server of the proxy, and returns the responses, optionally changed per call. */
  forward(change?: (call: ProxiedCall, answer: CallAnswer) => CallAnswer, to?: string): Promise<void>
  /** Rejects the calls for which `refuse` returns an error and forwards the others. */
  forwardUnless(refuse: (call: ProxiedCall) => object | undefined): Promise<void>
}

export type Behaviour = (exchange: Exchange) => unknown

/** Proxy whose behaviour decides what happens to each request. */
export type TestProxy = {
  readonly url: string
  readonly port: number
  readonly count: number
  behave(behaviour: Behaviour): void
  stop(): Promise<void>
}

export const forwardAll: Behaviour = ({ forward }) => forward()

export async function startProxy(target: string, initial: Behaviour = forwardAll): Promise<TestProxy> {
  let behaviour = initial
  let count = 0
  const server = createServer(keepConnections, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const parsed = JSON.parse(Buffer.concat(chunks).toString())
    const calls: ProxiedCall[] = Array.isArray(parsed) ? parsed : [parsed]
    const reply = (answers: readonly CallAnswer[]) => sendJson(response, Array.isArray(parsed) ? answers : answers[0])
    const forward: Exchange['forward'] = async (change = (_, answer) => answer, to = target) => {
      const answers = await pass(to, calls)
      reply(calls.map((call) => change(call, answers.get(call.id) as CallAnswer)))
    }
    const forwardUnless: Exchange['forwardUnless'] = async (refuse) => {
      const refused = new Map(calls.map((call) => [call.id, refuse(call)]))
      const answers = await pass(
        target,
        calls.filter(({ id }) => !refused.get(id)),
      )
      reply(calls.map(({ id }) => answers.get(id) ?? { id, error: refused.get(id) }))
    }
    count += 1
    // If the server behind is gone, there is no response.
    await Promise.resolve(behaviour({ calls, count, response, forward, forwardUnless })).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    get count() {
      return count
    },
    behave: (next) => {
      behaviour = next
      count = 0
    },
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function pass(target: string, calls: readonly ProxiedCall[]): Promise<ReadonlyMap<number, CallAnswer>> {
  if (calls.length === 0) return new Map()
  const body = JSON.stringify(calls.map((call) => ({ jsonrpc: '2.0', ...call })))
  const answer = await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const answers = (await answer.json()) as CallAnswer[]
  return new Map(answers.map((one) => [one.id, one]))
}

export function sendJson(response: ServerResponse, json: unknown): void {
  send(response, { status: 200, body: JSON.stringify(json) })
}

export function send(response: ServerResponse, answer: { readonly status: number; readonly body: string }): void {
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
}

/** Creates a seeded generator of numbers from 0 to 1. */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    // Mulberry32.
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
