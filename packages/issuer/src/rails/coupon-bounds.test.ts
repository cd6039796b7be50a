import { expect, test } from 'vitest'
import type { MoveWindow } from '../curve/move-windows.ts'
import { listCouponBounds } from './coupon-bounds.ts'
import { findCouponRefusal, findMoveRefusal } from './coupon-rails.ts'

const chain = { id: 324, maxCouponBps: 500, minMaturitySeconds: 0 }
const previous = { notes: [{ tenorDays: 7, coupon: 300n }] } as never
const window = (rail: string, maxMoveBps: number, lowestBps: number, highestBps: number): MoveWindow => ({
  name: 'a window',
  rail,
  maxMoveBps,
  coupons: new Map([[7, { lowestBps, highestBps }]]),
})
const windows = [window('rails.maxMoveBpsPerDay', 150, 260, 340), window('rails.maxMoveBpsPerWeek', 250, 100, 340)]

test('default: lists the range of every rail that applies to the tenor', () => {
  expect(listCouponBounds({ chain, previous, maxMoveBps: 100, windows }, 7)).toEqual([
    { rail: 'maxCouponBps of chain 324', lowestBps: 1, highestBps: 500, canConfirm: false },
    { rail: 'rails.maxMoveBps', lowestBps: 200, highestBps: 400, canConfirm: true },
    { rail: 'rails.maxMoveBpsPerDay', lowestBps: 190, highestBps: 410, canConfirm: true },
    { rail: 'rails.maxMoveBpsPerWeek', lowestBps: 90, highestBps: 350, canConfirm: true },
  ])
  expect(listCouponBounds({ chain, previous, maxMoveBps: 100, windows }, 14)).toHaveLength(1)
  expect(listCouponBounds({ chain, previous: undefined, windows: [], maxMoveBps: 100 }, 7)).toHaveLength(1)
})

test('behavior: a coupon is inside every range exactly if the rails accept it', () => {
  const input = { chain, previous, maxMoveBps: 100, windows, curveTenors: [7] }
  const bounds = listCouponBounds(input, 7)
  for (let bps = 0; bps <= 600; bps++) {
    const curve = { points: { 7: bps }, confirmed: false, chainId: null }
    const isInside = (canConfirm: boolean) =>
      bounds
        .filter((bound) => bound.canConfirm === canConfirm)
        .every(({ lowestBps, highestBps }) => bps >= lowestBps && bps <= highestBps)
    expect([bps, findCouponRefusal(input, { curve, tenors: [7] }) === undefined]).toEqual([bps, isInside(false)])
    if (bps > 0)
      expect([bps, findMoveRefusal(input, { curve, tenors: [7] }) === undefined]).toEqual([bps, isInside(true)])
  }
})
