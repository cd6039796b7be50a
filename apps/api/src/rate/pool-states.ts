import type { ChainRateFacts } from '@tallystick/core'

export type PoolState = NonNullable<ChainRateFacts['pool']>

export type PoolStates = {
  /**
   * Returns the state of a chain's pool. Reads it again if the block changed or `maxAgeMs` passed. If that fails, returns
   * the last known state. Undefined if no RPC is configured or the pool has never been read.
   */
  read(chainId: number, blockNumber: number | undefined): Promise<PoolState | undefined>
}

/** Reads a pool on its chain. */
export type ReadPool = (signal: AbortSignal) => Promise<PoolState | undefined>

type Entry = {
  state: PoolState | undefined
  blockNumber: number | undefined
  readAtMs: number
  reading: Promise<void> | undefined
}

// Limits how long the fixed rates wait for a chain that does not answer.
const waitMs = 2_000

/** Creates a cache of pool states, so that frequent requests cause few RPC calls. */
export function createPoolStates(
  pools: ReadonlyMap<number, ReadPool>,
  {
    maxAgeMs,
    monotonicNow,
    onError,
  }: {
    readonly maxAgeMs: number
    readonly monotonicNow: () => number
    readonly onError: (chainId: number, error: unknown) => void
  },
): PoolStates {
  const entries = new Map<number, Entry>()
  const entryOf = (chainId: number) => {
    const known = entries.get(chainId)
    if (known) return known
    const entry: Entry = {
      state: undefined,
      blockNumber: undefined,
      readAtMs: Number.NEGATIVE_INFINITY,
      reading: undefined,
    }
    entries.set(chainId, entry)
    return entry
  }
  const refresh = async (chainId: number, entry: Entry) => {
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(), waitMs)
    try {
      entry.state = (await pools.get(chainId)?.(controller.signal)) ?? entry.state
    } catch (error) {
      onError(chainId, error)
    } finally {
      clearTimeout(timer)
    }
  }
  return {
    read: async (chainId, blockNumber) => {
      if (!pools.has(chainId)) return undefined
      const entry = entryOf(chainId)
      const isFresh = entry.blockNumber === blockNumber && monotonicNow() - entry.readAtMs < maxAgeMs
      if (!isFresh && !entry.reading) {
        entry.readAtMs = monotonicNow()
        entry.blockNumber = blockNumber
        entry.reading = refresh(chainId, entry).finally(() => {
          entry.reading = undefined
        })
      }
      await entry.reading
      return entry.state
    },
  }
}
