import type { Time } from '@tallystick/base'
import type { Head } from '../chain-subgraph.ts'

/** Lag of the two sources of a chain, by the heads that were last seen. */
export type SourceLag = {
  /** Records a head of a source. An undefined head says nothing. */
  observe(source: 'preferred' | 'fallback', head: Head | undefined): void
  /** Returns whether a head is more than `maxLagSeconds` behind the clock. */
  isTooOld(head: Head | undefined): boolean
  /** Returns whether the preferred source was last seen too far behind the clock. The fallback may be so, too. */
  isPreferredOld(): boolean
  /**
   * Returns whether the preferred source is too far behind the fallback, or behind the clock while the head of the fallback
   * is not known. It is so from more than `maxLagSeconds` on, until at most half of them.
   */
  isPreferredBehind(): boolean
  /** Returns whether the fallback is known to have no newer block than the preferred source. */
  isFallbackBehind(): boolean
}

// A source that is not queried may have caught up meanwhile. As for the URLs of a remote subgraph.
const recentMs = 30_000

/**
 * Creates the lag of two sources. The lag counts against the other source, so that a chain without new blocks does not
 * change the source. The two limits prevent that the source alternates while the lag is near one limit.
 */
export function createSourceLag(time: Pick<Time, 'now' | 'monotonic'>, maxLagSeconds: number): SourceLag {
  const seen = new Map<'preferred' | 'fallback', { readonly head: Head; readonly atMs: number }>()
  let isBehind = false
  const recent = (source: 'preferred' | 'fallback') => {
    const found = seen.get(source)
    return found && time.monotonic() - found.atMs < recentMs ? found.head : undefined
  }
  const isTooOld: SourceLag['isTooOld'] = (head) =>
    head?.timestamp !== undefined && time.now() / 1000 - head.timestamp > maxLagSeconds
  return {
    observe: (source, head) => {
      if (head) seen.set(source, { head, atMs: time.monotonic() })
    },
    isTooOld,
    isPreferredOld: () => isTooOld(recent('preferred')),
    isPreferredBehind: () => {
      const { timestamp } = recent('preferred') ?? {}
      const reference = recent('fallback')?.timestamp ?? time.now() / 1000
      const limitSeconds = isBehind ? maxLagSeconds / 2 : maxLagSeconds
      isBehind = timestamp !== undefined && reference - timestamp > limitSeconds
      return isBehind
    },
    isFallbackBehind: () => {
      const preferred = recent('preferred')
      const fallback = recent('fallback')
      return preferred !== undefined && fallback !== undefined && fallback.number <= preferred.number
    },
  }
}
