import { createRpcEndpoint, createRpcPool, NoRpcError, RpcError, type RpcPool } from '@tallystick/chain'
import type { Database, Lock } from '@tallystick/database'
import type { Subgraph } from '../subgraph.ts'
import type { ChainContext, Cursor } from './chain-context.ts'
import { followChain } from './follow-chain.ts'
import type { FollowerLog } from './follower-log.ts'
import { type FollowerProgress, type FollowerStatus, toStatus } from './follower-status.ts'
import type { Mapping } from './mapping.ts'
import { pause } from './pause.ts'
import { createRangeSizer } from './range-sizer.ts'
import { readLatest } from './read-chain.ts'
import { createProgressReport } from './report-progress.ts'

export type FollowerOptions = {
  readonly subgraph: Subgraph
  /** Where the subgraph is: among all that follow under one name on it, one works at a time. */
  readonly database: Database
  readonly name: string
  readonly chainId: number
  /** JSON-RPC servers, the preferred one first. */
  readonly urls: readonly string[]
  readonly mapping: Mapping
  readonly startBlock: number
  readonly log: FollowerLog
  /** How often the head of the chain is looked at, 1 s by default. */
  readonly pollMs?: number | undefined
  /** How long a server may take to answer, 15 s by default. */
  readonly timeoutMs?: number | undefined
  /** How large an answer may be, 64 MiB by default. */
  readonly answerBytesMax?: number | undefined
}

export type Follower = {
  status(): FollowerStatus
  /** Whether this process is the one that writes the index, so that the head it knows is the latest there is. */
  readonly isWriting: boolean
  /** Finishes the transaction under way and lets go of the lock. */
  stop(): Promise<void>
}

const pollMsDefault = 1_000
const timeoutMsDefault = 15_000
// Ten thousand logs are 8 MB or so; what is larger than this is asked for in parts.
const answerBytesMaxDefault = 64 * 1024 * 1024
// How soon another replica takes over, and how current the head is that a waiting one knows.
const lockPollMs = 1_000
// Seldom: the one that follows asks the same servers all the time.
const observeMs = 5_000
// After a failure that is not the RPC's, such as a database that is away.
const failurePauseMs = 500
// A reorg while blocks are read is nothing to report; a chain that never holds still is.
const changesTolerated = 5

type Parts = FollowerOptions & {
  readonly progress: FollowerProgress
  readonly pool: RpcPool
  readonly stopped: AbortSignal
  readonly status: () => FollowerStatus
}

/** Starts to index a chain's logs into a subgraph, and goes on, whatever fails, until it is stopped. */
export function createFollower(options: FollowerOptions): Follower {
  const { subgraph, chainId, log, timeoutMs = timeoutMsDefault, answerBytesMax = answerBytesMaxDefault } = options
  const controller = new AbortController()
  const { signal } = controller
  const progress: FollowerProgress = {
    state: 'starting',
    chainHead: undefined,
    eventsIndexed: 0,
    reorgsSeen: 0,
    problem: undefined,
    lock: undefined,
  }
  const endpoints = options.urls.map((url) => createRpcEndpoint({ url, timeoutMs, answerBytesMax, signal }))
  const pool = createRpcPool({ endpoints, chainId, log })
  const status = () => toStatus(progress, { head: subgraph.head, rpcProblem: pool.problem })
  const running = run({ ...options, progress, pool, stopped: signal, status })
  return {
    status,
    get isWriting() {
      return progress.lock !== undefined && !progress.lock.lost.aborted
    },
    stop: async () => {
      controller.abort()
      await running
    },
  }
}

async function run(parts: Parts): Promise<void> {
  const { subgraph, database, name, stopped, progress } = parts
  const observe = createObserver(parts)
  while (!stopped.aborted) {
    try {
      const lock = await database.tryLock(`follower ${name}`)
      if (lock) {
        await work(parts, lock).finally(() => {
          progress.lock = undefined
          return lock.release()
        })
        continue
      }
      progress.state = 'waiting for lock'
      progress.problem = undefined
      observe()
      await subgraph.readHead()
    } catch (error) {
      fail(parts, error)
    }
    await pause(lockPollMs, [stopped])
  }
}

/** For one that waits: returns a function that now and then looks at the chain's head, to know how far the index lags. */
function createObserver({ pool, progress }: Parts): () => void {
  let dueMs = 0
  return () => {
    if (Date.now() < dueMs) return
    dueMs = Date.now() + observeMs
    pool.run(readLatest).then(
      (latest) => {
        progress.chainHead = latest
      },
      // What is wrong is in the pool's own problem.
      () => undefined,
    )
  }
}

/** Follows for as long as the lock is held. After a failure it begins again from what is stored. */
async function work(parts: Parts, lock: Lock): Promise<void> {
  const { lost } = lock
  const { subgraph, mapping, progress, stopped, pollMs = pollMsDefault } = parts
  const report = createProgressReport(parts)
  const context: ChainContext = {
    ...parts,
    addresses: new Set(mapping.addresses.map((address) => address.toLowerCase())),
    sizer: createRangeSizer(),
    isOver: () => stopped.aborted || lost.aborted,
    onStored: (events) => {
      progress.eventsIndexed += events
      report(parts.status())
    },
  }
  let changes = 0
  let cursor = await readCursor(subgraph)
  progress.lock = lock
  while (!context.isOver()) {
    try {
      cursor = await followChain(context, { cursor, progress })
      progress.problem = undefined
      const isAtHead = cursor && cursor.position.number >= (progress.chainHead?.number ?? 0)
      if (isAtHead) await pause(pollMs, [stopped, lost])
      changes = 0
    } catch (error) {
      if (context.isOver()) return
      changes = isChange(error) ? changes + 1 : changesTolerated
      if (changes >= changesTolerated) fail(parts, error)
      await pause(error instanceof NoRpcError ? Math.min(pollMs, failurePauseMs) : failurePauseMs, [stopped, lost])
      cursor = await readCursor(subgraph)
    }
  }
}

function isChange(error: unknown): boolean {
  return error instanceof RpcError && error.kind === 'changed'
}

async function readCursor(subgraph: Subgraph): Promise<Cursor | undefined> {
  const stored = await subgraph.readHead()
  return stored && { stored, position: stored }
}

function fail({ progress, pool, log, name, stopped }: Parts, error: unknown): void {
  if (stopped.aborted) return
  const message = error instanceof Error ? error.message : String(error)
  const problem = error instanceof NoRpcError ? (pool.problem ?? message) : message
  if (progress.problem !== problem) log.error({ name, problem, err: error }, 'the index cannot go on')
  progress.state = 'failing'
  progress.problem = problem
}
