import { listPeriods, periodAt } from '@tallystick/core'
import { describe, expect, test } from 'vitest'
import { couponOf, currentCoupons, planPastPeriods } from './coupons.ts'

const tenors = Object.keys(currentCoupons).map(Number)
const secondsOf = (instant: string) => BigInt(Date.parse(instant) / 1000)

describe.each([
  ['in a day period', '2026-11-15T17:59:59-05:00', '2026-11-14T18:00:00-05:00', '2026-11-01'],
  ['in an evening', '2026-11-15T18:00:00-05:00', '2026-11-15T00:00:00-05:00', '2026-11-01'],
  ['on the day clocks go back', '2026-11-01T12:00:00-05:00', '2026-10-31T18:00:00-04:00', '2026-10-18'],
  ['on the day clocks go forward', '2026-03-08T12:00:00-04:00', '2026-03-07T18:00:00-05:00', '2026-02-22'],
  ['a week after clocks went forward', '2027-03-21T00:00:00-04:00', '2027-03-20T18:00:00-04:00', '2027-03-07'],
])('behavior: %s', (_, now, previous, first) => {
  const past = planPastPeriods({ tenors, nowSeconds: secondsOf(now) })

  test('the periods of 14 days end where the previous one begins, without a gap', () => {
    const { start } = periodAt(secondsOf(previous))
    const expected = listPeriods({ from: first, days: 15 }).filter((period) => period.start < start)
    expect(past.map(({ period }) => period)).toEqual(expected.map(({ day, ...period }) => period))
    expect(past.at(-1)?.period.end).toBe(start)
  })

  test('the coupons are those of the seeded history, and move a little', () => {
    expect(past[0]?.points[7]).toBe(couponOf({ tenorDays: 7, daysAgo: 14 }))
    expect(past.every(({ points }) => Object.keys(points).length === tenors.length)).toBe(true)
    expect(new Set(past.map(({ points }) => points[7])).size).toBeGreaterThan(5)
    expect(past.every(({ points }) => Math.abs((points[7] as number) - 369) < 20)).toBe(true)
    expect(planPastPeriods({ tenors, nowSeconds: secondsOf(now) })).toEqual(past)
  })
})
