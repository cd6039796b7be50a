import { type RpcEndpoint, readDenylisters } from '@tallystick/chain'
import type { MappingContext, OpenMapping } from '../follow/mapping.ts'
import { type Adoption, readIndexedListings, readListed } from './adopt-denylisters.ts'
import { createProtocolMapping, type ProtocolMappingOptions } from './create-protocol-mapping.ts'
import type { Denylisters, Pool } from './entities.ts'

type Address = `0x${string}`

/**
 * Creates the function that opens the mapping of a pool. It reads the denylisters of the pool's tokens from the chain. If a
 * token has got another one, the index takes over its list with the next block: the tokens emit no event for it.
 */
export function openProtocolMapping(
  options: Omit<ProtocolMappingOptions, 'denylisters' | 'adoption' | 'isOutdated'>,
): OpenMapping {
  const contracts = {
    pool: options.pool.toLowerCase() as Address,
    positions: options.positions.toLowerCase() as Address,
  }
  const read = (endpoint: RpcEndpoint) => readDenylisters(endpoint, contracts)
  return async (context) => {
    const current = await context.run(read)
    const indexed = await loadDenylisters(context.load, contracts.pool)
    const isChanged = indexed !== undefined && !isSame(indexed, current)
    if (isChanged) context.log.warn({ indexed, current }, 'denylister changed; the index adopts its list')
    return createProtocolMapping({
      pool: contracts.pool,
      positions: contracts.positions,
      denylisters: current,
      adoption: isChanged ? await readAdoption(context, current) : undefined,
      isOutdated: async (endpoint) => !isSame(current, await read(endpoint)),
    })
  }
}

function isSame(a: Denylisters, b: Denylisters): boolean {
  return a.positions === b.positions && a.dollar === b.dollar
}

async function readAdoption({ run, index, blocks }: MappingContext, current: Denylisters): Promise<Adoption> {
  const denylisters = [...new Set([current.positions, current.dollar])].filter((one) => one !== undefined)
  const range = blocks && denylisters.length > 0 ? { denylisters, ...blocks } : undefined
  return {
    listed: range ? await run((endpoint) => readListed(endpoint, range)) : new Map(),
    indexed: await readIndexedListings(index),
  }
}

async function loadDenylisters(load: MappingContext['load'], pool: string): Promise<Denylisters | undefined> {
  const stored = (await load('Pool', [pool])).get(pool) as Pool | undefined
  return stored && { positions: stored.denylister ?? undefined, dollar: stored.dollarDenylister ?? undefined }
}
