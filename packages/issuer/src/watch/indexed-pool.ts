import type { PausableContract } from '@tallystick/chain'

/** State of a pool by its index. A value that the index does not have is undefined. */
export type IndexedPool = {
  /** Contracts whose pauses the index knows, and those of them that are paused. */
  readonly tellsPauseOf: readonly PausableContract[]
  readonly paused: readonly PausableContract[]
  readonly signer: `0x${string}` | undefined
  readonly minLendLimit: bigint | undefined
  readonly maxCouponLimit: bigint | undefined
  readonly minMaturityLimit: bigint | undefined
  /** Last UTC day whose floating income is known. */
  readonly lastIncomeDay: number | undefined
  /** Time of the index's newest block in Unix seconds. */
  readonly timestamp: number | undefined
}

/** Reads the pool of a chain from its subgraph. Returns undefined if the chain has none. Never throws. */
export type ReadIndexedPool = (chainId: number) => Promise<IndexedPool | { readonly problem: string } | undefined>
