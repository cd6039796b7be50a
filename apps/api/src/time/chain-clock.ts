import { chainAheadToleranceSeconds, chainBehindToleranceSeconds } from '../notes/issue/rails.ts'
import { isInstant, type ReferenceClock } from './reference-clock.ts'

const aheadMs = Number(chainAheadToleranceSeconds) * 1000
const behindMs = Number(chainBehindToleranceSeconds) * 1000

/**
 * Creates the estimate of a chain's clock. A block is never of the future, but for a small tolerance, and a chain may be
 * silent for a while. So the time is between that of the newest block and what has passed since it was first seen, plus
 * the longest silence.
 */
export function createChainClock({
  chainId,
  read,
  monotonicNow,
}: {
  readonly chainId: number
  /** Reads the newest block's time, Unix seconds; undefined if no RPC answers. */
  readonly read: () => Promise<bigint | undefined>
  readonly monotonicNow: () => number
}): ReferenceClock {
  let newest: { readonly blockMs: number; readonly firstSeenMs: number; readonly lastSeenMs: number } | undefined
  return {
    name: `chain ${chainId}`,
    estimate: () => {
      if (!newest) return undefined
      const { blockMs, firstSeenMs, lastSeenMs } = newest
      const nowMs = monotonicNow()
      // While the RPC answers with the same block, that block is all the chain says. Once it is silent, time goes on.
      return {
        earliestMs: blockMs - aheadMs + (nowMs - lastSeenMs),
        latestMs: blockMs + behindMs + (nowMs - firstSeenMs),
      }
    },
    measure: async () => {
      const blockSeconds = await read().catch(() => undefined)
      const blockMs = Number(blockSeconds ?? -1n) * 1000
      if (!isInstant(blockMs)) return
      const nowMs = monotonicNow()
      newest = { blockMs, firstSeenMs: newest?.blockMs === blockMs ? newest.firstSeenMs : nowMs, lastSeenMs: nowMs }
    },
  }
}
