import type { CouponBound } from '@tallystick/core'
import type { MoveInput, RailInput } from './rail-input.ts'

/** Returns the range that each coupon rail allows for a tenor: those that `findCouponRefusal` and `findMoveRefusal` apply. */
export function listCouponBounds(
  { chain, previous, maxMoveBps, windows }: MoveInput & Pick<RailInput, 'chain'>,
  tenorDays: number,
): CouponBound[] {
  const before = previous?.notes.find((note) => note.tenorDays === tenorDays)
  const moves = [
    ...(before ? [{ rail: 'rails.maxMoveBps', lowest: before.coupon, highest: before.coupon, maxMoveBps }] : []),
    ...windows.flatMap(({ rail, coupons, maxMoveBps }) => {
      const found = coupons.get(tenorDays)
      return found ? [{ rail, lowest: found.lowestBps, highest: found.highestBps, maxMoveBps }] : []
    }),
  ]
  return [
    { rail: `maxCouponBps of chain ${chain.id}`, lowestBps: 1, highestBps: chain.maxCouponBps, canConfirm: false },
    ...moves.map(({ rail, lowest, highest, maxMoveBps }) => ({
      rail,
      // No further from the highest coupon, and no further from the lowest.
      lowestBps: Math.max(1, Number(highest) - maxMoveBps),
      highestBps: Number(lowest) + maxMoveBps,
      canConfirm: true,
    })),
  ]
}
