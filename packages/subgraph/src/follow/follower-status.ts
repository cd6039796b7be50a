import type { Block, Head } from '../store/block.ts'
import type { FollowerLog } from './mapping.ts'

/** `disputed`: every RPC contradicts blocks that count as final, so the index does not follow them. */
type FollowerState = 'starting' | 'waiting for lock' | 'backfilling' | 'following' | 'failing' | 'disputed'

/** Mutable state of a follower. */
export type FollowerProgress = {
  state: FollowerState
  chainHead: Block | undefined
  /** Number of events that this process indexed. */
  eventsIndexed: number
  reorgsSeen: number
  /** Number of times that this process replaced blocks that were read wrongly. */
  repairs: number
  problem: string | undefined
}

/** Status of a follower, for metrics and readiness. */
export type FollowerStatus = Readonly<Omit<FollowerProgress, 'chainHead' | 'problem'>> & {
  /** Head of the index, written by this process or another. */
  readonly head: Block | undefined
  /** Head of the chain, from the RPC. */
  readonly chainHead: { readonly number: number; readonly timestamp: number } | undefined
  /** How far the head of the index is behind the head of the chain. */
  readonly lagBlocks: number | undefined
  /** Difference of the two blocks' timestamps. It does not use the local clock. */
  readonly lagSeconds: number | undefined
  /** What contradicts the index and is not repaired yet. */
  readonly fault: string | undefined
  /** Current problem and its remedy. It is also set if only one of several RPC URLs fails. */
  readonly problem: string | undefined
}

export function toStatus(
  progress: FollowerProgress,
  { head, rpcProblem }: { readonly head: Head | undefined; readonly rpcProblem: string | undefined },
): FollowerStatus {
  const { chainHead, problem } = progress
  const isKnown = head !== undefined && chainHead !== undefined
  return {
    ...progress,
    head,
    chainHead: chainHead && { number: chainHead.number, timestamp: chainHead.timestamp },
    lagBlocks: isKnown ? Math.max(0, chainHead.number - head.number) : undefined,
    lagSeconds: isKnown ? Math.max(0, chainHead.timestamp - head.timestamp) : undefined,
    fault: head?.fault,
    problem: problem ?? head?.fault ?? rpcProblem,
  }
}

const intervalMs = 2_000

/** Creates a function to call after each transaction of a backfill. It logs the progress every 2 s. */
export function createProgressReport(options: {
  readonly name: string
  readonly startBlock: number
  readonly log: FollowerLog
}): (status: FollowerStatus) => void {
  const { name, startBlock, log } = options
  let last = { atMs: performance.now(), events: 0 }
  return ({ state, head, chainHead, lagBlocks, lagSeconds, eventsIndexed }) => {
    const elapsedMs = performance.now() - last.atMs
    if (state !== 'backfilling' || !head || !chainHead || elapsedMs < intervalMs) return
    const span = Math.max(1, chainHead.number - startBlock)
    const percent = Math.floor((100 * (head.number - startBlock)) / span)
    const eventsPerSecond = Math.round(((eventsIndexed - last.events) * 1_000) / elapsedMs)
    last = { atMs: performance.now(), events: eventsIndexed }
    const details = { name, block: head.number, percent, eventsPerSecond, lagBlocks, lagSeconds }
    log.info(details, `backfilling: ${percent} %, ${eventsPerSecond} events/s`)
  }
}
