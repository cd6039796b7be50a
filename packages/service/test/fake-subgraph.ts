import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { keepConnections } from '@tallystick/workbench/start-local-server'
import { onTestFinished } from 'vitest'
import type { Defer } from './harness.ts'

export type FakeRequest = {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>> | undefined
  readonly operationName: string | undefined
  readonly headers: IncomingMessage['headers']
  /** Whether it selects only the head. */
  readonly isLight: boolean
  /** Resolves when the answer is sent, or the client has gone. */
  readonly closed: Promise<unknown>
}

export type FakeHead = { readonly number: number; readonly hash: string | null; readonly timestamp: number | null }

/** Handles a request. `answerWell` sends the regular answer at the current head. */
export type Misbehaviour = (exchange: {
  readonly request: FakeRequest
  readonly response: ServerResponse
  readonly answerWell: () => void
}) => unknown

export type FakeSubgraph = {
  readonly url: string
  /** All requests since the start. */
  readonly requests: readonly FakeRequest[]
  /** Queries of callers, and queries of the head only. */
  readonly queries: () => readonly FakeRequest[]
  readonly lights: () => readonly FakeRequest[]
  readonly openConnections: () => number
  /** Number of connections since the start. */
  readonly connections: () => number
  setHead(head: Partial<FakeHead>): void
  /** Replaces the behaviour. Undefined restores regular answers. */
  behave(misbehaviour: Misbehaviour | undefined): void
  /** Closes all connections, including idle ones. The server keeps listening. */
  dropConnections(): void
}

/** Returns a head with a unique hash. */
export function headAt(number: number, timestamp: number | null = Math.floor(Date.now() / 1000)): FakeHead {
  return { number, hash: `0x${number.toString(16).padStart(64, '0')}`, timestamp }
}

/** Starts a GraphQL upstream whose data, head and behaviour a test controls. */
export async function startFakeSubgraph(
  {
    answer = () => ({ positionInfos: [] }),
    head = headAt(100),
    port = 0,
  }: {
    /** The caller's data. */
    readonly answer?: (request: FakeRequest) => Readonly<Record<string, unknown>>
    readonly head?: FakeHead
    readonly port?: number
  } = {},
  defer: Defer = onTestFinished as Defer,
): Promise<FakeSubgraph> {
  const state = { head, misbehaviour: undefined as Misbehaviour | undefined, connections: 0 }
  const requests: FakeRequest[] = []
  const sockets = new Set<Socket>()
  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const request = await readRequest(incoming, response)
    requests.push(request)
    const answerWell = () => {
      const data = { ...(request.isLight ? {} : answer(request)), ...headOf(request, state.head) }
      if (!response.destroyed) response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }))
    }
    if (state.misbehaviour) await state.misbehaviour({ request, response, answerWell })
    else answerWell()
  }
  const server = createServer(keepConnections, (incoming, response) => {
    handle(incoming, response).catch(() => response.destroy())
  })
  server.on('connection', (socket) => {
    state.connections += 1
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const dropConnections = () => {
    for (const socket of sockets) socket.destroy()
  }
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  defer(async () => {
    dropConnections()
    server.close()
    await once(server, 'close')
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    queries: () => requests.filter(({ isLight }) => !isLight),
    lights: () => requests.filter(({ isLight }) => isLight),
    openConnections: () => sockets.size,
    connections: () => state.connections,
    setHead: (next) => {
      state.head = { ...state.head, ...next }
    },
    behave: (misbehaviour) => {
      state.misbehaviour = misbehaviour
    },
    dropConnections,
  }
}

async function readRequest(incoming: IncomingMessage, response: ServerResponse): Promise<FakeRequest> {
  const closed = once(response, 'close')
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  const { query, variables, operationName } = JSON.parse(Buffer.concat(chunks).toString())
  const isLight = /^\s*(query\s*)?\{\s*_meta\s*\{[^}]*\}\s*\}\s*\}\s*$/.test(query)
  return { query, variables, operationName, headers: incoming.headers, isLight, closed }
}

/** Returns the head under every alias of the query. */
function headOf({ query }: FakeRequest, block: FakeHead): Readonly<Record<string, unknown>> {
  const names = [...query.matchAll(/(?:(\w+)\s*:\s*)?\b_meta\b/g)].map(([, alias]) => alias ?? '_meta')
  return Object.fromEntries(names.map((name) => [name, { block }]))
}

/** Never answers. */
export const hang: Misbehaviour = () => undefined

export const refuse: Misbehaviour = ({ response }) => response.writeHead(500).end()

export function respond(body: object): Misbehaviour {
  return ({ response }) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
}

/** Applies a behaviour to callers' queries only. Head queries get regular answers. */
export function toQueries(misbehaviour: Misbehaviour): Misbehaviour {
  return (exchange) => (exchange.request.isLight ? exchange.answerWell() : misbehaviour(exchange))
}

/** Starts an upstream whose data contains its name. */
export function startNamed(name: string): Promise<FakeSubgraph> {
  return startFakeSubgraph({ answer: () => ({ from: name }) })
}
