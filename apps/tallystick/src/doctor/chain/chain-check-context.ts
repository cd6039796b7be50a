import type { PoolReader } from '@tallystick/chain'
import { maturityOf, type Note, type Period } from '@tallystick/core'
import type { Signer } from '@tallystick/issuer'
import type { ChainConfig, Config } from '@tallystick/service'
import type { RpcHead } from './read-heads.ts'

export type ChainCheckContext = {
  readonly config: Pick<Config, 'signer'>
  readonly chain: ChainConfig
  readonly tenors: readonly number[]
  readonly heads: readonly RpcHead[]
  /** Undefined if the signer cannot be used. */
  readonly signer: Signer | undefined
  /** The notes of the current period. */
  readonly notes: readonly Note[]
  /** Finds mature positions that are not claimed. Resolves to none if no subgraph answers. */
  readonly findMature: () => Promise<readonly bigint[]>
  /** Coupons of the curves in force now and next, bps. */
  readonly coupons: readonly number[]
  readonly nowSeconds: bigint
  /** The current period and the next. */
  readonly periods: readonly Period[]
}

export type PoolCheckContext = {
  readonly context: ChainCheckContext
  readonly reader: PoolReader
  /** Time of the newest block, Unix seconds. */
  readonly headSeconds: bigint
}

/** Returns the least time between the end of a period and the maturity of its shortest note. */
export function leastSecondsToMaturity({ tenors, periods }: Pick<ChainCheckContext, 'tenors' | 'periods'>): bigint {
  const [shortest = 0] = tenors
  return periods
    .map(({ noteDay, end }) => maturityOf({ noteDay, tenorDays: shortest }) - end)
    .reduce((a, b) => (a < b ? a : b))
}
