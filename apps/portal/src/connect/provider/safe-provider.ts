import type { Provider } from './provider.ts'
import type { OpenSafe, SafeRequest } from './safe-channel.ts'
import { WalletError } from './wallet-error.ts'

/** Signatures of a transaction in a Safe. */
export type SafeSignatures = { readonly confirmations: number; readonly required: number }

type Handler = (params: readonly unknown[]) => unknown

/**
 * Creates the provider of a Safe (EIP-1193). A transaction goes into the queue of the Safe and is executed when enough owners
 * have signed. Until then its hash is the safeTxHash, of which there is no transaction and no receipt. Afterwards those of the
 * transaction that executed it are returned. Calls can be sent as one transaction (EIP-5792).
 */
export function createSafeProvider({ request, info }: OpenSafe): Provider {
  const { address } = info
  const chainId = `0x${info.chainId.toString(16)}`
  const read = (method: string, params: readonly unknown[]) => callNode(request, method, params)
  /** Reads about a transaction by its own hash, else by that of the transaction that executed it. */
  const readExecuted: (method: string) => Handler =
    (method) =>
    async ([hash]) => {
      const found = await read(method, [hash])
      if (found) return found
      const executed = readHash((await readQueued(request, hash)).txHash)
      return executed === undefined || executed === hash ? null : read(method, [executed])
    }
  const stay: Handler = ([wanted]) => {
    if ((wanted as { readonly chainId?: unknown } | undefined)?.chainId === chainId) return null
    const message = `Your Safe is on the network with chain id ${info.chainId}. Open the Safe that is on this network.`
    throw new WalletError('other_chain', message)
  }
  const handlers: Readonly<Record<string, Handler>> = {
    eth_accounts: () => [address],
    eth_requestAccounts: () => [address],
    eth_chainId: () => chainId,
    net_version: () => String(info.chainId),
    wallet_switchEthereumChain: stay,
    wallet_addEthereumChain: stay,
    wallet_getCapabilities: () => ({ [chainId]: { atomic: { status: 'supported' } } }),
    eth_sendTransaction: ([call]) => propose(request, [call]),
    wallet_sendCalls: async ([batch]) => {
      const { calls, chainId: wanted } = (batch ?? {}) as { readonly calls?: unknown; readonly chainId?: unknown }
      if (wanted !== chainId) throw createError(4901, 'The Safe is on another network.')
      return { id: await propose(request, Array.isArray(calls) ? calls : []) }
    },
    wallet_getCallsStatus: ([id]) => readStatus(request, { id, chainId }),
    eth_getTransactionReceipt: readExecuted('eth_getTransactionReceipt'),
    eth_getTransactionByHash: readExecuted('eth_getTransactionByHash'),
  }
  return {
    request: async ({ method, params }) => {
      const list = Array.isArray(params) ? params : []
      if (Object.hasOwn(handlers, method)) return (handlers[method] as Handler)(list)
      // A contract signs nothing by itself, and transactions are sent by the owners.
      if (/^eth_(?!sign|send)/.test(method)) return read(method, list)
      throw createError(4200, `The Safe does not support ${method}.`)
    },
  }
}

/** Puts calls into the queue of the Safe as one transaction. Resolves to its safeTxHash, when the first owner has signed. */
async function propose(request: SafeRequest, calls: readonly unknown[]): Promise<string> {
  const txs = calls.map((call) => {
    const { to, value, data } = (call ?? {}) as { to?: unknown; value?: unknown; data?: unknown }
    if (typeof to !== 'string') throw createError(-32602, 'A transaction of a Safe needs a receiver.')
    return { to, value: String(BigInt(String(value ?? 0))), data: data ?? '0x' }
  })
  if (txs.length === 0) throw createError(-32602, 'There is no call.')
  const answer = await request('sendTransactions', { txs, params: {} }).catch((error: Error) => {
    // The Safe itself says that there is no transaction, unlike a connection that fails.
    throw createError(/reject/i.test(error.message) ? 4001 : -32003, error.message.slice(0, messageLengthMax))
  })
  const hash = readHash((answer as { readonly safeTxHash?: unknown } | null)?.safeTxHash)
  if (hash === undefined) throw new Error('The Safe did not say which transaction it made.')
  return hash
}

const messageLengthMax = 300

const codes: Readonly<Record<string, number>> = {
  AWAITING_CONFIRMATIONS: 100,
  AWAITING_EXECUTION: 100,
  SUCCESS: 200,
  CANCELLED: 400,
  FAILED: 500,
}

/** Returns the status of calls as EIP-5792 has it, with the signatures as far as the Safe tells. */
async function readStatus(
  request: SafeRequest,
  { id, chainId }: { readonly id: unknown; readonly chainId: string },
): Promise<object> {
  const queued = await readQueued(request, id)
  const status = codes[String(queued.txStatus)]
  if (status === undefined) throw createError(5730, 'The Safe does not know the transaction.')
  const hash = readHash(queued.txHash)
  const receipt =
    status === 100 || hash === undefined ? null : await callNode(request, 'eth_getTransactionReceipt', [hash])
  // A node may not have the block yet in which the Safe was executed.
  const isBehind = status === 200 && !receipt
  return {
    ...{ version: '2.0.0', id, chainId, atomic: true, status: isBehind ? 100 : status },
    receipts: receipt ? [receipt] : [],
    capabilities: { signatures: readSignatures(queued.detailedExecutionInfo) },
  }
}

type Queued = { readonly txStatus?: unknown; readonly txHash?: unknown; readonly detailedExecutionInfo?: unknown }

async function readQueued(request: SafeRequest, safeTxHash: unknown): Promise<Queued> {
  const found = await request('getTxBySafeTxHash', { safeTxHash }).catch(() => undefined)
  return typeof found === 'object' && found !== null ? found : {}
}

function readSignatures(value: unknown): SafeSignatures | undefined {
  const { confirmations, confirmationsRequired } = (value ?? {}) as Readonly<Record<string, unknown>>
  const required = Number(confirmationsRequired)
  if (!Array.isArray(confirmations) || !Number.isSafeInteger(required) || required < 1) return undefined
  return { confirmations: confirmations.length, required }
}

function readHash(value: unknown): string | undefined {
  return typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value) ? value : undefined
}

/** Reads from the chain through the Safe, which returns the error of its node as a result. */
async function callNode(request: SafeRequest, call: string, params: readonly unknown[]): Promise<unknown> {
  const result = await request('rpcCall', { call, params }).catch((error: unknown) => error)
  const { message, code, data } = (typeof result === 'object' && result !== null ? result : {}) as NodeError
  if (typeof message !== 'string') return result
  // A Safe loses the members of an error. The text of its library has the data of a revert.
  const reverted = typeof data === 'string' ? data : /data="(0x[0-9a-f]{8,})"/i.exec(message)?.[1]
  const known = reverted === undefined ? (typeof code === 'number' ? code : -32603) : 3
  throw Object.assign(createError(known, message.slice(0, messageLengthMax)), { data: reverted })
}

type NodeError = { readonly message?: unknown; readonly code?: unknown; readonly data?: unknown }

function createError(code: number, message: string): Error {
  return Object.assign(new Error(message), { code })
}
