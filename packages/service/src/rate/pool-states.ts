import type { PoolFloatingIncome, PoolPauses } from '@tallystick/chain'

/** State of a pool as its chain reports it. */
export type PoolState = {
  readonly pauses: PoolPauses
  /** Undefined if the contract does not report it. */
  readonly floating: PoolFloatingIncome | undefined
}

export type ReadPoolState = PoolState & {
  /** Whether the last read succeeded. Otherwise the state is of an earlier one. */
  readonly isCurrent: boolean
}

export type PoolStates = {
  /**
   * Returns the state of a chain's pool. Reads it again after `maxAgeMs`. If that fails, returns the state of the last
   * minute. Undefined if there is none or no RPC is configured.
   */
  read(chainId: number): Promise<ReadPoolState | undefined>
}

/** Reads a pool on its chain. */
export type ReadPool = (signal: AbortSignal) => Promise<PoolState>

type Entry = {
  state: PoolState | undefined
  isCurrent: boolean
  /** Time of the last read, and of the last successful one. */
  triedAtMs: number
  readAtMs: number
  reading: Promise<void> | undefined
}

// Limits how long the fixed rates wait for a chain that does not answer.
const waitMs = 2_000
// As long as the pool watch keeps its last results.
const keepMs = 60_000
const never = Number.NEGATIVE_INFINITY

type PoolStatesOptions = {
  readonly maxAgeMs: number
  readonly monotonicNow: () => number
  readonly onError: (chainId: number, error: unknown) => void
}

/** Creates a cache of pool states, so that frequent requests cause few RPC calls. */
export function createPoolStates(
  pools: ReadonlyMap<number, ReadPool>,
  { maxAgeMs, monotonicNow, onError }: PoolStatesOptions,
): PoolStates {
  const entries = new Map(
    [...pools.keys()].map((chainId): [number, Entry] => [
      chainId,
      { state: undefined, isCurrent: false, triedAtMs: never, readAtMs: never, reading: undefined },
    ]),
  )
  const refresh = async (chainId: number, entry: Entry) => {
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(), waitMs)
    try {
      entry.state = await pools.get(chainId)?.(controller.signal)
      entry.isCurrent = true
      entry.readAtMs = monotonicNow()
    } catch (error) {
      entry.isCurrent = false
      onError(chainId, error)
    } finally {
      clearTimeout(timer)
    }
  }
  return {
    read: async (chainId) => {
      const entry = entries.get(chainId)
      if (!entry) return undefined
      if (monotonicNow() - entry.triedAtMs >= maxAgeMs && !entry.reading) {
        entry.triedAtMs = monotonicNow()
        entry.reading = refresh(chainId, entry).finally(() => {
          entry.reading = undefined
        })
      }
      await entry.reading
      const { state, isCurrent, readAtMs } = entry
      return state && monotonicNow() - readAtMs < keepMs ? { ...state, isCurrent } : undefined
    },
  }
}
