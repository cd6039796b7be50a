import type { Address } from 'viem'
import { parseQuantity } from '../rpc/read-blocks.ts'
import type { RpcEndpoint } from '../rpc/rpc-endpoint.ts'
import { RpcError } from '../rpc/rpc-error.ts'
import { readGetter } from './read-getter.ts'

/** Last floating income of a pool and the block it was read at. */
export type PoolFloatingIncome = {
  /** UTC day and income per second and dollar, scaled by 1e25. Undefined if none has been set. */
  readonly last: { readonly day: number; readonly floatingIncome: bigint } | undefined
  /** The timestamp is in Unix seconds. */
  readonly block: { readonly number: number; readonly timestamp: number }
}

// A later day is not one of this protocol, and has no date.
export const dayMax = 9_999_999n

/**
 * Reads the last floating income: what the contract pays for that day, which is the difference of two sums. All values are
 * of one block. Returns undefined if the contract does not have the getters or returns impossible values.
 */
export async function readFloatingIncome(
  endpoint: RpcEndpoint,
  pool: Address,
): Promise<PoolFloatingIncome | undefined> {
  const block = await readNewestBlock(endpoint)
  const read = async (getter: string, ...args: readonly bigint[]) => {
    const value = readGetter(endpoint, { to: pool, getter, args, block: block.number })
    return (await value.catch(toLaggingNode)) as bigint | undefined
  }
  const readSum = (day: bigint) => read('accFloatingIncome', day)
  const day = await read('lastFloatingIncomeUpdateDay')
  if (day === undefined || day > dayMax) return undefined
  if (day === 0n) return { last: undefined, block }
  const [before, sum] = await Promise.all([readSum(day - 1n), readSum(day)])
  if (before === undefined || sum === undefined || sum < before) return undefined
  return { last: { day: Number(day), floatingIncome: sum - before }, block }
}

/** Another node behind the same URL may not have the block yet. That is no reason to back off from the RPC. */
function toLaggingNode(error: unknown): never {
  if (!(error instanceof RpcError) || error.kind !== 'error') throw error
  throw new RpcError({ kind: 'changed', message: error.message, cause: error })
}

async function readNewestBlock(endpoint: RpcEndpoint): Promise<PoolFloatingIncome['block']> {
  const block = await endpoint.call({ method: 'eth_getBlockByNumber', params: ['latest', false] })
  const { number, timestamp } = (block ?? {}) as Readonly<Record<string, unknown>>
  return { number: parseQuantity(number), timestamp: parseQuantity(timestamp) }
}
