import type { LendScope, MonitorState } from './monitor-state.ts'

/**
 * Returns which lends of a chain are checked: on every pool that the log or the caller names, from the first period on that the
 * log has for any chain. Sets of one chain that were removed from a log do not move it. Undefined if the log has no sets that can
 * be read, or the chain has no known pool.
 */
export function findLendScope(
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
export function includesScope(scope: LendScope | null, { since, pools }: LendScope): boolean {
  return scope !== null && BigInt(scope.since) <= BigInt(since) && pools.every((pool) => scope.pools.includes(pool))
}
