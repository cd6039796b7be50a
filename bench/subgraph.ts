import { positionQuery } from '@tallystick/core'
import type { Database } from '@tallystick/database'
import { openSubgraph, protocolSchema, type Subgraph } from '@tallystick/subgraph'
import { fillPositions, ownerOf, positions } from './positions.ts'

export type Figure = { readonly name: string; readonly value: number; readonly unit: string }

const queries = 300

const pinnedQuery = positionQuery
  .replace('$walletAddress: Bytes!', '$walletAddress: Bytes!, $block: Block_height')
  .replace('orderDirection: desc', 'orderDirection: desc, block: $block')

/** Backfills positions, then asks for them. */
export async function benchSubgraph(database: Database): Promise<readonly Figure[]> {
  const subgraph = await openSubgraph({ database, schema: protocolSchema, namespace: 'bench_subgraph' })
  const { seconds, indexingMs } = await fillPositions(subgraph)
  const pinned = { number: (subgraph.head?.number ?? 0) - 20 }
  return [
    { name: 'backfill', value: positions / seconds, unit: 'events/s' },
    { name: 'backfill, rows', value: (2 * positions) / seconds, unit: 'rows/s' },
    { name: 'indexes after it', value: indexingMs, unit: 'ms' },
    { name: 'position query, median', value: await medianMs(subgraph, undefined), unit: 'ms' },
    { name: 'position query 20 blocks back, median', value: await medianMs(subgraph, pinned), unit: 'ms' },
  ]
}

async function medianMs(subgraph: Subgraph, block: { readonly number: number } | undefined): Promise<number> {
  const times: number[] = []
  for (let query = 0; query < queries; query++) {
    const started = performance.now()
    const variables = { walletAddress: ownerOf(query * 37), block }
    const { errors } = await subgraph.execute({ query: block ? pinnedQuery : positionQuery, variables })
    if (errors) throw new Error(JSON.stringify(errors))
    times.push(performance.now() - started)
  }
  return times.sort((a, b) => a - b)[queries / 2] ?? Number.NaN
}
