import { type BlockHeader, findBlockAt, type Lend, type LendsRead, RpcError, readLends } from '@tallystick/chain'
import { periodAt } from '@tallystick/core'
import { isOverdue } from '../log/follow-log.ts'
import { nameSet } from '../log/read-current-sets.ts'
import { type FollowedChain, type MonitorContext, saveSometimes, sayProgress } from '../monitor-context.ts'
import { type ChainState, chainOf, type LendScope } from '../monitor-state.ts'
import { checkLend } from './check-lend.ts'

export type LendsRound = {
  readonly chainId: number
  readonly scope: LendScope
  /** Lends up to this block are compared. */
  readonly head: BlockHeader
  /** Whether the log was read after the head. */
  readonly isLogRead: boolean
}

// Newer blocks are read again each time, because a reorganization may replace them, and a node behind a load balancer may
// lack their logs.
const rescannedBlocks = 128
// Sets of blocks that are read again are kept. Blocks may be rare.
const keptSeconds = 2 * 86_400
// Reorganizations in a row during one read.
const changesMax = 2
// The log is read again after this time, however long a chain is. New blocks are read in any case.
const chainMsMax = 30_000
// A chain's clock, or the service's, may be this much ahead.
const undecidedMsMax = 30_000

/** How far the lends were compared. */
export type LendsFollowed = {
  /** The first lend that cannot be judged yet. Lends from its block on are read again the next time. */
  readonly waiting?: Lend | undefined
  /** Number of lends that were read and cannot be judged yet. */
  readonly waitingCount?: number | undefined
  /** Whether lends up to the head are left for the next time. */
  readonly isBehind: boolean
}

/** Compares the lends of a chain with the sets of the log. */
export async function followLends(context: MonitorContext, round: LendsRound): Promise<LendsFollowed> {
  const { chainId, scope, head } = round
  const { state, signal, totals, time } = context
  const endsAt = time.monotonic() + chainMsMax
  const { rpc, sizer } = context.chains.get(chainId) as FollowedChain
  const chain = chainOf(state, String(chainId))
  const ranges = { rpc, sizer, pools: scope.pools, signal }
  chain.cursor ??= await findStart(ranges, { chain, scope, head })
  const checkedBefore = chain.cursor.block
  const isLate = () => time.monotonic() > endsAt && (chain.cursor?.block ?? 0) > checkedBefore
  let from = Math.max(0, Math.min(chain.cursor.block, head.number) + 1 - rescannedBlocks)
  while (from <= head.number && !signal.aborted && !isLate()) {
    const { to, read } = await readRange(ranges, { from, head: head.number })
    const { undecided, waitingCount, newLends } = checkLends(context, { round, chain, lends: read.lends })
    const block = undecided ? undecided.block - 1 : to
    if (block > chain.cursor.block) chain.cursor = { block, timestamp: undecided?.timestamp ?? read.endTimestamp }
    dropSettledSets(chain)
    totals.lends.set(chainId, (totals.lends.get(chainId) ?? 0) + newLends)
    sayProgress(context, () => `Chain ${chainId}: lends up to block ${block} of ${head.number} checked.`)
    await saveSometimes(context)
    if (undecided) return { waiting: undecided, waitingCount, isBehind: false }
    from = to + 1
  }
  return { isBehind: from <= head.number }
}

type Ranges = FollowedChain & { readonly pools: readonly string[]; readonly signal: AbortSignal }

/** Begins a scope: counts the lends before it, and returns the block before the first one of its first period. */
async function findStart(
  ranges: Ranges,
  { chain, scope, head }: { readonly chain: ChainState; readonly scope: LendScope; readonly head: BlockHeader },
) {
  const timestamp = Number(scope.since)
  const first = await ranges.rpc.run((endpoint) => findBlockAt(endpoint, { timestamp, head: head.number }))
  chain.lendsBefore = await countLends(ranges, first - 1)
  chain.scope = scope
  return { block: first - 1, timestamp }
}

// A pool without a lend in so many ranges is not searched any further.
const countReadsMax = 20

/**
 * Returns the number of lends up to a block: the token id of the last one, because they count up from 1. Null if the last one is
 * far before the block. The first lend after the block then tells it.
 */
async function countLends(ranges: Ranges, end: number): Promise<string | null> {
  let to = end
  for (let reads = 0; reads < countReadsMax; reads++) {
    if (to < 0) return '0'
    const from = Math.max(0, to + 1 - ranges.sizer.size)
    const range = await readRange(ranges, { from, head: to })
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
  { rpc, sizer, pools, signal }: Ranges,
  { from, head }: { readonly from: number; readonly head: number },
): Promise<{ readonly to: number; readonly read: LendsRead }> {
  for (let changes = 0; ; ) {
    const to = Math.min(head, from + sizer.size - 1)
    try {
      const read = await rpc.run((endpoint) => readLends(endpoint, { pools, from, to }))
      sizer.succeeded(read.lends.length)
      return { to, read }
    } catch (error) {
      if (!(error instanceof RpcError) || signal.aborted) throw error
      if (error.kind === 'refused' && from < to) sizer.refused(to - from + 1)
      else if (error.kind !== 'changed' || ++changes > changesMax) throw error
    }
  }
}

function checkLends(
  context: MonitorContext,
  { round, chain, lends }: { readonly round: LendsRound; readonly chain: ChainState; readonly lends: readonly Lend[] },
) {
  const { chainId, scope } = round
  const { block: checkedTo = -1, timestamp: checkedAt = 0 } = chain.cursor ?? {}
  let newLends = 0
  for (const [at, lend] of lends.entries()) {
    const { block, timestamp, tokenId } = lend
    // Lends that were checked long ago. Their sets are no longer kept.
    if (block <= checkedTo && timestamp <= checkedAt - keptSeconds) continue
    if (block <= checkedTo && timestamp < Number(scope.since)) continue
    chain.lendsBefore ??= (tokenId > 0n ? tokenId - 1n : 0n).toString()
    const { start } = periodAt(BigInt(timestamp))
    const early = context.early.get(nameSet(String(chainId), { start }))
    const sets = [...(chain.sets[start.toString()] ?? []), ...(early ? [early] : [])]
    const isSetPending = isPending(context, { round, start })
    const result = checkLend(lend, { chainId, sets, isSetPending, firstPeriod: chain.firstPeriod })
    if (result === 'undecided') return { undecided: lend, waitingCount: lends.length - at, newLends }
    if (result) context.report(result)
    if (block > checkedTo) newLends += 1
  }
  return { undecided: undefined, newLends }
}

/** Whether the log may have a set that the monitor has not read. If the service says that it has none, that is believed soon. */
function isPending(
  context: MonitorContext,
  { round, start }: { readonly round: LendsRound; readonly start: bigint },
): boolean {
  const { state, tree, early, undecided, stoppedBy, time } = context
  if (!round.isLogRead || stoppedBy === 'unknown') return true
  if (state.checked >= (tree?.size ?? 0) || isOverdue(context)) return false
  const name = nameSet(String(round.chainId), { start })
  const isPast = periodAt(start).end <= BigInt(round.head.timestamp)
  const since = undecided.get(name) ?? time.monotonic()
  return early.get(name) !== null || (!isPast && time.monotonic() - since < undecidedMsMax)
}

function dropSettledSets(chain: ChainState): void {
  const horizon = (chain.cursor?.timestamp ?? 0) - keptSeconds
  for (const start of Object.keys(chain.sets)) {
    if (Number(periodAt(BigInt(start)).end) <= horizon) delete chain.sets[start]
  }
}
