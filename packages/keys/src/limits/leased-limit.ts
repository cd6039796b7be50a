import type { SingleLimit } from '@tallystick/base'
import { hasRoom, type Lease, type LeaseHost, spend } from './lease.ts'

const names = { minute: 'default', day: 'day', month: 'month' } as const
// A month of 31 days: the header has no calendar.
const windowSeconds = { minute: 60, day: 86_400, month: 2_678_400 } as const

/** Creates a limit that all replicas share. `remaining` is what was left of the whole when it was last settled. */
export function createLeasedLimit(lease: Lease, host: LeaseHost): SingleLimit {
  return {
    name: names[lease.period],
    limit: lease.limit,
    windowSeconds: windowSeconds[lease.period],
    hasRoom: (monotonicMs) => hasRoom(lease, host, monotonicMs),
    spend: () => spend(lease, host),
    remaining: () => Math.max(0, lease.room - lease.spent),
    resetSeconds: (monotonicMs) => secondsLeft(lease, monotonicMs),
    // More has been requested and may arrive with the next statement.
    retrySeconds: (monotonicMs) =>
      lease.isExhausted || lease.spent >= lease.limit ? secondsLeft(lease, monotonicMs) : 1,
  }
}

function secondsLeft({ endsAtMs }: Lease, monotonicMs: number): number {
  return Math.max(1, Math.ceil((endsAtMs - monotonicMs) / 1000))
}
