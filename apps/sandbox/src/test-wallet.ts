import type { Address } from 'viem'

/** Test wallet of the page, in the form that the service's `portal` option takes. */
export type TestWallet = {
  readonly address: Address
  readonly answer: (chainId: string, call: unknown) => Promise<object> | undefined
}

/** Lender whose wallet the page uses. In the history of 40 positions it has matured ones on every chain. */
export const testWalletLender = 3

const reads = new Set([
  ...['eth_blockNumber', 'eth_call', 'eth_chainId', 'eth_estimateGas', 'eth_feeHistory', 'eth_gasPrice'],
  ...['eth_getBalance', 'eth_getBlockByHash', 'eth_getBlockByNumber', 'eth_getCode', 'eth_getTransactionByHash'],
  ...['eth_getTransactionCount', 'eth_getTransactionReceipt', 'eth_maxPriorityFeePerGas'],
])
const pendingMax = 64
const timeoutMs = 20_000

type TestWalletOptions = {
  readonly address: Address
  readonly chains: readonly { readonly id: number; readonly url: string }[]
}

/**
 * Creates the test wallet. Calls go to the chain's node, which holds the key of the account. Only reads, and transactions and
 * signatures of this one account, are passed on.
 */
export function createTestWallet({ address, chains }: TestWalletOptions): TestWallet {
  const urls = new Map(chains.map(({ id, url }) => [String(id), url]))
  let pending = 0
  const send = async (url: string, call: unknown): Promise<object> => {
    const { id, fault, request } = readCall(call, address)
    if (!request) return fail(id, fault)
    if (pending >= pendingMax) return fail(id, { code: -32005, message: 'Too many requests at once. Try again.' })
    pending += 1
    try {
      return { ...(await post(url, request)), jsonrpc: '2.0', id }
    } catch {
      return fail(id, { code: -32603, message: 'The chain of the sandbox does not respond.' })
    } finally {
      pending -= 1
    }
  }
  return {
    address,
    answer: (chainId, call) => {
      const url = urls.get(chainId)
      return url === undefined ? undefined : send(url, call)
    },
  }
}

type Fault = { readonly code: number; readonly message: string }
type Request = { readonly method: string; readonly params: readonly unknown[] }
type ReadCall =
  | { readonly id: unknown; readonly request: Request; readonly fault?: undefined }
  | { readonly id: unknown; readonly request?: undefined; readonly fault: Fault }

/** Reads a call and checks that the wallet may pass it on. */
function readCall(call: unknown, address: Address): ReadCall {
  const { id = null, method, params = [] } = (typeof call === 'object' && call !== null ? call : {}) as RawCall
  const isId = id === null || typeof id === 'string' || typeof id === 'number'
  if (!isId || typeof method !== 'string' || !Array.isArray(params)) {
    const message = 'Send one object with `jsonrpc`, `id`, `method` and a list `params`.'
    return { id: isId ? id : null, fault: { code: -32600, message } }
  }
  if (reads.has(method)) return { id, request: { method, params } }
  const account = readAccount(method, params)
  if (account === undefined)
    return { id, fault: { code: 4200, message: `The test wallet has no ${method.slice(0, 60)}.` } }
  if (String(account).toLowerCase() !== address.toLowerCase()) {
    return { id, fault: { code: 4100, message: `The test wallet signs for ${address} only.` } }
  }
  return { id, request: { method, params } }
}

type RawCall = { readonly id?: unknown; readonly method?: unknown; readonly params?: unknown }

/** Returns the account that a call signs with, or undefined if the method is not one that signs. */
function readAccount(method: string, [first]: readonly unknown[]): unknown {
  if (method === 'eth_signTypedData_v4') return first ?? null
  if (method !== 'eth_sendTransaction') return undefined
  return (typeof first === 'object' && first !== null && 'from' in first && first.from) || null
}

async function post(url: string, request: Request): Promise<object> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...request })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(timeoutMs) })
  return (await response.json()) as object
}

function fail(id: unknown, error: Fault): object {
  return { jsonrpc: '2.0', id, error }
}
