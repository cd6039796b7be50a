import { readFile } from 'node:fs/promises'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent, request as requestHttps } from 'node:https'
import { noteTypedData } from '@tallystick/core'
import { readChunks } from '@tallystick/core/stream/read-chunks'
import type { Address } from 'viem'
import type { Secret } from '../../config-secrets.ts'
import { type Signer, SignerError } from './signer.ts'

export type Web3SignerOptions = {
  readonly url: string
  readonly address: Address
  /** Paths of PEM files: client certificate, its key, and the certificate authority of the signer. */
  readonly tls?:
    | { readonly cert?: string | undefined; readonly key?: string | undefined; readonly ca?: string | undefined }
    | undefined
  readonly headers?: Readonly<Record<string, Secret>> | undefined
  /** Time limit of a request; 5 s by default. */
  readonly timeoutMs?: number | undefined
}

export const timeoutMsDefault = 5_000
// A signature is 132 characters.
const responseBytesMax = 65_536

const domainTypes = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
]

/** Creates a signer that uses Web3Signer's JSON-RPC. Versions before 25.9 sign with another prefix. */
export function createWeb3Signer(options: Web3SignerOptions): Signer {
  const { address } = options
  const post = createPost(options)
  return {
    kind: 'web3signer',
    address,
    sign: async (terms, domain) => {
      const { message, types, ...typedData } = noteTypedData(terms, domain)
      const payload = {
        ...typedData,
        types: { EIP712Domain: domainTypes, ...types },
        message: Object.fromEntries(Object.entries(message).map(([name, value]) => [name, value.toString()])),
      }
      return requestSignature(post, { method: 'eth_signTypedData', params: [address, payload] })
    },
  }
}

async function requestSignature(
  post: Post,
  request: { readonly method: string; readonly params: readonly unknown[] },
): Promise<string> {
  const text = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, ...request }))
  const response = parseResponse(text)
  if (typeof response?.result === 'string') return response.result
  if (response?.error) {
    throw new SignerError({
      failure: 'refused',
      message: `Web3Signer refused to sign (code ${Number(response.error.code)}). Check that it holds the key of the configured address.`,
    })
  }
  throw new SignerError({ failure: 'malformed', message: 'Web3Signer’s response is not a JSON-RPC result.' })
}

type JsonRpcResponse = { readonly result?: unknown; readonly error?: { readonly code?: unknown } | undefined }

function parseResponse(text: string): JsonRpcResponse | undefined {
  try {
    return JSON.parse(text) as JsonRpcResponse
  } catch {
    return undefined
  }
}

type Post = (body: string) => Promise<string>

// Reloads certificates that are renewed while the service runs.
const agentMsMax = 60_000

/** Uses `node:https`, because `fetch` of Node 20 does not support client certificates. Does not follow redirects. */
function createPost({ url, tls, headers = {}, timeoutMs = timeoutMsDefault }: Web3SignerOptions): Post {
  let known: { readonly agent: Promise<Agent>; readonly atMs: number } | undefined
  const agentOf = async (): Promise<Agent | undefined> => {
    if (!tls) return undefined
    const nowMs = performance.now()
    if (!known || nowMs - known.atMs > agentMsMax) known = { agent: openAgent(tls), atMs: nowMs }
    return known.agent
  }
  return async (body) => {
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const agent = await agentOf().catch((error) => {
        known = undefined
        throw error
      })
      const revealed = Object.entries(headers).map(([name, value]) => [name, value.reveal()])
      const length = Buffer.byteLength(body)
      return await send(url, {
        body,
        signal,
        agent,
        headers: { ...Object.fromEntries(revealed), 'content-type': 'application/json', 'content-length': length },
      })
    } catch (error) {
      if (error instanceof SignerError) throw error
      const { code, message } = error as NodeJS.ErrnoException
      throw signal.aborted
        ? new SignerError({ failure: 'timeout', message: `Web3Signer did not respond within ${timeoutMs} ms.` })
        : new SignerError({
            failure: 'unreachable',
            message: `Web3Signer cannot be reached (${code ?? message}).`,
            cause: error,
          })
    }
  }
}

async function openAgent({ cert, key, ca }: NonNullable<Web3SignerOptions['tls']>): Promise<Agent> {
  const read = async (path: string | undefined) => {
    if (path === undefined) return undefined
    return readFile(path).catch(({ code }: NodeJS.ErrnoException) => {
      throw new SignerError({ failure: 'unreachable', message: `${path} (signer.tls) cannot be read (${code}).` })
    })
  }
  return new Agent({ cert: await read(cert), key: await read(key), ca: await read(ca), minVersion: 'TLSv1.2' })
}

type SendOptions = {
  readonly body: string
  readonly signal: AbortSignal
  readonly agent: Agent | undefined
  readonly headers: Readonly<Record<string, string | number>>
}

async function send(url: string, { body, ...options }: SendOptions): Promise<string> {
  const request = url.startsWith('https:') ? requestHttps : requestHttp
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { ...options, method: 'POST' }, resolve)
      .on('error', reject)
      .end(body)
  })
  const { statusCode: status = 0 } = response
  const isRedirect = status >= 300 && status < 400
  if (isRedirect || status === 401 || status === 403) {
    response.destroy()
    throw isRedirect
      ? new SignerError({ failure: 'unreachable', message: `Web3Signer cannot be reached (redirect ${status}).` })
      : new SignerError({
          failure: 'refused',
          message: `Web3Signer, or a proxy in front of it, responded with status ${status}. Check signer.headers and signer.tls.`,
        })
  }
  return Buffer.concat(await readChunks(response, { bytesMax: responseBytesMax, tooLarge })).toString()
}

function tooLarge(): SignerError {
  return new SignerError({ failure: 'malformed', message: `Web3Signer’s response exceeds ${responseBytesMax} bytes.` })
}
