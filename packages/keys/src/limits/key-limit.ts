import { combineLimits, createWindowLimit, type RateWindow, type SingleLimit } from '@tallystick/base'
import type { Database } from '@tallystick/database'
import type { KeyLimits } from '../api-key.ts'
import { createBurstLimit } from './burst-limit.ts'
import { hasRoom, type Lease, type LeaseHost, spend } from './lease.ts'
import type { LeaseKeeper } from './lease-keeper.ts'

/** All limits of a key as one. */
export type KeyLimit = Pick<RateWindow, 'policy' | 'take'>

/** Creates the limit of a key, or undefined if it has none. */
export type CreateLimit = (id: string, limits: KeyLimits) => KeyLimit | undefined

/** Creates the function that creates limits which all replicas share. One process alone counts minutes by itself. */
export function createSharedLimits(keeper: LeaseKeeper, { engine }: Pick<Database, 'engine'>): CreateLimit {
  return (id, { rpm, burst, quotaPerDay, quotaPerMonth }) => {
    const leased = (period: 'minute' | 'day' | 'month', limit: number) =>
      createLeasedLimit(keeper.leaseOf(id, period, limit), keeper)
    const limits: SingleLimit[] = []
    if (rpm !== null) limits.push(engine === 'pglite' ? createWindowLimit(rpm) : leased('minute', rpm))
    if (quotaPerDay !== null) limits.push(leased('day', quotaPerDay))
    if (quotaPerMonth !== null) limits.push(leased('month', quotaPerMonth))
    if (burst !== null) limits.push(createBurstLimit(burst))
    const [shown, ...others] = limits
    return shown && combineLimits([shown, ...others])
  }
}

const names = { minute: 'default', day: 'day', month: 'month' } as const
// A month of 31 days: the header has no calendar.
const windowSeconds = { minute: 60, day: 86_400, month: 2_678_400 } as const

/** Creates a limit that all replicas share. `remaining` is what was left of the whole when it was last settled. */
function createLeasedLimit(lease: Lease, host: LeaseHost): SingleLimit {
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
