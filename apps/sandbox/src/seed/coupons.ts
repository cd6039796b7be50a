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
