import { type Time, toSeconds } from '@tallystick/base'
import { ChainError, type PausableContract, type PoolLimits, type PoolReader, type PoolState } from '@tallystick/chain'

/** State of a pool by its index. A value that the index does not have is undefined. */
export type IndexedPool = Omit<PoolState, 'tellsPause'> & {
  /** Contracts whose pauses the index knows. */
  readonly tellsPauseOf: readonly PausableContract[]
  /** Time of the index's newest block in Unix seconds. */
  readonly timestamp: number | undefined
}

/** Reads the pool of a chain from its subgraph. Returns undefined if the chain has none. Never throws. */
export type ReadIndexedPool = (chainId: number) => Promise<IndexedPool | { readonly problem: string } | undefined>

/** State of a pool, and where it was read. */
export type KnownPool = PoolState & { readonly source: 'chain' | 'index' }

/**
 * Reads the state of a pool from its chain, or from its index if no RPC is configured. Limits that the chain's logs do not
 * contain are taken from the index. Throws `ChainError`.
 */
export type ReadPool = (chainId: number, signal?: AbortSignal) => Promise<KnownPool>

type ReadPoolOptions = {
  /** By chain id, for chains with an RPC. */
  readonly pools: ReadonlyMap<number, Pick<PoolReader, 'readState'>>
  readonly readIndexedPool: ReadIndexedPool
  /** An index that lags more may have limits and pauses of the past, and is not used. */
  readonly maxLagSeconds: number
}

export function createReadPool(
  { pools, readIndexedPool, maxLagSeconds }: ReadPoolOptions,
  time: Pick<Time, 'now'>,
): ReadPool {
  const readIndex = async (chainId: number): Promise<IndexedPool | { readonly problem: string }> => {
    const indexed = await readIndexedPool(chainId)
    if (!indexed) return { problem: 'No subgraph is configured.' }
    if ('problem' in indexed) return indexed
    const lagSeconds = indexed.timestamp === undefined ? 0 : Number(toSeconds(time.now())) - indexed.timestamp
    return lagSeconds > maxLagSeconds ? { problem: `It is ${lagSeconds} s behind.` } : indexed
  }
  return async (chainId, signal) => {
    const reader = pools.get(chainId)
    if (!reader) {
      const indexed = await readIndex(chainId)
      if (!('problem' in indexed)) return fromIndex(indexed)
      throw new ChainError(`no RPC is configured, and the index cannot say. ${indexed.problem}`)
    }
    const state = await reader.readState(signal)
    if (Object.values(state.limits).every((limit) => limit !== undefined)) return { ...state, source: 'chain' }
    const indexed = await readIndex(chainId)
    const limits = 'problem' in indexed ? state.limits : fill(state.limits, indexed.limits)
    return { ...state, limits, source: 'chain' }
  }
}

function fill(limits: PoolLimits, indexed: PoolLimits): PoolLimits {
  return {
    minLendLimit: limits.minLendLimit ?? indexed.minLendLimit,
    maxCouponLimit: limits.maxCouponLimit ?? indexed.maxCouponLimit,
    minMaturityLimit: limits.minMaturityLimit ?? indexed.minMaturityLimit,
  }
}

function fromIndex({ tellsPauseOf, timestamp, ...state }: IndexedPool): KnownPool {
  return { ...state, tellsPause: tellsPauseOf.includes('pool'), source: 'index' }
}

/** Creates a function that reads the limits of a pool, or returns the last ones that could be read. */
export function createReadPoolLimits(readPool: ReadPool): (chainId: number) => Promise<PoolLimits | undefined> {
  const known = new Map<number, PoolLimits>()
  return async (chainId) => {
    try {
      known.set(chainId, (await readPool(chainId)).limits)
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
    }
    return known.get(chainId)
  }
}
