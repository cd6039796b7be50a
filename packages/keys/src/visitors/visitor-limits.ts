import { createRateWindow, type Time } from '@tallystick/base'
import type { CreateLimit, KeyLimit } from '../limits/key-limit.ts'

/** Returns the limit of an address, which all replicas share. `name` stands for the address. */
export type VisitorLimits = (name: string) => KeyLimit

// A row of the database each, for a minute.
const sharedMax = 10_000
// Later than the end of the last window in which the address can have sent a request.
const idleMs = 120_000

type LimitsOptions = {
  readonly requestsPerMinute: number
  readonly createLimit: CreateLimit
  /** Forgets the limit that was created for an id. */
  readonly forgetLimit: (id: string) => void
  readonly time: Pick<Time, 'monotonic'>
}

/**
 * Creates the limits of addresses. All replicas share those of up to 10,000 addresses in two minutes. Beyond that, which is an
 * attack from many networks, this replica counts the new ones together.
 */
export function createVisitorLimits({
  requestsPerMinute: rpm,
  createLimit,
  forgetLimit,
  time,
}: LimitsOptions): VisitorLimits {
  /** In the order of their last use. */
  const shared = new Map<string, { readonly limit: KeyLimit; usedAtMs: number }>()
  const others = createRateWindow(Math.min(1_000_000, rpm * 10))
  const limits = { rpm, burst: null, quotaPerDay: null, quotaPerMonth: null, allow: null }
  const forgetIdle = (nowMs: number) => {
    for (const [id, { usedAtMs }] of shared) {
      if (nowMs - usedAtMs < idleMs) return
      shared.delete(id)
      forgetLimit(id)
    }
  }
  return (name) => {
    const nowMs = time.monotonic()
    forgetIdle(nowMs)
    const id = `visitor ${name}`
    const known = shared.get(id)
    if (!known && shared.size >= sharedMax) return others
    const limit = known?.limit ?? (createLimit(id, limits) as KeyLimit)
    shared.delete(id)
    shared.set(id, { limit, usedAtMs: nowMs })
    return limit
  }
}
