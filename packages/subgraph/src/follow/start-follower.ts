import type { Time } from '@tallystick/base'
import {
  type ChainIdentity,
  createChainIdentity,
  createRangeSizer,
  createRpcEndpoint,
  createRpcPool,
  NoRpcError,
  RpcError,
  type RpcPool,
} from '@tallystick/chain'
import type { Database, Lock } from '@tallystick/database'
import type { Subgraph } from '../subgraph.ts'
import { SubgraphError } from '../subgraph-error.ts'
import type { ChainContext, Cursor } from './chain-context.ts'
import { followChain, maxReorgDepthDefault } from './follow-chain.ts'
import { createProgressReport, type FollowerProgress, type FollowerStatus, toStatus } from './follower-status.ts'
import { createIndexHealth, type IndexHealth } from './index-health.ts'
import { createAnchorKeeper } from './keep-anchors.ts'
import {
  type Contradiction,
  ContradictionError,
  type FollowerLog,
  type Mapping,
  type MappingContext,
  type OpenMapping,
} from './mapping.ts'
import { createHeadObserver } from './observe-head.ts'
import { pause } from './pause.ts'

export type FollowerOptions = {
  readonly subgraph: Subgraph
  /** Database of the subgraph. Among all followers of one name on it, one works at a time. */
  readonly database: Database
  readonly name: string
  readonly chainId: number
  /** JSON-RPC servers, the preferred one first. */
  readonly urls: readonly string[]
  readonly mapping: Mapping | OpenMapping
  readonly startBlock: number
  /** A reorg of more blocks is not followed, 256 by default. */
  readonly maxReorgDepth?: number | undefined
  /** Shared by everything in the process that uses the chain. By default the follower has its own. */
  readonly identity?: ChainIdentity | undefined
  /** Interval at which a sample of the index is compared with the chain, 30 s by default. */
  readonly auditMs?: number | undefined
  readonly log: FollowerLog
  /** Timers of the waits between two reads of the head. By default they are those of this machine. */
  readonly time?: Pick<Time, 'setTimer'> | undefined
  /** Delay until an RPC is used again after its first failure, 100 ms by default. Further failures double it. */
  readonly rpcRetryMs?: number | undefined
  /** Time limit of an RPC request, 15 s by default. */
  readonly timeoutMs?: number | undefined
  /** Size limit of an RPC response, 64 MiB by default. */
  readonly answerBytesMax?: number | undefined
}

export type Follower = {
  status(): FollowerStatus
  /** Whether this process writes the index. The head it knows is then the latest. */
  readonly isWriting: boolean
  /** Finishes the current transaction and releases the lock. */
  stop(): Promise<void>
}

// A waiting replica tries to take over, and reads the head of the index, at the same interval.
const pollMs = 1_000
const timeoutMsDefault = 15_000
// 10,000 logs have about 8 MB. A larger response is requested in parts.
const answerBytesMaxDefault = 64 * 1024 * 1024
// After a failure outside the RPC pool, which has its own backoff, such as a lost database.
const failurePauseMs = 500
// One reorg during a read is normal. Several in a row are reported.
const changesTolerated = 5

type Parts = {
  readonly options: FollowerOptions
  readonly identity: ChainIdentity
  readonly maxReorgDepth: number
  readonly progress: FollowerProgress
  readonly pool: RpcPool
  readonly keepAnchors: () => Promise<void>
  readonly stopped: AbortSignal
  readonly status: () => FollowerStatus
  readonly follower: { isWriting: boolean }
}

/** Starts to index the logs of a chain into a subgraph. It retries after every failure until it is stopped. */
export function startFollower(options: FollowerOptions): Follower {
  const { subgraph, chainId, log, timeoutMs = timeoutMsDefault, answerBytesMax = answerBytesMaxDefault } = options
  const controller = new AbortController()
  const { signal } = controller
  const progress: FollowerProgress = {
    state: 'starting',
    chainHead: undefined,
    eventsIndexed: 0,
    reorgsSeen: 0,
    repairs: 0,
    problem: undefined,
  }
  const endpoints = options.urls.map((url) => createRpcEndpoint({ url, timeoutMs, answerBytesMax, signal }))
  const { identity = createChainIdentity(chainId), maxReorgDepth = maxReorgDepthDefault } = options
  const pool = createRpcPool({ endpoints, chainId, identity, log, retryMs: options.rpcRetryMs })
  const keepAnchors = createAnchorKeeper({ identity, subgraph, maxReorgDepth })
  const status = () => toStatus(progress, { head: subgraph.head, rpcProblem: pool.problem })
  const stop = async () => {
    controller.abort()
    await running
  }
  const follower = { status, isWriting: false, stop }
  const parts = { options, identity, maxReorgDepth, progress, pool, keepAnchors, stopped: signal, status, follower }
  const running = run(parts)
  return follower
}

async function run(parts: Parts): Promise<void> {
  const { stopped, progress, pool } = parts
  const { subgraph, database, name, time } = parts.options
  const observe = createHeadObserver({ pool, progress })
  while (!stopped.aborted) {
    try {
      const lock = await database.tryLock(`follower ${name}`)
      if (lock) {
        await work(parts, lock).finally(() => lock.release())
        continue
      }
      progress.state = 'waiting for lock'
      progress.problem = undefined
      observe()
      await subgraph.readHead()
      await parts.keepAnchors()
    } catch (error) {
      fail(parts, error)
    }
    await pause(pollMs, [stopped], time)
  }
}

/** Follows the chain while the lock is held. After a failure it restarts from the head of the store. */
async function work(parts: Parts, { lost }: Lock): Promise<void> {
  const { follower, progress, stopped } = parts
  const { subgraph, time, auditMs } = parts.options
  const isOver = () => stopped.aborted || lost.aborted
  const health = createIndexHealth(progress, auditMs)
  let context: ChainContext | undefined
  let changes = 0
  let cursor = await readCursor(subgraph)
  // Other processes write before this one has the lock, and after it.
  follower.isWriting = !lost.aborted
  lost.addEventListener('abort', () => (follower.isWriting = false), { once: true })
  while (!isOver()) {
    try {
      await parts.keepAnchors()
      context ??= await openContext(parts, { isOver, health })
      const repaired = await health.repair(context)
      if (repaired) {
        cursor = repaired
        // The mapping may have been opened for contracts that the repaired blocks did not have yet.
        context = undefined
        continue
      }
      if (health.isBlocked) {
        await pause(pollMs, [stopped, lost], time)
        continue
      }
      cursor = await followChain(context, { cursor, progress })
      if (progress.state === 'following' && (await health.audit(context)) === 'outdated') context = undefined
      progress.problem = undefined
      // The first block of a new index is stored before the state is known.
      const isFollowing = progress.state === 'following'
      const isAtHead = cursor && cursor.position.number >= (progress.chainHead?.number ?? 0)
      if (isFollowing && isAtHead) await pause(pollMs, [stopped, lost], time)
      changes = 0
    } catch (error) {
      if (isOver()) return
      const contradiction = findContradiction(error, subgraph)
      if (contradiction) health.doubt(contradiction, { isBlocking: true })
      const isReplaced = error instanceof SubgraphError && error.code === 'index_replaced'
      // The new index may have other contracts.
      if (isReplaced) context = undefined
      const isReorg = error instanceof RpcError && error.kind === 'changed'
      changes = isReplaced || isReorg ? changes + 1 : changesTolerated
      if (changes >= changesTolerated) fail(parts, error)
      await pause(failurePauseMs, [stopped, lost], time)
      cursor = await readCursor(subgraph)
    }
  }
}

async function openContext(
  parts: Parts,
  { isOver, health }: { readonly isOver: () => boolean; readonly health: IndexHealth },
): Promise<ChainContext> {
  const { options, progress, identity, maxReorgDepth, pool } = parts
  const { subgraph, startBlock, log } = options
  const reportProgress = createProgressReport(options)
  const mapping =
    typeof options.mapping === 'function' ? await options.mapping(await toMappingContext(parts)) : options.mapping
  return {
    subgraph,
    mapping,
    addresses: new Set(mapping.addresses.map((address) => address.toLowerCase())),
    topics: mapping.topics,
    startBlock,
    identity,
    maxReorgDepth,
    pool,
    sizer: createRangeSizer(),
    log,
    isOver,
    onStored: (events) => {
      progress.eventsIndexed += events
      reportProgress(parts.status())
    },
    report: health.doubt,
  }
}

async function toMappingContext({ options: { subgraph, log }, pool }: Parts): Promise<MappingContext> {
  const [first, last] = [await subgraph.findFirstBlock(), subgraph.head]
  const blocks = first && last && { from: first.number, to: last.number }
  return { load: subgraph.load, run: pool.run, index: subgraph, blocks, log }
}

/** Returns the contradiction of an event that cannot be applied. One that is malformed is read again, after the head. */
function findContradiction(error: unknown, { head }: Subgraph): Contradiction | undefined {
  if (error instanceof ContradictionError) return error.contradiction
  if (!(error instanceof SubgraphError) || error.code !== 'unmappable_log') return undefined
  return { message: error.message, locate: async () => head && head.number + 1 }
}

async function readCursor(subgraph: Subgraph): Promise<Cursor | undefined> {
  const stored = await subgraph.readHead()
  return stored && { stored, position: stored }
}

function fail({ progress, pool, options: { log, name }, stopped }: Parts, error: unknown): void {
  if (stopped.aborted) return
  const message = error instanceof Error ? error.message : String(error)
  const problem = error instanceof NoRpcError ? (pool.problem ?? message) : message
  if (progress.problem !== problem) log.error({ name, problem, err: error }, 'indexing failed; retrying')
  progress.state = pool.isDisputed ? 'disputed' : 'failing'
  progress.problem = problem
}
