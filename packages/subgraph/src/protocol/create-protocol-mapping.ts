import type { BlockLogs, Mapping } from '../follow/mapping.ts'
import type { BlockChanges } from '../store/collect-changes.ts'
import { applyEvent } from './apply-event.ts'
import { decodeEvent, type ProtocolEvent } from './decode-event.ts'
import type { Denylisters } from './entities.ts'
import { learnSigner } from './learn-signer.ts'
import { loadWorkingSet, takeChanges } from './working-set.ts'

export type ProtocolMappingOptions = {
  /** Address of the pool. */
  readonly pool: string
  /** Address of the position token. */
  readonly positions: string
  /** Denylisters of the position token and the dollar, none by default. `openProtocolMapping` reads them from the chain. */
  readonly denylisters?: Denylisters | undefined
}

/** Creates the mapping from the logs of a pool, its position token and its denylisters to the entities of `protocolSchema`. */
export function createProtocolMapping(options: ProtocolMappingOptions): Mapping {
  const pool = options.pool.toLowerCase()
  const positions = options.positions.toLowerCase()
  const denylisters = {
    positions: options.denylisters?.positions?.toLowerCase(),
    dollar: options.denylisters?.dollar?.toLowerCase(),
  }
  const contracts = { pool, positions, denylisters: Object.values(denylisters).filter((one) => one !== undefined) }
  const decode = ({ block, logs }: BlockLogs) => {
    const events: ProtocolEvent[] = []
    for (const log of logs) {
      const event = decodeEvent(log, contracts)
      if (event) events.push(event)
    }
    return { block, timestamp: block.timestamp, events }
  }
  return {
    addresses: [...new Set([pool, positions, ...contracts.denylisters])],
    map: async (blockLogs, load, run) => {
      const blocks = blockLogs.map(decode)
      const set = await loadWorkingSet(load, { pool, blocks })
      const mapped: BlockChanges[] = []
      for (const { block, events } of blocks) {
        const before = set.pools.rows.get(pool)
        const context = { set, pool, denylisters, block, minted: new Map<string, string>() }
        for (const event of events) applyEvent(context, event)
        await learnSigner(context, { before, run })
        mapped.push({ block, changes: takeChanges(set) })
      }
      return mapped
    },
  }
}
