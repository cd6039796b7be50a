import type { Lock } from '@tallystick/database'
import type { Block } from '../store/block.ts'

export type FollowerState = 'starting' | 'waiting for lock' | 'backfilling' | 'following' | 'failing'

/** What a follower does, as plain data: for metrics and readiness. */
export type FollowerStatus = {
  readonly state: FollowerState
  /** The latest block indexed, by this process or by the one that follows. */
  readonly head: Block | undefined
  /** The chain's latest block, as the RPC says. */
  readonly chainHead: { readonly number: number; readonly timestamp: number } | undefined
  readonly lagBlocks: number | undefined
  /** By the times of the two blocks, not by this machine's clock. */
  readonly lagSeconds: number | undefined
  /** By this process. */
  readonly eventsIndexed: number
  readonly reorgsSeen: number
  /** What is wrong and what to do about it; also there when only one of several URLs fails. */
  readonly problem: string | undefined
}

/** What changes as a follower works. */
export type FollowerProgress = {
  state: FollowerState
  chainHead: Block | undefined
  eventsIndexed: number
  reorgsSeen: number
  problem: string | undefined
  /** Held, and the head read since: nobody else writes. */
  lock: Lock | undefined
}

export function toStatus(
  { state, chainHead, eventsIndexed, reorgsSeen, problem }: FollowerProgress,
  { head, rpcProblem }: { readonly head: Block | undefined; readonly rpcProblem: string | undefined },
): FollowerStatus {
  const isKnown = head !== undefined && chainHead !== undefined
  return {
    state,
    head,
    chainHead: chainHead && { number: chainHead.number, timestamp: chainHead.timestamp },
    lagBlocks: isKnown ? Math.max(0, chainHead.number - head.number) : undefined,
    lagSeconds: isKnown ? Math.max(0, chainHead.timestamp - head.timestamp) : undefined,
    eventsIndexed,
    reorgsSeen,
    problem: problem ?? rpcProblem,
  }
}
