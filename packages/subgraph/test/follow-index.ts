import type { Database } from '@tallystick/database'
import { waitOptions } from '@tallystick/workbench/wait-options'
import { expect, vi } from 'vitest'
import { atMost, createTestTime } from '../../base/test/test-time.ts'
import { type Follower, type FollowerOptions, openSubgraph, type Subgraph, startFollower } from '../src/index.ts'
import type { TestChain } from './follow-chain.ts'
import { createMapping, schema } from './follow-mapping.mjs'
import { readTables, type TableRow } from './read-tables.ts'

/** The head of the chain is read every 20 ms. */
export const shortWaits = createTestTime({ waits: { 'chain follower': atMost(20) } })

export type TestIndex = {
  readonly follower: Follower
  readonly subgraph: Subgraph
  readonly lines: readonly string[]
  tables(): Promise<Readonly<Record<string, readonly TableRow[]>>>
  /** Resolves when the index is at the head of the chain. */
  untilCurrent(): Promise<void>
}

let spaces = 0

/** Follows a chain into its own namespace. */
export async function followInto(
  database: Database,
  {
    chain,
    namespace = `follow${++spaces}`,
    ...options
  }: {
    readonly chain: TestChain
    readonly namespace?: string
  } & Partial<FollowerOptions>,
): Promise<TestIndex> {
  const subgraph = await openSubgraph({ database, schema, namespace })
  const lines: string[] = []
  const write = (details: object, message: string) => lines.push(`${message} ${JSON.stringify(details)}`)
  const follower = startFollower({
    subgraph,
    database,
    name: namespace,
    chainId: 324,
    urls: [chain.url],
    mapping: createMapping(chain.address),
    startBlock: 1,
    log: { info: write, warn: write, error: write },
    time: shortWaits,
    rpcRetryMs: 5,
    ...options,
  })
  return {
    follower,
    subgraph,
    lines,
    tables: () => readTables(database, namespace),
    untilCurrent: () => untilAt(subgraph, chain),
  }
}

async function untilAt(subgraph: Subgraph, chain: TestChain): Promise<void> {
  const { hash } = (await chain.rpc('eth_getBlockByNumber', ['latest', false])) as { hash: string }
  await vi.waitFor(() => expect(subgraph.head?.hash).toBe(hash), waitOptions)
}

/** Returns the tables of a fresh index of the chain, made without faults. */
export async function tablesOfFresh(database: Database, chain: TestChain, startBlock = 1) {
  const fresh = await followInto(database, { chain, startBlock })
  await fresh.untilCurrent()
  await fresh.follower.stop()
  return fresh.tables()
}
