import { joinRuns, type Time } from '@tallystick/base'
import type { PoolFloatingIncome, PoolPauses, PoolReader } from '@tallystick/chain'

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
  find(chainId: number): Promise<ReadPoolState | undefined>
  /** Returns whether `find` would return this state without a read. */
  isLatest(chainId: number, state: ReadPoolState | undefined): boolean
}

// Limits how long the fixed rates wait for a chain that does not answer.
const waitMs = 2_000
// As long as the pool watch keeps its last results.
const keepMs = 60_000

type Pool = Pick<PoolReader, 'readPauses' | 'readFloatingIncome'>

type PoolStatesOptions = {
  readonly maxAgeMs: number
  readonly time: Pick<Time, 'monotonic'>
  readonly onError: (chainId: number, error: unknown) => void
}

/** Creates a cache of pool states, so that frequent requests cause few RPC calls. */
export function createPoolStates(pools: ReadonlyMap<number, Pool>, options: PoolStatesOptions): PoolStates {
  const states = new Map([...pools].map(([chainId, pool]) => [chainId, keepState({ chainId, pool }, options)]))
  return {
    find: async (chainId) => states.get(chainId)?.find(),
    isLatest: (chainId, state) => states.get(chainId)?.isLatest(state) ?? true,
  }
}

function keepState(
  { chainId, pool }: { readonly chainId: number; readonly pool: Pool },
  { maxAgeMs, time, onError }: PoolStatesOptions,
) {
  let state: ReadPoolState | undefined
  let isReading = false
  /** Time of the last read, and of the last successful one. */
  let triedAtMs = Number.NEGATIVE_INFINITY
  let readAtMs = Number.NEGATIVE_INFINITY
  const { run, settle } = joinRuns(async () => {
    isReading = true
    triedAtMs = time.monotonic()
    const controller = new AbortController()
    const { signal } = controller
    const timer = setTimeout(() => controller.abort(), waitMs)
    try {
      const [pauses, floating] = await Promise.all([pool.readPauses(signal), pool.readFloatingIncome(signal)])
      state = { pauses, floating, isCurrent: true }
      readAtMs = time.monotonic()
    } catch (error) {
      state = state && { ...state, isCurrent: false }
      onError(chainId, error)
    } finally {
      clearTimeout(timer)
      isReading = false
    }
  })
  const isDue = () => time.monotonic() - triedAtMs >= maxAgeMs
  const latest = () => (time.monotonic() - readAtMs < keepMs ? state : undefined)
  return {
    find: async () => {
      await (isDue() ? run() : settle())
      return latest()
    },
    isLatest: (known: ReadPoolState | undefined) => !isDue() && !isReading && latest() === known,
  }
}
