import { readDenylisters } from '@tallystick/chain/pool/read-denylisters'
import type { MappingContext, OpenMapping } from '../follow/mapping.ts'
import { createProtocolMapping, type ProtocolMappingOptions } from './create-protocol-mapping.ts'
import type { Denylisters, Pool } from './entities.ts'

type Address = `0x${string}`

/** Creates the function that opens the mapping of a pool: it reads the denylisters of the pool's tokens from the chain. */
export function openProtocolMapping(options: Omit<ProtocolMappingOptions, 'denylisters'>): OpenMapping {
  const contracts = {
    pool: options.pool.toLowerCase() as Address,
    positions: options.positions.toLowerCase() as Address,
  }
  return async ({ load, run, log }) => {
    const current = await run((endpoint) => readDenylisters(endpoint, contracts))
    const indexed = await loadDenylisters(load, contracts.pool)
    if (indexed && (indexed.positions !== current.positions || indexed.dollar !== current.dollar)) {
      log.warn(
        { indexed, current },
        'denylister changed; the denylist of the index is that of the old one: index again',
      )
    }
    return createProtocolMapping({ ...contracts, denylisters: indexed ?? current })
  }
}

/** Loads the denylisters of an index. The logs of another one are missing in it, so a change is not followed. */
async function loadDenylisters(load: MappingContext['load'], pool: string): Promise<Denylisters | undefined> {
  const stored = (await load('Pool', [pool])).get(pool) as Pool | undefined
  return stored && { positions: stored.denylister ?? undefined, dollar: stored.dollarDenylister ?? undefined }
}
