import type { Time } from '@tallystick/base'
import { createRpcEndpoint, createRpcPool, type RpcPool } from '@tallystick/chain'
import { type Database, openDatabase } from '@tallystick/database'
import type { FollowerLog } from '@tallystick/subgraph'
import type { ChainConfig, Config } from '../config/config.ts'
import type { IndexJob } from './index-job.ts'

/** Parts that a job works with. */
export type JobContext = {
  readonly chain: ChainConfig & {
    readonly subgraph: { readonly embedded: { readonly positions: `0x${string}`; readonly startBlock: number } }
  }
  readonly config: Pick<Config, 'database'>
  /** Database of the service. */
  readonly database: Database
  readonly log: FollowerLog
  readonly signal: AbortSignal
  /** By default the timers are those of this machine. */
  readonly time?: Time | undefined
  readonly onReplaced?: ((chainId: number) => Promise<unknown>) | undefined
  update(change: Partial<IndexJob>): void
}

const connectionsMax = 4
const timeoutMs = 15_000
const answerBytesMax = 64 * 1024 * 1024

/** Runs work on the database of the index: on PostgreSQL with its own connections, so that the service never waits for one. */
export async function withIndexDatabase<Result>(
  { database, config }: Pick<JobContext, 'database' | 'config'>,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  if (database.engine === 'pglite') return work(database)
  const opened = await openDatabase(config.database.reveal(), { connectionsMax })
  try {
    return await work(opened)
  } finally {
    await opened.close()
  }
}

export function createJobRpc({ chain, log, signal }: Pick<JobContext, 'chain' | 'log' | 'signal'>): RpcPool {
  const endpoints = chain.rpc.map((url) => createRpcEndpoint({ url, timeoutMs, answerBytesMax, signal }))
  return createRpcPool({ endpoints, chainId: chain.id, log })
}
