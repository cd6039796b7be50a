/** Where the service says that the notes of a chain are in its public log. `verifyLogged` verifies it. */
export type LogPosition = {
  readonly chainId: number
  readonly origin: string
  /** Index of the entry. */
  readonly index: number
  /** Entries of the log in the checkpoint that includes the entry. */
  readonly size: number
}

/**
 * Parses `x-tallystick-log`, which has one item per chain in ascending order: `<origin>;index=<index>;size=<size>`. Returns
 * undefined without it, and if it does not fit the chains.
 */
export function parseLogPositions(
  header: string | null,
  chainIds: readonly number[],
): readonly LogPosition[] | undefined {
  const items = header?.split(', ') ?? []
  const chains = [...new Set(chainIds)].toSorted((one, other) => one - other)
  if (items.length === 0 || items.length !== chains.length) return undefined
  const positions = chains.flatMap((chainId, at) => {
    const [, origin = '', index, size] = /^(\S+);index=(\d{1,15});size=(\d{1,15})$/.exec(items[at] as string) ?? []
    return origin ? [{ chainId, origin, index: Number(index), size: Number(size) }] : []
  })
  return positions.length === chains.length ? positions : undefined
}
