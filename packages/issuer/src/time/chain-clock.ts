import type { Time } from '@tallystick/base'
import { isInstant, type ReferenceClock } from './reference-clock.ts'

// Block producers' clocks may be slightly ahead.
export const chainAheadToleranceSeconds = 60n
// Chains without traffic produce blocks late, and nodes lag, but neither by 15 minutes.
export const chainBehindToleranceSeconds = 900n

const aheadMs = Number(chainAheadToleranceSeconds) * 1000
const behindMs = Number(chainBehindToleranceSeconds) * 1000

type ChainClockOptions = {
  readonly chainId: number
  /** Reads the newest block's time, Unix seconds. Resolves to undefined if no RPC answers. */
  readonly read: () => Promise<bigint | undefined>
  readonly time: Pick<Time, 'monotonic'>
}

/**
 * Creates a clock that estimates a chain's time. The earliest estimate is the time of the newest block, less the tolerance
 * for block producers' clocks. The latest is that time, plus the time since the block was first seen, plus the longest
 * interval between blocks.
 */
export function createChainClock({ chainId, read, time }: ChainClockOptions): ReferenceClock {
  let newest: { readonly blockMs: number; readonly firstSeenMs: number; readonly lastSeenMs: number } | undefined
  return {
    name: `chain ${chainId}`,
    estimate: () => {
      if (!newest) return undefined
      const { blockMs, firstSeenMs, lastSeenMs } = newest
      const nowMs = time.monotonic()
      // The lower bound stays while the RPC returns the same block, and advances when the RPC stops answering.
      return {
        earliestMs: blockMs - aheadMs + (nowMs - lastSeenMs),
        latestMs: blockMs + behindMs + (nowMs - firstSeenMs),
      }
    },
    measure: async () => {
      const blockSeconds = await read().catch(() => undefined)
      const blockMs = Number(blockSeconds ?? -1n) * 1000
      if (!isInstant(blockMs)) return
      const nowMs = time.monotonic()
      newest = { blockMs, firstSeenMs: newest?.blockMs === blockMs ? newest.firstSeenMs : nowMs, lastSeenMs: nowMs }
    },
  }
}
