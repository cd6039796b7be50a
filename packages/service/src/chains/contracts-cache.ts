import { settleWithin } from '@tallystick/base'
import type { PoolContracts, PoolReader } from '@tallystick/chain'

export type ContractsCache = {
  /**
   * Returns the contracts that a chain's pool names, as last read. Waits a moment for the first read. Undefined if that is
   * not over, if it failed, or if no RPC is configured.
   */
  read(chainId: number): Promise<PoolContracts | undefined>
}

type Entry = {
  contracts: PoolContracts | undefined
  dueAtMs: number
  reading: Promise<void> | undefined
}

// The contracts of a deployment are constants, but a token can get another denylister.
const refreshMs = 30_000
const retryMs = 10_000
const waitMs = 500

type CacheOptions = { readonly monotonicNow: () => number; readonly onError: (chainId: number, error: unknown) => void }

/** Creates a cache of the pools' contracts. Requests cause at most one read per chain and interval, and do not wait for it. */
export function createContractsCache(
  pools: ReadonlyMap<number, Pick<PoolReader, 'readContracts'>>,
  { monotonicNow, onError }: CacheOptions,
): ContractsCache {
  const never = { contracts: undefined, dueAtMs: Number.NEGATIVE_INFINITY, reading: undefined }
  const entries = new Map([...pools.keys()].map((id): [number, Entry] => [id, { ...never }]))
  const refresh = async (chainId: number, entry: Entry) => {
    let isComplete = false
    try {
      const contracts = await pools.get(chainId)?.readContracts()
      // An address without a pool has none, until the pool is deployed or the node has caught up.
      isComplete = contracts?.positionToken !== undefined && contracts.dollar !== undefined
      if (isComplete || !entry.contracts) entry.contracts = contracts
    } catch (error) {
      onError(chainId, error)
    }
    entry.dueAtMs = monotonicNow() + (isComplete ? refreshMs : retryMs)
    entry.reading = undefined
  }
  return {
    read: async (chainId) => {
      const entry = entries.get(chainId)
      if (!entry) return undefined
      if (!entry.reading && monotonicNow() >= entry.dueAtMs) entry.reading = refresh(chainId, entry)
      if (!entry.contracts && entry.reading) await settleWithin(entry.reading, waitMs)
      return entry.contracts
    },
  }
}
