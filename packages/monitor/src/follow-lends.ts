import {
  type BlockHeader,
  findBlockAt,
  type Lend,
  type LendsRead,
  type RangeSizer,
  RpcError,
  type RpcPool,
  readLends,
} from '@tallystick/chain'
import { periodAt } from '@tallystick/core'
import { checkLend } from './check-lend.ts'
import type { Finding } from './finding.ts'
import type { ChainState, LendScope, LoggedSet } from './monitor-state.ts'

export type LendFollowContext = {
  readonly chainId: number
  readonly rpc: RpcPool
  readonly sizer: RangeSizer
  readonly chain: ChainState
  readonly scope: LendScope
  /** Returns a set that was read before the entries in front of it. */
  readonly findEarlySet: (periodStart: bigint) => LoggedSet | undefined
  /** Whether the log may have a set for a period that cannot be read yet. */
  readonly isSetPending: (periodStart: bigint) => boolean
  readonly report: (finding: Finding) => void
  readonly onRange: (progress: { readonly block: number; readonly newLends: number }) => Promise<void>
  readonly isOver: () => boolean
  /** Whether to leave the rest for the next time. New blocks are read in any case, so that it always gets further. */
  readonly isLate: () => boolean
}

// Newer blocks are read again each time, because a reorganization may replace them, and a node behind a load balancer may
// lack their logs.
const rescannedBlocks = 128
// Sets of blocks that are read again are kept. Blocks may be rare.
const keptSeconds = 2 * 86_400
// Reorganizations in a row during one read.
const changesMax = 2

/** How far the lends were compared. */
export type LendsFollowed = {
  /** The first lend that cannot be judged yet. Lends from its block on are read again the next time. */
  readonly waiting?: Lend | undefined
  /** Number of lends that were read and cannot be judged yet. */
  readonly waitingCount?: number | undefined
  /** Whether lends up to the head are left for the next time. */
  readonly isBehind: boolean
}

/** Compares lends up to a block with the sets of the log. The block must have been read before the log. */
export async function followLends(context: LendFollowContext, head: BlockHeader): Promise<LendsFollowed> {
  const { chain, scope, onRange, isOver, isLate } = context
  if (!chain.cursor) {
    const start = await findStart(context, { head, atSeconds: Number(scope.since) })
    chain.lendsBefore = await countLends(context, start.block)
    chain.scope = scope
    chain.cursor = start
  }
  const checkedBefore = chain.cursor.block
  let from = Math.max(0, Math.min(chain.cursor.block, head.number) + 1 - rescannedBlocks)
  while (from <= head.number && !isOver() && !(isLate() && chain.cursor.block > checkedBefore)) {
    const { to, read } = await readRange(context, { from, head: head.number })
    const { undecided, waitingCount, newLends } = checkLends(context, read.lends)
    const end = undecided ? undecided.block - 1 : to
    if (end > chain.cursor.block) chain.cursor = { block: end, timestamp: undecided?.timestamp ?? read.endTimestamp }
    dropSettledSets(chain)
    await onRange({ block: end, newLends })
    if (undecided) return { waiting: undecided, waitingCount, isBehind: false }
    from = to + 1
  }
  return { isBehind: from <= head.number }
}

/** Returns the block before the first one of the first period in the log. */
async function findStart(
  { rpc }: LendFollowContext,
  { head, atSeconds }: { readonly head: BlockHeader; readonly atSeconds: number },
) {
  const first = await rpc.run((endpoint) => findBlockAt(endpoint, { timestamp: atSeconds, head: head.number }))
  return { block: first - 1, timestamp: atSeconds }
}

// A pool without a lend in so many ranges is not searched any further.
const countReadsMax = 20

/**
 * Returns the number of lends up to a block: the token id of the last one, because they count up from 1. Null if the last one is
 * far before the block. The first lend after the block then tells it.
 */
async function countLends(context: LendFollowContext, end: number): Promise<string | null> {
  let to = end
  for (let reads = 0; reads < countReadsMax; reads++) {
    if (to < 0) return '0'
    const from = Math.max(0, to + 1 - context.sizer.size)
    const range = await readRange(context, { from, head: to })
    // The server accepts smaller ranges only, which begin later.
    if (range.to < to) continue
    const last = range.read.lends.at(-1)
    if (last) return last.tokenId.toString()
    to = from - 1
  }
  return null
}

/** Reads lends in ranges that the server accepts. */
async function readRange(
  { rpc, sizer, scope: { pools }, isOver }: LendFollowContext,
  { from, head }: { readonly from: number; readonly head: number },
): Promise<{ readonly to: number; readonly read: LendsRead }> {
  for (let changes = 0; ; ) {
    const to = Math.min(head, from + sizer.size - 1)
    try {
      const read = await rpc.run((endpoint) => readLends(endpoint, { pools, from, to }))
      sizer.succeeded(read.lends.length)
      return { to, read }
    } catch (error) {
      if (!(error instanceof RpcError) || isOver()) throw error
      if (error.kind === 'refused' && from < to) sizer.refused(to - from + 1)
      else if (error.kind !== 'changed' || ++changes > changesMax) throw error
    }
  }
}

function checkLends(context: LendFollowContext, lends: readonly Lend[]) {
  const { chain, chainId, scope, findEarlySet, isSetPending, report } = context
  const { block: checkedTo = -1, timestamp: checkedAt = 0 } = chain.cursor ?? {}
  let newLends = 0
  for (const [at, lend] of lends.entries()) {
    const { block, timestamp, tokenId } = lend
    // Lends that were checked long ago. Their sets are no longer kept.
    if (block <= checkedTo && timestamp <= checkedAt - keptSeconds) continue
    if (block <= checkedTo && timestamp < Number(scope.since)) continue
    chain.lendsBefore ??= (tokenId > 0n ? tokenId - 1n : 0n).toString()
    const { start } = periodAt(BigInt(timestamp))
    const early = findEarlySet(start)
    const sets = [...(chain.sets[start.toString()] ?? []), ...(early ? [early] : [])]
    const result = checkLend(lend, {
      chainId,
      sets,
      isSetPending: isSetPending(start),
      firstPeriod: chain.firstPeriod,
    })
    if (result === 'undecided') return { undecided: lend, waitingCount: lends.length - at, newLends }
    if (result) report(result)
    if (block > checkedTo) newLends += 1
  }
  return { undecided: undefined, newLends }
}

function dropSettledSets(chain: ChainState): void {
  const horizon = (chain.cursor?.timestamp ?? 0) - keptSeconds
  for (const start of Object.keys(chain.sets)) {
    if (Number(periodAt(BigInt(start)).end) <= horizon) delete chain.sets[start]
  }
}
