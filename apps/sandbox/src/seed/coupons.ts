import { listPeriods, newYorkDate, periodAt } from '@tallystick/core'
import type { PastPeriod } from '@tallystick/issuer'
import { createRandom } from '@tallystick/workbench/random'

// Rates of US Treasury bills minus 1 %: realistic and slightly inverted.
export const currentCoupons: Readonly<Record<number, number>> = {
  7: 369,
  14: 365,
  30: 362,
  60: 358,
  90: 355,
  180: 350,
  360: 340,
}

/**
 * Returns the coupon of a tenor some days ago, in basis points. Today's is the one the service signs, because two coupons
 * for one period would both be valid on-chain.
 */
export function couponOf({ tenorDays, daysAgo }: { readonly tenorDays: number; readonly daysAgo: number }): number {
  const coupon = currentCoupons[tenorDays] as number
  if (daysAgo === 0) return coupon
  const swing = 14 * Math.sin(daysAgo / 8)
  const noise = 6 * createRandom(daysAgo)() - 3
  return coupon + Math.round(swing + noise)
}

// Enough for a chart. Each week takes 0.2 s to sign.
const pastDays = 14

type PlanPastPeriodsOptions = {
  readonly tenors: readonly number[]
  readonly nowSeconds: bigint
}

/** Plans the periods of the last weeks before the previous one, with the coupons that the seeded positions were lent at. */
export function planPastPeriods({ tenors, nowSeconds }: PlanPastPeriodsOptions): PastPeriod[] {
  const current = periodAt(nowSeconds)
  const previous = periodAt(current.start - 1n)
  // 12 hours after midnight, so that a day of 23 or 25 hours does not matter.
  const first = newYorkDate(current.noteDay + 43_200n - BigInt(pastDays) * 86_400n)
  return listPeriods({ from: first, days: pastDays + 1 })
    .map(({ day, ...period }, index) => ({ period, daysAgo: pastDays - Math.floor(index / 2) }))
    .filter(({ period }) => period.start < previous.start)
    .map(({ period, daysAgo }) => ({
      period,
      points: Object.fromEntries(tenors.map((tenorDays) => [tenorDays, couponOf({ tenorDays, daysAgo })])),
    }))
}
