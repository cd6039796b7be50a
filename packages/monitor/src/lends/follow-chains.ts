import { type BlockHeader, type Lend, NoRpcError, RpcError, readLatest } from '@tallystick/chain'
import { formatPeriod, periodAt } from '@tallystick/core'
import { hasDate } from '../entries/periods.ts'
import { nameSet, type WantedSet } from '../log/read-current-sets.ts'
import type { FollowedChain, MonitorContext } from '../monitor-context.ts'
import { forgetEntries, type LendScope, type MonitorState } from '../monitor-state.ts'
import { followLends } from './follow-lends.ts'

/** The newest block of each chain that could be read. */
export type Heads = ReadonlyMap<number, BlockHeader>

/** Reads the newest block of each chain: before the log, so that the log has the note of every lend up to it. */
export async function readHeads(context: MonitorContext): Promise<Heads> {
  const heads = new Map<number, BlockHeader>()
  const read = async (chainId: number, { rpc }: FollowedChain) => {
    const head = await rpc.run(readLatest)
    if (!hasDate(BigInt(head.timestamp))) throw new RpcError({ kind: 'malformed', message: 'sent an impossible time' })
    heads.set(chainId, head)
  }
  await Promise.all(
    [...context.chains].map(([chainId, chain]) =>
      read(chainId, chain).catch((error: unknown) => warnOfRpc(context, { chainId, error })),
    ),
  )
  return heads
}

/** Returns the sets that lends up to these blocks may need. */
export function setsForLends({ undecided }: MonitorContext, heads: Heads): WantedSet[] {
  const waiting = [...undecided.keys()].map((name) => {
    const [chainId = '', start = ''] = name.split(':')
    return { chainId, atSeconds: BigInt(start) }
  })
  return [
    ...waiting,
    ...[...heads].map(([id, { timestamp }]) => ({ chainId: String(id), atSeconds: BigInt(timestamp) })),
  ]
}

/**
 * Compares the lends of each chain up to its head with the log, which was read after the heads if `isLogRead`. Returns whether
 * lends are left for the next round.
 */
export async function followChains(
  context: MonitorContext,
  { heads, isLogRead }: { readonly heads: Heads; readonly isLogRead: boolean },
): Promise<boolean> {
  let isAnyBehind = false
  for (const [chainId, head] of heads) {
    try {
      const { isBehind, isSettled } = await followOne(context, { chainId, head, isLogRead })
      isAnyBehind ||= isBehind
      if (isSettled && isLogRead) context.totals.successes.set(String(chainId), context.time.now())
      context.warnings.clear(`the RPC of chain ${chainId}`)
    } catch (error) {
      warnOfRpc(context, { chainId, error })
    }
  }
  return isAnyBehind
}

type ChainRound = { readonly chainId: number; readonly head: BlockHeader; readonly isLogRead: boolean }

type ChainProgress = {
  readonly isBehind: boolean
  /** Whether all lends up to the head were judged. */
  readonly isSettled: boolean
}

async function followOne(context: MonitorContext, { chainId, head, isLogRead }: ChainRound): Promise<ChainProgress> {
  const { state, totals, pools, warnings } = context
  const scope = findLendScope(state, { chainId, pools: pools.get(chainId) ?? [] })
  const topic = `the sets of chain ${chainId}`
  if (!scope) {
    const message =
      `The log has no sets of chain ${chainId} that can be read, so its lends are not checked. If the chain has a pool, name ` +
      `it: --pool ${chainId}=<address>.`
    if (isLogRead) warnings.set(topic, message)
    return { isBehind: false, isSettled: false }
  }
  warnings.clear(topic)
  const followed = await followLends(context, { chainId, scope, head, isLogRead })
  const { waiting, waitingCount = 0, isBehind } = followed
  totals.waiting.set(chainId, waitingCount)
  noteWaiting(context, { chainId, waiting })
  return { isBehind, isSettled: !isBehind && waiting === undefined }
}

/** Remembers since when a lend waits for the set of its period, and says so. */
function noteWaiting(
  { undecided, warnings, time }: MonitorContext,
  { chainId, waiting }: { readonly chainId: number; readonly waiting: Lend | undefined },
): void {
  const topic = `the lends of chain ${chainId}`
  const period = waiting && periodAt(BigInt(waiting.timestamp))
  const name = period && nameSet(String(chainId), period)
  for (const known of undecided.keys()) {
    if (known.startsWith(`${chainId}:`) && known !== name) undecided.delete(known)
  }
  if (!name) {
    warnings.clear(topic)
    return
  }
  if (!undecided.has(name)) undecided.set(name, time.monotonic())
  warnings.set(
    topic,
    `Chain ${chainId}: the set for ${formatPeriod(period)} cannot be read yet. The lends since its start, such as ` +
      `transaction ${waiting.transactionHash}, are checked when it can.`,
  )
}

function warnOfRpc(
  { chains, signal, warnings }: MonitorContext,
  { chainId, error }: { readonly chainId: number; readonly error: unknown },
): void {
  if (signal.aborted) return
  if (!(error instanceof RpcError) && !(error instanceof NoRpcError)) throw error
  const problem = (error instanceof NoRpcError && chains.get(chainId)?.rpc.problem) || `The RPC ${error.message}.`
  warnings.set(`the RPC of chain ${chainId}`, `Chain ${chainId}: its lends cannot be checked. ${problem}`)
}

/**
 * Forgets the entries of the log, so that all are read again, if lends need sets that the state does not have: of a chain that is
 * followed for the first time, of an earlier period, or of another pool. Returns whether it did.
 */
export function forgetIfNeeded(context: MonitorContext): boolean {
  const { state, chains, pools, say } = context
  for (const [chainId, chain] of Object.entries(state.chains)) {
    if (!chains.has(Number(chainId))) Object.assign(chain, { sets: {}, cursor: null, scope: null, lendsBefore: null })
  }
  const isNeeded = [...chains.keys()].some((chainId) => {
    const { seen, sets, cursor, scope } = state.chains[chainId] ?? {}
    if (!cursor) return seen !== undefined && seen.length > 0 && Object.keys(sets ?? {}).length === 0
    const wanted = findLendScope(state, { chainId, pools: pools.get(chainId) ?? [] })
    return wanted !== undefined && !includesScope(scope ?? null, wanted)
  })
  if (!isNeeded) return false
  forgetEntries(state)
  // The lines of old periods are not repeated.
  context.hasCaughtUp = false
  say({ event: 'info', message: 'More lends are checked than before: all entries are read again.' })
  return true
}

/**
 * Returns which lends of a chain are checked: on every pool that the log or the caller names, from the first period on that the
 * log has for any chain. Sets of one chain that were removed from a log do not move it. Undefined if the log has no sets that can
 * be read, or the chain has no known pool.
 */
function findLendScope(
  { chains }: MonitorState,
  { chainId, pools }: { readonly chainId: number; readonly pools: readonly string[] },
): LendScope | undefined {
  const [first, ...others] = Object.values(chains).flatMap(({ firstPeriod }) =>
    firstPeriod ? [BigInt(firstPeriod)] : [],
  )
  const logged = chains[chainId]?.pools.map(({ address }) => address) ?? []
  const all = new Set([...logged, ...pools].map((address) => address.toLowerCase()))
  if (first === undefined || all.size === 0) return undefined
  const since = others.reduce((earliest, start) => (start < earliest ? start : earliest), first)
  return { since: since.toString(), pools: [...all] }
}

/** Returns whether a scope has all lends of another one. */
function includesScope(scope: LendScope | null, { since, pools }: LendScope): boolean {
  return scope !== null && BigInt(scope.since) <= BigInt(since) && pools.every((pool) => scope.pools.includes(pool))
}
