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

/**
 * Returns the state of a chain's pool. Reads it again after `maxAgeMs`. If that fails, returns the state of the last minute.
 * Undefined if there is none or no RPC is configured.
 */
export type FindPoolState = (chainId: number) => Promise<ReadPoolState | undefined>

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
export function createPoolStates(pools: ReadonlyMap<number, Pool>, options: PoolStatesOptions): FindPoolState {
  const states = new Map([...pools].map(([chainId, pool]) => [chainId, keepState({ chainId, pool }, options)]))
  return async (chainId) => states.get(chainId)?.()
}

function keepState(
  { chainId, pool }: { readonly chainId: number; readonly pool: Pool },
  { maxAgeMs, time, onError }: PoolStatesOptions,
): () => Promise<ReadPoolState | undefined> {
  let state: PoolState | undefined
  let isCurrent = false
  /** Time of the last read, and of the last successful one. */
  let triedAtMs = Number.NEGATIVE_INFINITY
  let readAtMs = Number.NEGATIVE_INFINITY
  const { run, settle } = joinRuns(async () => {
    triedAtMs = time.monotonic()
    const controller = new AbortController()
    const { signal } = controller
    const timer = setTimeout(() => controller.abort(), waitMs)
    try {
      const [pauses, floating] = await Promise.all([pool.readPauses(signal), pool.readFloatingIncome(signal)])
      state = { pauses, floating }
      isCurrent = true
      readAtMs = time.monotonic()
    } catch (error) {
      isCurrent = false
      onError(chainId, error)
    } finally {
      clearTimeout(timer)
    }
  })
  return async () => {
    await (time.monotonic() - triedAtMs >= maxAgeMs ? run() : settle())
    return state && time.monotonic() - readAtMs < keepMs ? { ...state, isCurrent } : undefined
  }
}
