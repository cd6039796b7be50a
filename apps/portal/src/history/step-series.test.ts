import type { HistoryPeriod } from '@tallystick/client'
import { type Period, periodAfter, periodAt } from '@tallystick/core'
import { expect, test } from 'vitest'
import { layOutSteps } from './lay-out-steps.ts'
import { boundsOf, floatingSeries, hasGaps, listCouponSeries, rateAt } from './step-series.ts'
import { listTimeTicks } from './time-ticks.ts'

const zone = 'America/New_York'
const seconds = (iso: string) => Date.parse(iso) / 1000

/** Returns consecutive periods, newest first, with the coupons that `couponsOf` gives. */
function makePeriods(
  from: string,
  count: number,
  couponsOf: (period: Period, index: number) => Readonly<Record<number, number>> | undefined = () => ({ 7: 369 }),
): readonly HistoryPeriod[] {
  const periods: HistoryPeriod[] = []
  let period = periodAt(BigInt(seconds(from)))
  for (let index = 0; index < count; index++) {
    const coupons = couponsOf(period, index)
    if (coupons) {
      const list = Object.entries(coupons).map(([tenor, coupon]) => ({
        maturity: Number(tenor),
        maturityTimestamp: 0n,
        coupon: BigInt(coupon),
      }))
      periods.unshift({
        chainId: 324,
        periodStart: period.start,
        periodEnd: period.end,
        logIndex: index,
        coupons: list,
      })
    }
    period = periodAfter(period)
  }
  return periods
}

const lay = (periods: readonly HistoryPeriod[], width = 700) =>
  layOutSteps(listCouponSeries(periods), {
    width,
    height: 300,
    zone,
    slots: periods.toReversed().map((period) => ({ ...boundsOf(period), text: '' })),
  })

test.each([
  ['clocks go back', '2026-11-01T00:00:00-04:00', [19, 6, 18]],
  ['clocks go forward', '2026-03-08T00:00:00-05:00', [17, 6, 18]],
])('default: %s: a period is as wide as it is long', (_, from, hours) => {
  const periods = makePeriods(from, 3, (__, index) => ({ 7: 360 + index }))
  const [{ spans } = { spans: [] }] = listCouponSeries(periods)
  expect(spans.map(({ start, end }) => (end - start) / 3600)).toEqual(hours)
  expect(spans.map(({ bps }) => bps)).toEqual([360, 361, 362])
  expect(hasGaps(listCouponSeries(periods))).toBe(false)
  const { xOf, plot } = lay(periods)
  const widths = spans.map(({ start, end }) => xOf(end) - xOf(start))
  const perHour = (plot.right - plot.left) / hours.reduce((sum, count) => sum + count)
  expect(widths.map((width) => Math.round(width / perHour))).toEqual(hours)
})

test('behavior: coupons are constant inside a period and step at the boundary', () => {
  const periods = makePeriods('2026-11-13T00:00:00-05:00', 2, (_, index) => ({ 7: 369 + 2 * index }))
  const [week] = listCouponSeries(periods)
  const boundary = seconds('2026-11-13T18:00:00-05:00')
  expect([boundary - 1, boundary].map((at) => rateAt(week!, at))).toEqual([369, 371])
  expect(rateAt(week!, Number(periods[0]!.periodEnd))).toBeUndefined()
  expect(lay(periods).lines[0]!.path).toMatch(/^M[\d.]+ [\d.]+H[\d.]+V[\d.]+H[\d.]+$/)
})

test('behavior: one period is a flat line over the whole plot', () => {
  const { lines, plot, ticks, rateTicks } = lay(makePeriods('2026-11-13T18:00:00-05:00', 1))
  expect(lines[0]!.path).toMatch(new RegExp(`^M${plot.left}\\.0 [\\d.]+H${plot.right}\\.0$`))
  expect(ticks.map(({ label }) => label)).toEqual(['18:00', '14 Nov'])
  expect(rateTicks.length).toBeGreaterThan(1)
})

test('behavior: a tenor that appears, disappears or pauses has a gap, and so has a period without notes', () => {
  const periods = makePeriods('2026-11-09T00:00:00-05:00', 6, (_, index) =>
    index === 3 ? undefined : { 7: 369, ...(index > 0 && { 14: 365 }), ...(index !== 1 && { 30: 360 }) },
  )
  const series = listCouponSeries(periods)
  expect(series.map(({ label, spans }) => [label, spans.length])).toEqual([
    ['7d', 2],
    ['14d', 2],
    ['30d', 3],
  ])
  expect(hasGaps(series)).toBe(true)
  expect(lay(periods).lines.map(({ path }) => path.match(/M/g)?.length)).toEqual([2, 2, 3])
  expect(
    hasGaps(listCouponSeries(makePeriods('2026-11-09T00:00:00-05:00', 2, (_, i) => ({ 7: 1, ...(i && { 14: 2 }) })))),
  ).toBe(true)
})

test('behavior: two years of equal coupons are one span', () => {
  const [only] = listCouponSeries(makePeriods('2025-01-01T00:00:00-05:00', 1464))
  expect(only!.spans).toHaveLength(1)
})

test.each([
  ['equal coupons', { 7: 350, 14: 350, 30: 350, 60: 350, 90: 350, 180: 350, 360: 350 }],
  ['coupons at zero', { 7: 0, 14: 0, 30: 0, 60: 1, 90: 1, 180: 1, 360: 1 }],
  ['coupons far apart', { 7: 1, 14: 2, 30: 3, 60: 9_998, 90: 9_999, 180: 10_000, 360: 1_000_000 }],
])('behavior: labels of %s do not overlap and stay in the plot', (_, coupons) => {
  const { lines, plot } = lay(makePeriods('2026-11-09T00:00:00-05:00', 4, () => coupons))
  const heights = lines.map(({ label }) => label.y).sort((a, b) => a - b)
  for (const [index, y] of heights.entries()) {
    expect(y).toBeLessThanOrEqual(plot.bottom)
    expect(y).toBeGreaterThanOrEqual(0)
    if (index > 0) expect(y - heights[index - 1]!).toBeGreaterThanOrEqual(13.9)
  }
})

test('behavior: the floating rate is by UTC day, with a gap where it is unknown', () => {
  const day = (date: string, floatingRate: bigint | null) => ({
    chainId: 324,
    day: date,
    fixedRates: [],
    floatingRate,
    floatingReason: null,
  })
  const series = floatingSeries([day('2026-11-03', 1200n), day('2026-11-02', null), day('2026-11-01', 1264n)])
  expect(series.spans).toEqual([
    { start: seconds('2026-11-01T00:00:00Z'), end: seconds('2026-11-02T00:00:00Z'), bps: 1264 },
    { start: seconds('2026-11-03T00:00:00Z'), end: seconds('2026-11-04T00:00:00Z'), bps: 1200 },
  ])
  expect(floatingSeries([day('2026-11-02', null)]).spans).toEqual([])
  expect(listCouponSeries([])).toEqual([])
})

test.each([
  [
    '7 days over a DST day',
    '2026-10-30T00:00:00-04:00',
    '2026-11-06T00:00:00-05:00',
    7,
    4,
    '31 Oct, 2 Nov, 4 Nov, 6 Nov',
  ],
  [
    '30 days',
    '2026-10-17T00:00:00-04:00',
    '2026-11-15T18:00:00-05:00',
    8,
    8,
    '18 Oct, 22 Oct, 26 Oct, 30 Oct, 3 Nov, 7 Nov, 11 Nov, 15 Nov',
  ],
  [
    '90 days on a phone',
    '2026-08-18T00:00:00-04:00',
    '2026-11-15T18:00:00-05:00',
    3,
    3,
    'Sep 2026, Oct 2026, Nov 2026',
  ],
  ['two years on a phone', '2024-11-14T00:00:00-05:00', '2026-11-15T18:00:00-05:00', 3, 2, 'Jan 2025, Jan 2026'],
  ['two years', '2024-11-14T00:00:00-05:00', '2026-11-15T18:00:00-05:00', 8, 8, /^Jan 2025, Apr 2025.*Oct 2026$/],
  ['the period of 19 hours', '2026-11-01T00:00:00-04:00', '2026-11-01T18:00:00-05:00', 8, 2, '1 Nov, 18:00'],
])('behavior: time ticks of %s', (_, start, end, countMax, count, labels) => {
  const ticks = listTimeTicks({ start: seconds(start), end: seconds(end), zone, countMax })
  expect(ticks).toHaveLength(count)
  expect(ticks.map(({ label }) => label).join(', ')).toMatch(labels)
  for (const tick of ticks) expect(tick.seconds >= seconds(start) && tick.seconds <= seconds(end)).toBe(true)
})
