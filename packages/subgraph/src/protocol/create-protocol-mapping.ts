import type { BlockLogs, Mapping } from '../follow/mapping.ts'
import { applyEvent } from './apply-event.ts'
import { decodeEvent, type ProtocolEvent } from './decode-event.ts'
import { loadWorkingSet, takeChanges } from './working-set.ts'

export type ProtocolMappingOptions = {
  /** Address of the pool. */
  readonly pool: string
  /** Address of the position token. */
  readonly positions: string
}

/** Creates the mapping from the logs of a pool and its position token to the entities of `protocolSchema`. */
export function createProtocolMapping(options: ProtocolMappingOptions): Mapping {
  const contracts = { pool: options.pool.toLowerCase(), positions: options.positions.toLowerCase() }
  const decode = ({ block, logs }: BlockLogs) => {
    const events: ProtocolEvent[] = []
    for (const log of logs) {
      const event = decodeEvent(log, contracts)
      if (event) events.push(event)
    }
    return { block, timestamp: block.timestamp, events }
  }
  return {
    addresses: [contracts.pool, contracts.positions],
    map: async (blockLogs, load) => {
      const blocks = blockLogs.map(decode)
      const set = await loadWorkingSet(load, { pool: contracts.pool, blocks })
      return blocks.map(({ block, events }) => {
        const context = { set, pool: contracts.pool, block, minted: new Map<string, string>() }
        for (const event of events) applyEvent(context, event)
        return { block, changes: takeChanges(set) }
      })
    },
  }
}
