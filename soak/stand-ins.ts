import { once } from 'node:events'
import {
  createServer,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { Address } from 'viem'
import { privateKeyToAccount, setSignEntropy } from 'viem/accounts'

/** A server of the soak's own that can be made to fail. */
export type StandIn<Mode extends string> = {
  readonly url: string
  /** What it does with requests from now on. */
  behave(mode: Mode): void
  stop(): Promise<void>
}

export type ProxyMode = 'pass' | 'refuse' | 'hang' | '500' | 'garbage' | 'drip'

/** Passes requests on to another server, or does to them what servers do that are unwell. */
export async function startProxy({
  target,
  ca,
}: {
  readonly target: string
  readonly ca?: string | undefined
}): Promise<StandIn<ProxyMode>> {
  const isTls = target.startsWith('https:')
  const agent = isTls ? new Agent({ keepAlive: true, ca }) : new HttpAgent({ keepAlive: true })
  let mode: ProxyMode = 'pass'
  const pass = (incoming: IncomingMessage, response: ServerResponse) => {
    const { host: _, connection: __, ...headers } = incoming.headers
    const options = { method: incoming.method, headers, agent }
    const outgoing = (isTls ? httpsRequest : httpRequest)(target, options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
      answer.on('error', () => response.destroy())
    })
    outgoing.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()))
    response.on('close', () => outgoing.destroy())
    incoming.pipe(outgoing)
  }
  const server = await listen((incoming, response) => {
    if (mode === 'pass') return pass(incoming, response)
    incoming.resume()
    if (mode === 'refuse') incoming.socket.destroy()
    if (mode === '500') response.writeHead(500, { 'content-type': 'text/plain' }).end('Internal Server Error')
    if (mode === 'garbage') response.writeHead(200, { 'content-type': 'application/json' }).end('<html>{"data":')
    if (mode === 'drip') void drip(response)
  })
  return {
    url: server.url,
    behave: (next) => {
      mode = next
      // Those who hang or drip are let go when it is well again; those who wait for an answer get none when it is not.
      server.closeAllConnections()
    },
    stop: async () => {
      agent.destroy()
      await server.stop()
    },
  }
}

const dripMs = 300

/** A good beginning, then a byte now and then: there is always progress, and never an end. */
async function drip(response: ServerResponse): Promise<void> {
  response.on('error', () => undefined)
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"data":{')
  while (!response.destroyed) {
    response.write(' ')
    await setTimeout(dripMs)
  }
}

// As slow as one across a network: two replicas then sign the same period at the same time, and have to agree.
const signMs = 700

export type SignerMode = 'sign' | 'hang' | 'refuse'

/** Web3Signer's JSON-RPC. Like a key in an HSM it signs with a fresh nonce each time. */
export async function startSigner(
  privateKey: `0x${string}`,
): Promise<StandIn<SignerMode> & { readonly address: Address }> {
  const account = privateKeyToAccount(privateKey)
  let mode: SignerMode = 'sign'
  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const { params } = JSON.parse(Buffer.concat(chunks).toString())
    await setTimeout(signMs)
    setSignEntropy(true)
    const { EIP712Domain: _, ...types } = params[1].types
    const result = await account.signTypedData({ ...params[1], types })
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
  }
  const server = await listen((incoming, response) => {
    if (mode === 'refuse') return void incoming.socket.destroy()
    if (mode === 'sign') answer(incoming, response).catch(() => response.destroy())
  })
  return {
    url: server.url,
    address: account.address,
    behave: (next) => {
      mode = next
      server.closeAllConnections()
    },
    stop: server.stop,
  }
}

async function listen(onRequest: RequestListener) {
  const server = createServer(onRequest).listen(0, '127.0.0.1')
  // Slow callers are part of the game.
  server.requestTimeout = 0
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    closeAllConnections: () => server.closeAllConnections(),
    stop: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
