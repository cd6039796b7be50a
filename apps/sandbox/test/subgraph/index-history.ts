import { createRpcEndpoint } from '@tallystick/chain'
import { type Database, openDatabase } from '@tallystick/database'
import {
  type BlockLogs,
  type Mapping,
  type MappingContext,
  openProtocolMapping,
  openSubgraph,
  protocolSchema,
  type RunOnRpc,
  type Subgraph,
} from '@tallystick/subgraph'
import { createTestDatabase, type DatabaseEngine } from '@tallystick/workbench/test-database'
import { inject } from 'vitest'
import type { Chain } from '../chain.ts'

export type OpenTest = { readonly database: Database; readonly close: () => Promise<void> }

export async function openTest(engine: DatabaseEngine): Promise<OpenTest> {
  const { url, remove } = await createTestDatabase(engine, inject('databases'))
  const database = await openDatabase(url)
  const close = async () => {
    await database.close()
    await remove()
  }
  return { database, close }
}

/** Every block of the chain with all of its logs, the dollar token's too: the mapping has to pass those over. */
export async function readHistory({ client }: Chain): Promise<readonly BlockLogs[]> {
  const last = await client.getBlockNumber()
  const numbers = Array.from({ length: Number(last) + 1 }, (_, index) => BigInt(index))
  const [blocks, logs] = await Promise.all([
    Promise.all(numbers.map((blockNumber) => client.getBlock({ blockNumber }))),
    client.getLogs({ fromBlock: 0n, toBlock: last }),
  ])
  return blocks.map(({ number, hash, parentHash, timestamp }) => ({
    block: { number: Number(number), hash, parentHash, timestamp: Number(timestamp) },
    logs: logs.filter(({ blockNumber }) => blockNumber === number),
  }))
}

type IndexOptions = {
  readonly chain: Chain
  readonly namespace: string
  readonly blocks: readonly BlockLogs[]
  /** How many blocks are mapped and written at once, from the first on; what is left comes in one. */
  readonly sizes?: readonly number[]
}

/** A fresh index of some blocks. */
export async function indexHistory(
  database: Database,
  { chain, namespace, blocks, sizes = [] }: IndexOptions,
): Promise<Subgraph> {
  const { subgraph, index } = await openIndex(database, { chain, namespace })
  let start = 0
  for (const size of [...sizes, blocks.length]) {
    await index(blocks.slice(start, start + size))
    start += size
  }
  return subgraph
}

/** A fresh index without blocks, and a function that maps and writes more of them at once. */
export async function openIndex(
  database: Database,
  { chain, namespace }: Pick<IndexOptions, 'chain' | 'namespace'>,
): Promise<{ readonly subgraph: Subgraph; readonly index: (part: readonly BlockLogs[]) => Promise<void> }> {
  const subgraph = await openSubgraph({ database, schema: protocolSchema, namespace })
  const { mapping, run } = await openMapping(chain, subgraph.load)
  const index = async (part: readonly BlockLogs[]) => {
    if (part.length > 0) await subgraph.commitMany(await mapping.map(part, subgraph.load, run))
  }
  return { subgraph, index }
}

/** The mapping as a follower opens it. */
export async function openMapping(
  chain: Chain,
  load: MappingContext['load'],
): Promise<{ readonly mapping: Mapping; readonly run: RunOnRpc }> {
  const limits = { timeoutMs: 30_000, answerBytesMax: 1_000_000, signal: new AbortController().signal }
  const endpoint = createRpcEndpoint({ url: chain.client.transport.url, ...limits })
  const run: RunOnRpc = (work) => work(endpoint)
  const fail = (_: object, message: string) => {
    throw new Error(message)
  }
  const log = { info: fail, warn: fail, error: fail }
  const index = { load, execute: async () => ({}), findVersions: async () => undefined }
  return { mapping: await openProtocolMapping(chain)({ load, run, index, blocks: undefined, log }), run }
}

/** Every row of every table of a namespace, sorted: what two indexes are compared by. */
export async function readTables(database: Database, namespace: string) {
  const names = await database.query<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = $1 and table_name <> '$meta' order by 1`,
    [namespace],
  )
  const tables: Record<string, readonly unknown[]> = {}
  for (const { name } of names) {
    const order = name === '$blocks' ? 'number' : '"id", "$from"'
    tables[name] = await database.query(
      `select to_jsonb(t) as row from "${namespace}"."${name}" as t order by ${order}`,
    )
  }
  return tables
}
