import { callContracts, type RpcEndpoint } from '@tallystick/chain'
import type { Pool } from '../entities.ts'
import type { Difference } from './difference.ts'
import { integerAt } from './words.ts'

export type PoolToCompare = {
  /** Address of the pool. */
  readonly pool: `0x${string}`
  /** Block that the index is at. */
  readonly block: number
  /** Undefined if the index does not have the pool. */
  readonly indexed: Pick<Pool, 'paused' | 'minLendLimit' | 'lastFloatingIncomeDay'> | undefined
}

const getters = { lastFloatingIncomeDay: '0x1efa9743', minLendLimit: '0xda1b5b38', paused: '0x5c975abb' } as const

/** Compares the state of a pool. A contract without the getters contradicts nothing. */
export async function comparePool(
  endpoint: Pick<RpcEndpoint, 'callMany'>,
  { pool, block, indexed }: PoolToCompare,
): Promise<readonly Difference[]> {
  const calls = Object.values(getters).map((data) => ({ to: pool, data, block }))
  const results = await callContracts(endpoint, calls)
  // An address without code returns nothing.
  const [lastDay, minLendLimit, paused] = results.map((one) => (one && one !== '0x' ? integerAt(one, 0) : undefined))
  if (!indexed) {
    return minLendLimit === undefined
      ? []
      : [{ id: pool, message: 'The pool exists on the chain, and the index has no event of it.' }]
  }
  const differs = (name: string, [own, found]: readonly [unknown, bigint | undefined]) =>
    found === undefined || String(own) === String(found)
      ? []
      : [{ id: pool, message: `The pool has the ${name} ${String(own)} in the index and ${found} on the chain.` }]
  return [
    ...differs('lastFloatingIncomeDay', [indexed.lastFloatingIncomeDay ?? 0, lastDay]),
    // The pool emits its limits when it is deployed.
    ...differs('minLendLimit', [indexed.minLendLimit, minLendLimit]),
    ...differs('paused', [Number(indexed.paused), paused]),
  ]
}
