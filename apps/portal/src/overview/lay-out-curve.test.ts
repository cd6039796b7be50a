import { expect, test } from 'vitest'
import type { Offer } from '../data/offers.ts'
import { layOutCurve } from './lay-out-curve.ts'

const size = { width: 700, height: 280 }

function offer(tenorDays: number, coupon: bigint, lastCoupon?: bigint): Offer {
  return { coupon, tenorDays, lastCoupon, move: undefined, marketRate: undefined } as unknown as Offer
}

test('default: all points are inside the plot, in order of tenor, and a higher coupon is higher up', () => {
  const {
    points,
    lastPoints,
    rateTicks: ticks,
    plot,
  } = layOutCurve([offer(7, 369n, 372n), offer(30, 362n), offer(360, 340n)], size)
  const xs = points.map(({ x }) => x)
  expect(xs).toEqual(xs.toSorted((a, b) => a - b))
  expect(points[0]!.y).toBeLessThan(points[2]!.y)
  for (const { x, y } of [...points, ...lastPoints]) {
    expect(x >= plot.left && x <= plot.right && y >= plot.top && y <= plot.bottom).toBe(true)
  }
  expect(lastPoints).toHaveLength(1)
  expect(ticks.length).toBeGreaterThan(2)
  expect(ticks.length).toBeLessThan(8)
})

test.each([
  ['one note', [offer(30, 362n)]],
  ['a flat curve', [offer(7, 0n), offer(14, 0n)]],
  ['far apart', [offer(1, 1n), offer(3650, 10_000n)]],
])('behavior: %s has a finite scale', (_, offers) => {
  const { points, rateTicks: ticks } = layOutCurve(offers, size)
  for (const { x, y } of points) expect(Number.isFinite(x) && Number.isFinite(y)).toBe(true)
  expect(new Set(ticks.map(({ label }) => label)).size).toBe(ticks.length)
})
