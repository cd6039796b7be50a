import { createRandom } from './random.ts'

// What US Treasury bills paid in a calm autumn, less a point for the protocol: believable, and gently inverted.
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
 * The coupon of a tenor some days ago, in basis points. Today's is the one the service signs: two different coupons for
 * one window would both be good on-chain.
 */
export function couponOf({ tenorDays, daysAgo }: { readonly tenorDays: number; readonly daysAgo: number }): number {
  const coupon = currentCoupons[tenorDays] as number
  if (daysAgo === 0) return coupon
  const swing = 14 * Math.sin(daysAgo / 8)
  const noise = 6 * createRandom(daysAgo)() - 3
  return coupon + Math.round(swing + noise)
}
