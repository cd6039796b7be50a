import { dollarTokenAbi, poolAbi, positionTokenAbi } from '@tallystick/contracts'
import {
  type Abi,
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  getAddress,
  isAddress,
  parseAbi,
  zeroAddress,
} from 'viem'
import type { RpcEndpoint } from '../rpc/rpc-endpoint.ts'
import { callContract } from './call-contract.ts'

const abi: Abi = [
  ...poolAbi,
  ...positionTokenAbi,
  ...dollarTokenAbi,
  ...parseAbi(['function version() view returns (string)']),
]

export type GetterCall = {
  readonly to: Address
  readonly getter: string
  readonly args?: readonly unknown[] | undefined
  /** Block whose state is read, by default the newest. */
  readonly block?: number | undefined
}

/** Reads a getter of a pool or of its tokens. Returns undefined if the contract does not have it or returns something else. */
export async function readGetter(endpoint: RpcEndpoint, { to, getter, args, block }: GetterCall): Promise<unknown> {
  const call = { abi, functionName: getter }
  const outcome = await callContract(endpoint, { to, data: encodeFunctionData({ ...call, args }), block })
  if (!('value' in outcome)) return undefined
  try {
    return decodeFunctionResult({ ...call, data: outcome.value })
  } catch {
    return undefined
  }
}

/** Reads a getter that returns an address. Returns undefined for the zero address too. */
export async function readAddress(endpoint: RpcEndpoint, call: GetterCall): Promise<Address | undefined> {
  const address = await readGetter(endpoint, call)
  return typeof address === 'string' && isAddress(address) && address !== zeroAddress ? getAddress(address) : undefined
}
