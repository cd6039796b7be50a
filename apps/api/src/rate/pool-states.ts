import type { ChainRateFacts } from '@tallystick/core'

export type PoolState = NonNullable<ChainRateFacts['pool']>

export type PoolStates = {
  /**
   * The state of a chain's pool: read anew when the chain has another block than last time, or after a while. What could
   * be read last if it cannot be read now; undefined where no RPC is configured or none has answered yet.
   */
  read(chainId: number, blockNumber: number | undefined): Promise<PoolState | undefined>
}

/** Reads a pool on its chain. */
export type ReadPool = (signal: AbortSignal) => Promise<PoolState | undefined>

type Entry = {
  state: PoolState | undefined
  blockNumber: number | undefined
  askedAtMs: number
  reading: Promise<void> | undefined
}

// As the floating part: the fixed rates do not wait longer for a chain that does not answer.
const waitMs = 2_000

/** Keeps what is known of the pools, so that callers who ask often make few calls of the chain. */
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
      askedAtMs: Number.NEGATIVE_INFINITY,
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
      const isFresh = entry.blockNumber === blockNumber && monotonicNow() - entry.askedAtMs < maxAgeMs
      if (!isFresh && !entry.reading) {
        entry.askedAtMs = monotonicNow()
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
