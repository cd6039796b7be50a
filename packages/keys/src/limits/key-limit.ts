import { combineLimits, createWindowLimit, type RateWindow, type SingleLimit } from '@tallystick/base'
import type { Database } from '@tallystick/database'
import type { KeyLimits } from '../api-key.ts'
import { createBurstLimit } from './burst-limit.ts'
import type { LeaseKeeper } from './lease-keeper.ts'
import { createLeasedLimit } from './leased-limit.ts'

/** All limits of a key as one. */
export type KeyLimit = Pick<RateWindow, 'policy' | 'take'>

/** Creates the limit of a key, or undefined if it has none. */
export type CreateLimit = (id: string, limits: KeyLimits) => KeyLimit | undefined

/** Creates limits that only this process counts. */
export const createLocalLimit: CreateLimit = (_id, { rpm }) =>
  rpm === null ? undefined : combineLimits([createWindowLimit(rpm)])

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
