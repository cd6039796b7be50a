import type { ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { startLocalServer } from '@tallystick/workbench/start-local-server'

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
  const server = await startLocalServer(async (request, response) => {
    const parsed = JSON.parse(await text(request))
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
    // If the server behind is gone, this fails and there is no response.
    await behaviour({ calls, count, response, forward, forwardUnless })
  })
  return {
    url: server.url,
    port: server.port,
    get count() {
      return count
    },
    behave: (next) => {
      behaviour = next
      count = 0
    },
    stop: server.stop,
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
