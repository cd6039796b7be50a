import { readFile } from 'node:fs/promises'
import type { Secret } from '@tallystick/base'
import { exchange, findJson, type HttpAnswer, HttpError } from '@tallystick/chain'
import { noteTypedData } from '@tallystick/core'
import { Agent } from 'undici'
import type { Address } from 'viem'
import { type Signer, SignerError, timeoutMsDefault, toSignerError } from './signer.ts'

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
      const request = { jsonrpc: '2.0', id: 1, method: 'eth_signTypedData', params: [address, payload] }
      return readSignature(await post(JSON.stringify(request)))
    },
  }
}

function readSignature(text: string): string {
  const response = findJson(text) as JsonRpcResponse | undefined
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

// Reloads certificates that are renewed while the service runs.
const agentMsMax = 60_000

function createPost({ url, tls, headers = {}, timeoutMs = timeoutMsDefault }: Web3SignerOptions) {
  let known: { readonly agent: Promise<Agent>; readonly atMs: number } | undefined
  const findAgent = async (): Promise<Agent | undefined> => {
    if (!tls) return undefined
    const nowMs = performance.now()
    if (!known || nowMs - known.atMs > agentMsMax) {
      // Waits for the requests in progress.
      void known?.agent.then((agent) => agent.close())
      known = { agent: openAgent(tls), atMs: nowMs }
    }
    return known.agent
  }
  return async (body: string) => {
    const dispatcher = await findAgent().catch((error) => {
      known = undefined
      throw error
    })
    const revealed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.reveal()]))
    const sent = { ...revealed, 'content-type': 'application/json' }
    const request = { url, method: 'POST', headers: sent, body, bytesMax: responseBytesMax, timeoutMs } as const
    try {
      return readAnswer(await exchange({ ...request, dispatcher }))
    } catch (error) {
      throw error instanceof HttpError ? toSignerError('Web3Signer', error) : error
    }
  }
}

async function openAgent({ cert, key, ca }: NonNullable<Web3SignerOptions['tls']>): Promise<Agent> {
  const read = async (path: string | undefined) => {
    if (path === undefined) return undefined
    return readFile(path, 'utf8').catch(({ code }: NodeJS.ErrnoException) => {
      throw new SignerError({ failure: 'unreachable', message: `${path} (signer.tls) cannot be read (${code}).` })
    })
  }
  return new Agent({
    connect: { cert: await read(cert), key: await read(key), ca: await read(ca), minVersion: 'TLSv1.2' },
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

function readAnswer({ status, bytes }: HttpAnswer): string {
  if (status >= 300 && status < 400) {
    throw new SignerError({ failure: 'unreachable', message: `Web3Signer cannot be reached (redirect ${status}).` })
  }
  if (status === 401 || status === 403) {
    throw new SignerError({
      failure: 'refused',
      message: `Web3Signer, or a proxy in front of it, responded with status ${status}. Check signer.headers and signer.tls.`,
    })
  }
  return bytes.toString()
}
