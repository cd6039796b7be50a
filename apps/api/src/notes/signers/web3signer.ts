import { noteTypedData } from '@tallystick/core'
import type { Address } from 'viem'
import { type Signer, SignerError } from './signer.ts'

const timeoutMs = 5_000
// A signature is 132 characters; an answer this long is not one.
const answerBytesMax = 65_536

const domainTypes = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
]

/** A signer behind Web3Signer's JSON-RPC (25.9 or later: those before it sign with another prefix). */
export function createWeb3Signer({ url, address }: { readonly url: string; readonly address: Address }): Signer {
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
      return requestSignature(url, { method: 'eth_signTypedData', params: [address, payload] })
    },
  }
}

async function requestSignature(
  url: string,
  request: { readonly method: string; readonly params: readonly unknown[] },
): Promise<string> {
  const text = await post(url, JSON.stringify({ jsonrpc: '2.0', id: 1, ...request }))
  const answer = parseAnswer(text)
  if (typeof answer?.result === 'string') return answer.result
  if (answer?.error) {
    throw new SignerError({
      failure: 'refused',
      message: `Web3Signer refused to sign (code ${Number(answer.error.code)}). Check that it holds the key of the configured address.`,
    })
  }
  throw new SignerError({ failure: 'malformed', message: 'Web3Signer’s answer is not a JSON-RPC result.' })
}

type Answer = { readonly result?: unknown; readonly error?: { readonly code?: unknown } | undefined }

function parseAnswer(text: string): Answer | undefined {
  try {
    return JSON.parse(text) as Answer
  } catch {
    return undefined
  }
}

async function post(url: string, body: string): Promise<string> {
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(url, { method: 'POST', body, headers, signal, redirect: 'error' })
    return await readBounded(response)
  } catch (error) {
    if (error instanceof SignerError) throw error
    if (signal.aborted) {
      throw new SignerError({
        failure: 'timeout',
        message: `Web3Signer did not answer within ${timeoutMs} ms.`,
        cause: error,
      })
    }
    const { code, message } = ((error as Error).cause ?? {}) as { code?: string; message?: string }
    throw new SignerError({
      failure: 'unreachable',
      message: `Web3Signer cannot be reached (${code ?? message ?? 'no connection'}).`,
      cause: error,
    })
  }
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > answerBytesMax) {
      throw new SignerError({ failure: 'malformed', message: `Web3Signer’s answer is over ${answerBytesMax} bytes.` })
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
