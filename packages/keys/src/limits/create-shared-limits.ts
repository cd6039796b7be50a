import { combineLimits, createWindowPart, type LimitPart } from '@tallystick/base'
import type { Database } from '@tallystick/database'
import { createBurstPart } from './burst-part.ts'
import type { CreateLimit } from './key-limit.ts'
import type { LeaseKeeper } from './lease-keeper.ts'
import { createLeasedPart } from './leased-part.ts'

/** Creates the function that creates limits which all replicas share. One process alone counts minutes by itself. */
export function createSharedLimits(keeper: LeaseKeeper, { engine }: Pick<Database, 'engine'>): CreateLimit {
  return (id, { rpm, burst, quotaPerDay, quotaPerMonth }) => {
    const leased = (period: 'minute' | 'day' | 'month', limit: number) =>
      createLeasedPart(keeper.leaseOf(id, period, limit), keeper)
    const parts: LimitPart[] = []
    if (rpm !== null) parts.push(engine === 'pglite' ? createWindowPart(rpm) : leased('minute', rpm))
    if (quotaPerDay !== null) parts.push(leased('day', quotaPerDay))
    if (quotaPerMonth !== null) parts.push(leased('month', quotaPerMonth))
    if (burst !== null) parts.push(createBurstPart(burst))
    const [shown, ...others] = parts
    return shown && combineLimits([shown, ...others])
  }
}
