import { formatPolicy, type LimitPart, type RateWindow } from '@tallystick/base'
import type { KeyLimits } from '../api-key.ts'

/** All limits of a key as one. */
export type KeyLimit = Pick<RateWindow, 'policy' | 'take'>

/** Creates the limit of a key, or undefined if it has none. */
export type CreateLimit = (id: string, limits: KeyLimits) => KeyLimit | undefined

/**
 * Combines the limits of a key, the one that headers show first. A request that one of them rejects is counted by none.
 * The returned state is valid until the next call, so that a request allocates nothing.
 */
export function createKeyLimit(parts: readonly [LimitPart, ...LimitPart[]]): KeyLimit {
  const [shown] = parts
  const state = { allowed: true, remaining: 0, resetSeconds: 0, part: shown }
  const report = (part: LimitPart, allowed: boolean, monotonicMs: number) => {
    state.allowed = allowed
    state.part = part
    state.remaining = allowed ? part.remaining() : 0
    state.resetSeconds = allowed ? part.resetSeconds(monotonicMs) : part.retrySeconds(monotonicMs)
    return state
  }
  return {
    policy: parts.map(formatPolicy).join(', '),
    take: (monotonicMs) => {
      for (const part of parts) if (!part.hasRoom(monotonicMs)) return report(part, false, monotonicMs)
      for (const part of parts) part.spend(monotonicMs)
      return report(shown, true, monotonicMs)
    },
  }
}
