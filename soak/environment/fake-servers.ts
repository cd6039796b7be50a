import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { startLocalServer } from '@tallystick/workbench/start-local-server'
import type { Address } from 'viem'
import { privateKeyToAccount, setSignEntropy } from 'viem/accounts'

/** Local server that can be made to fail. */
export type FakeServer<Mode extends string> = {
  readonly url: string
  /** Sets how it handles requests. */
  setMode(mode: Mode): void
  stop(): Promise<void>
}

export type ProxyMode = 'pass' | 'refuse' | 'hang' | '500' | 'garbage' | 'drip'

/** Starts a proxy that forwards requests to another server or fails in the given mode. */
export async function startProxy({
  target,
  ca,
}: {
  readonly target: string
  readonly ca?: string | undefined
}): Promise<FakeServer<ProxyMode>> {
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
  const server = await startLocalServer((incoming, response) => {
    if (mode === 'pass') return pass(incoming, response)
    incoming.resume()
    if (mode === 'refuse') incoming.socket.destroy()
    if (mode === '500') response.writeHead(500, { 'content-type': 'text/plain' }).end('Internal Server Error')
    if (mode === 'garbage') response.writeHead(200, { 'content-type': 'application/json' }).end('<html>{"data":')
    if (mode === 'drip') void drip(response)
  })
  return {
    url: server.url,
    setMode: (next) => {
      mode = next
      // Ends hanging and dripping responses on recovery, and pending ones on failure.
      server.closeConnections()
    },
    stop: async () => {
      agent.destroy()
      await server.stop()
    },
  }
}

const dripMs = 300

/** Sends a valid beginning, then a byte now and then, and never ends. */
export async function drip(response: ServerResponse): Promise<void> {
  response.on('error', () => undefined)
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"data":{')
  while (!response.destroyed) {
    response.write(' ')
    await setTimeout(dripMs)
  }
}

// As slow as a signer across a network, so that two replicas sign the same period concurrently.
const signMs = 700

export type SignerMode = 'sign' | 'hang' | 'refuse'

/** Starts a signer with Web3Signer's JSON-RPC. Like an HSM, it uses a new nonce for each signature. */
export async function startSigner(
  privateKey: `0x${string}`,
): Promise<FakeServer<SignerMode> & { readonly address: Address }> {
  const account = privateKeyToAccount(privateKey)
  let mode: SignerMode = 'sign'
  const server = await startLocalServer(async (incoming, response) => {
    if (mode === 'refuse') return void incoming.socket.destroy()
    if (mode === 'hang') return
    const { params } = JSON.parse(await text(incoming))
    await setTimeout(signMs)
    setSignEntropy(true)
    const { EIP712Domain: _, ...types } = params[1].types
    const result = await account.signTypedData({ ...params[1], types })
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
  })
  return {
    url: server.url,
    address: account.address,
    setMode: (next) => {
      mode = next
      server.closeConnections()
    },
    stop: server.stop,
  }
}
