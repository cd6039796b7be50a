import type { Time } from '@tallystick/base'
import { createRpcEndpoint, createRpcPool, type RpcPool } from '@tallystick/chain'
import { type Database, openDatabase } from '@tallystick/database'
import type { AuditResult, FollowerLog, RebuildStep } from '@tallystick/subgraph'
import type { ChainConfig, Config } from '../config/config.ts'

/** Rebuild or check of an index, for the admin listener and the command line. */
export type IndexJob = {
  readonly id: string
  readonly kind: 'rebuild' | 'check'
  readonly chainId: number
  readonly state: 'running' | 'done' | 'failed'
  readonly startedAt: string
  readonly finishedAt: string | null
  /** Block that a rebuild starts at. */
  readonly from: number | null
  readonly step: RebuildStep
  /** Head of the new index, and of the chain. */
  readonly block: number | null
  readonly chainHead: number | null
  /** Positions that were compared with the chain, and those that there are. */
  readonly compared: number | null
  readonly of: number | null
  /** Why a running job does not advance, or why a job failed. */
  readonly problem: string | null
  /** Result of a check. */
  readonly check: IndexCheck | null
}

type IndexCheck = Pick<AuditResult, 'block' | 'compared'> & {
  /** Number of contradictions. */
  readonly count: number
  /** The first 100. */
  readonly contradictions: readonly string[]
}

export type IndexReport = {
  /** Process that the jobs run in. They end with it. */
  readonly runsIn: 'service' | 'command'
  /** Chains with an embedded index, and the last job of each. */
  readonly chains: readonly { readonly chainId: number; readonly job: IndexJob | null }[]
}

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
  /** Timers of a job in a service. By default they are those of this machine. */
  readonly time?: Time | undefined
  /** Called after an index was replaced, before its job is done. */
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
