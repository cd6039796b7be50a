import type { BlockLogs, Mapping } from '../follow/mapping.ts'
import type { BlockChanges } from '../store/collect-changes.ts'
import { type Adoption, adoptDenylisters } from './adopt-denylisters.ts'
import { applyEvent } from './apply-event.ts'
import { createSampleAudit } from './audit/audit-sample.ts'
import { decodeEvent, protocolTopics } from './decode-event.ts'
import type { Denylisters, Pool } from './entities.ts'
import { learnSigner } from './learn-signer.ts'
import { loadWorkingSet, takeChanges } from './working-set.ts'

export type ProtocolMappingOptions = {
  /** Address of the pool. */
  readonly pool: string
  /** Address of the position token. */
  readonly positions: string
  /** Denylisters of the position token and the dollar, none by default. `openProtocolMapping` reads them from the chain. */
  readonly denylisters?: Denylisters | undefined
  /** Set if the index has the denylist of other denylisters. */
  readonly adoption?: Adoption | undefined
  readonly isOutdated?: Mapping['isOutdated']
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
    const events = logs.map((log) => decodeEvent(log, contracts)).filter((event) => event !== undefined)
    return { block, timestamp: block.timestamp, events }
  }
  const { adoption } = options
  const accounts = adoption && [...adoption.indexed, ...adoption.listed.keys()]
  // A reorg can revert the adoption, so the index is asked each time.
  const isAdopted = (stored: Pool | undefined) =>
    !stored ||
    (stored.denylister === (denylisters.positions ?? null) && stored.dollarDenylister === (denylisters.dollar ?? null))
  return {
    addresses: [...new Set([pool, positions, ...contracts.denylisters])],
    topics: protocolTopics,
    isOutdated: options.isOutdated,
    audit: createSampleAudit({ pool, positions }),
    map: async (blockLogs, load, run, report = () => undefined) => {
      const blocks = blockLogs.map(decode)
      const set = await loadWorkingSet(load, { pool, blocks, accounts })
      const mapped: BlockChanges[] = []
      for (const { block, events } of blocks) {
        const before = set.pools.rows.get(pool)
        const context = { set, pool, denylisters, block, minted: new Map<string, string>(), report }
        if (adoption && !isAdopted(before)) adoptDenylisters(context, { adoption, denylisters })
        for (const event of events) applyEvent(context, event)
        await learnSigner(context, { before, run })
        mapped.push({ block, changes: takeChanges(set) })
      }
      return mapped
    },
  }
}
