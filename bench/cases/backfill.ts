import { setTimeout as sleep } from 'node:timers/promises'
import { Lend } from '@tallystick/contracts/pool-events'
import { Transfer } from '@tallystick/contracts/position-token'
import type { Database } from '@tallystick/database'
import { createProtocolMapping, openSubgraph, protocolSchema, schemaIdOf, startFollower } from '@tallystick/subgraph'
import { createPublicClient, http } from 'viem'
import { chainId, type LendChain, logs, positions } from '../lend-chain.ts'
import { compare, type Result } from '../result.ts'
import { pool } from '../service.ts'

export type Engines = { readonly pglite: Database; readonly postgres: Database }

/** Namespace in which the service stores the data of this chain and pool. */
export const namespace = `chain_${chainId}_${pool.slice(2, 10).toLowerCase()}_${schemaIdOf(protocolSchema)}`

const rounds = 6
const targets = { pglite: 1.2, postgres: 1.5 }
// The range that a follower requests at this number of logs per block.
const blocksPerRange = 2_000n

/**
 * Measures the events per second from the node into the tables. The baseline is viem, which reads and decodes the same
 * ranges and stores nothing. The data of the last round, indexed up to the chain's head, stays in `namespace`.
 */
export async function measureBackfill(engines: Engines, chain: LendChain): Promise<readonly Result[]> {
  const measured: Record<'viem' | 'pglite' | 'postgres', number>[] = []
  let before = await readByViem(chain)
  for (let round = 1; round <= rounds; round++) {
    const isLast = round === rounds
    const target = { chain, namespace: isLast ? namespace : `round_${round}`, isToFollow: isLast }
    const pglite = await backfill(engines.pglite, target)
    const postgres = await backfill(engines.postgres, target)
    const after = await readByViem(chain)
    // Mean of before and after, because the speed of the machine changes during the 10 s of a round.
    measured.push({ viem: (before + after) / 2, pglite, postgres })
    before = after
  }
  return (['pglite', 'postgres'] as const).map((engine) =>
    compare(
      {
        name: `subgraph.backfill.${engine}`,
        unit: 'events/s',
        target: { atLeast: targets[engine] },
        source: chain.engine,
      },
      measured.map((round) => ({ value: round[engine], baseline: round.viem })),
    ),
  )
}

async function backfill(
  database: Database,
  target: { readonly chain: LendChain; readonly namespace: string; readonly isToFollow: boolean },
): Promise<number> {
  const subgraph = await openSubgraph({ database, schema: protocolSchema, namespace: target.namespace })
  const startedMs = performance.now()
  const follower = startFollower({
    ...{ subgraph, database, chainId, startBlock: 0, log: silent },
    name: target.namespace,
    urls: [target.chain.url],
    mapping: createProtocolMapping({ pool, positions }),
  })
  while (follower.status().eventsIndexed < logs) await sleep(1)
  const seconds = (performance.now() - startedMs) / 1_000
  while (target.isToFollow && follower.status().lagBlocks !== 0) await sleep(1)
  await follower.stop()
  return logs / seconds
}

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

const events = [Transfer, Lend] as const

async function readByViem({ url, firstBlock, lastBlock }: LendChain): Promise<number> {
  const client = createPublicClient({ transport: http(url) })
  const startedMs = performance.now()
  let count = 0
  for (let fromBlock = BigInt(firstBlock); fromBlock <= lastBlock; fromBlock += blocksPerRange) {
    const toBlock = fromBlock + blocksPerRange - 1n
    const read = await client.getLogs({ address: [pool, positions], events, strict: true, fromBlock, toBlock })
    count += read.length
  }
  if (count !== logs) throw new Error(`viem read ${count} of ${logs} logs.`)
  return (count / (performance.now() - startedMs)) * 1_000
}
