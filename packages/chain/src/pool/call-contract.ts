import type { Address, Hex } from 'viem'
import { toQuantity } from '../rpc/read-blocks.ts'
import type { RpcCall, RpcEndpoint } from '../rpc/rpc-endpoint.ts'
import { RpcError } from '../rpc/rpc-error.ts'

/** Values by slot. */
export type ContractStorage = Readonly<Record<Hex, Hex>>

export type ContractCall = {
  /** Caller that the contract sees. */
  readonly from?: Address | undefined
  readonly to: Address
  readonly data: Hex
  /** Block time the contract sees, by default the newest block's. */
  readonly atSeconds?: bigint | undefined
  /** Block whose state is read, by default the newest. */
  readonly block?: number | undefined
  /** Storage that the call sees instead of the chain's, by contract. */
  readonly overrides?: Readonly<Record<Address, { readonly stateDiff: ContractStorage }>> | undefined
}

/** Result of a contract call: a value, a revert, or neither because the node does not support another block time or state. */
export type CallOutcome =
  | { readonly value: Hex }
  | { readonly revert: Hex }
  | { readonly timeUnsupported: true; readonly message: string }

/** Calls a contract without a transaction. Throws `RpcError` if the server fails, not if the contract reverts. */
export async function callContract(endpoint: RpcEndpoint, call: ContractCall): Promise<CallOutcome> {
  const sent = toRpcCall(call)
  const hasOverrides = sent.params.length > 2
  try {
    return { value: getHex(await endpoint.call(sent)) }
  } catch (error) {
    if (!(error instanceof RpcError) || error.kind !== 'error') throw error
    const revert = findRevert(error)
    if (revert !== undefined) return { revert }
    if (hasOverrides && isAboutParameters(error)) return { timeUnsupported: true, message: error.message }
    throw error
  }
}

/** Calls many contracts in batches. A result is a value, or undefined if the contract reverts. Throws as `callContract`. */
export async function callContracts(
  endpoint: Pick<RpcEndpoint, 'callMany'>,
  calls: readonly Omit<ContractCall, 'atSeconds'>[],
): Promise<readonly (Hex | undefined)[]> {
  const results = await endpoint.callMany(calls.map(toRpcCall), { keepErrors: true })
  return results.map((result) => {
    if (!(result instanceof RpcError)) return getHex(result)
    if (findRevert(result) === undefined) throw result
    return undefined
  })
}

function toRpcCall({ from, to, data, atSeconds, block, overrides }: ContractCall): RpcCall {
  const tag = block === undefined ? 'latest' : toQuantity(block)
  // The third parameter overrides accounts. geth, erigon and reth take block overrides as the fourth.
  const time = atSeconds === undefined ? [] : [{ time: toQuantity(atSeconds) }]
  const override = overrides || atSeconds !== undefined ? [overrides ?? {}, ...time] : []
  return { method: 'eth_call', params: [{ ...(from && { from }), to, data }, tag, ...override] }
}

function getHex(value: unknown): Hex {
  if (typeof value === 'string' && /^0x([0-9a-f]{2})*$/i.test(value)) return value as Hex
  throw new RpcError({ kind: 'malformed', message: 'responded to eth_call with a value that is not hex' })
}

/** Finds revert data. Most nodes send code 3 with hex data. Older ones put it in a text or an object, or omit it. */
function findRevert({ code, message, data }: RpcError): Hex | undefined {
  const sent = typeof data === 'string' ? data : JSON.stringify(data ?? '')
  if (code !== 3 && !/revert/i.test(message + sent)) return undefined
  return (/0x[0-9a-f]*/i.exec(sent)?.[0] ?? '0x') as Hex
}

/** Recognizes JSON-RPC's codes for invalid requests, params and methods, and messages of nodes with other codes. */
function isAboutParameters({ code, message }: RpcError): boolean {
  return (
    code === -32602 ||
    code === -32600 ||
    code === -32601 ||
    /too many arguments|override|not supported|invalid (param|argument|length|type)|unknown field/i.test(message)
  )
}
