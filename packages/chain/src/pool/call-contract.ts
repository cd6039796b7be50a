import { type Address, type Hex, toHex } from 'viem'
import type { RpcEndpoint } from '../rpc/rpc-endpoint.ts'
import { RpcError } from '../rpc/rpc-error.ts'

export type ContractCall = {
  readonly to: Address
  readonly data: Hex
  /** The block time the contract should see; the newest block's if left out. */
  readonly atSeconds?: bigint | undefined
}

/** What a contract answered: a value, a revert, or nothing because the node cannot be asked about another time. */
export type CallOutcome =
  | { readonly value: Hex }
  | { readonly revert: Hex }
  | { readonly timeUnsupported: true; readonly message: string }

/** Calls a contract without a transaction. Throws `RpcError` where the server, not the contract, fails. */
export async function callContract(endpoint: RpcEndpoint, call: ContractCall): Promise<CallOutcome> {
  const { to, data, atSeconds } = call
  // The third parameter is for overriding accounts: geth, erigon and reth take the block's as the fourth.
  const override = atSeconds === undefined ? [] : [{}, { time: toHex(atSeconds) }]
  try {
    const value = await endpoint.call({ method: 'eth_call', params: [{ to, data }, 'latest', ...override] })
    if (typeof value === 'string' && /^0x([0-9a-f]{2})*$/i.test(value)) return { value: value as Hex }
    throw new RpcError({ kind: 'garbage', message: 'answered eth_call with something that is not hex' })
  } catch (error) {
    if (!(error instanceof RpcError) || error.kind !== 'error') throw error
    const revert = findRevert(error)
    if (revert !== undefined) return { revert }
    if (atSeconds !== undefined && isAboutParameters(error)) return { timeUnsupported: true, message: error.message }
    throw error
  }
}

/** Nodes agree on code 3 with the data as hex; older ones put it in a text or an object, or leave it out. */
function findRevert({ code, message, data }: RpcError): Hex | undefined {
  const sent = typeof data === 'string' ? data : JSON.stringify(data ?? '')
  if (code !== 3 && !/revert/i.test(message + sent)) return undefined
  return (/0x[0-9a-f]*/i.exec(sent)?.[0] ?? '0x') as Hex
}

/** JSON-RPC's own codes for a request that is wrong (-32602) or unknown, and texts of nodes that use others. */
function isAboutParameters({ code, message }: RpcError): boolean {
  return (
    code === -32602 ||
    code === -32600 ||
    code === -32601 ||
    /too many arguments|override|not supported|invalid (param|argument|length|type)|unknown field/i.test(message)
  )
}
