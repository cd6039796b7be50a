import { joinRuns, settleWithin, type Time } from '@tallystick/base'
import type { PoolContracts, PoolReader } from '@tallystick/chain'

type ContractsCache = {
  /**
   * Returns the contracts that a chain's pool names, as last read. Waits a moment for the first read. Undefined if that is
   * not over, if it failed, or if no RPC is configured.
   */
  find(chainId: number): Promise<PoolContracts | undefined>
  /** Returns whether `find` would return these contracts without a read. */
  isLatest(chainId: number, contracts: PoolContracts | undefined): boolean
}

// The contracts of a deployment are constants, but a token can get another denylister.
const refreshMs = 30_000
const retryMs = 10_000
const waitMs = 500

type Pool = Pick<PoolReader, 'readContracts'>

type CacheOptions = {
  readonly time: Pick<Time, 'monotonic'>
  readonly onError: (chainId: number, error: unknown) => void
}

/** Creates a cache of the pools' contracts. Requests cause at most one read per chain and interval, and do not wait for it. */
export function createContractsCache(pools: ReadonlyMap<number, Pool>, options: CacheOptions): ContractsCache {
  const kept = new Map([...pools].map(([chainId, pool]) => [chainId, keepContracts({ chainId, pool }, options)]))
  return {
    find: async (chainId) => kept.get(chainId)?.find(),
    isLatest: (chainId, contracts) => kept.get(chainId)?.isLatest(contracts) ?? true,
  }
}

function keepContracts(
  { chainId, pool }: { readonly chainId: number; readonly pool: Pool },
  { time, onError }: CacheOptions,
) {
  let contracts: PoolContracts | undefined
  let dueAtMs = Number.NEGATIVE_INFINITY
  const { run, settle } = joinRuns(async () => {
    let isComplete = false
    try {
      const found = await pool.readContracts()
      // An address without a pool has none, until the pool is deployed or the node has caught up.
      isComplete = found.positionToken !== undefined && found.dollar !== undefined
      if (isComplete || !contracts) contracts = found
    } catch (error) {
      onError(chainId, error)
    }
    dueAtMs = time.monotonic() + (isComplete ? refreshMs : retryMs)
  })
  const isDue = () => time.monotonic() >= dueAtMs
  return {
    find: async () => {
      const reading = isDue() ? run() : settle()
      if (!contracts) await settleWithin(reading, waitMs)
      return contracts
    },
    isLatest: (known: PoolContracts | undefined) => !isDue() && contracts === known,
  }
}
