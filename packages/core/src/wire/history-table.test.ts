import { expect, test } from 'vitest'
import { newYorkDate, periodAt } from '../calendar/period.ts'
import { formatPercent, formatUtc, tabulateDays, tabulatePeriods } from './history-table.ts'

const period = {
  chainid: '324',
  period_start: '1793574000',
  period_end: '1793595600',
  logIndex: null,
  coupons: [{ maturity: 7, maturity_timestamp: '1794114000', coupon: '369' }],
}

test('default: the columns that programs parse come first, then those for people', () => {
  const { columns, rows } = tabulatePeriods([period])
  const row = Object.fromEntries(columns.map((name, index) => [name, rows[0]?.[index]]))
  expect(columns.slice(0, 7)).toEqual([
    ...['chainid', 'period_start', 'period_end', 'logIndex', 'maturity', 'maturity_timestamp', 'coupon'],
  ])
  expect(rows[0]).toHaveLength(columns.length)
  expect(row).toEqual({
    ...{ chainid: '324', period_start: '1793574000', period_end: '1793595600', logIndex: null },
    ...{ maturity: 7, maturity_timestamp: '1794114000', coupon: '369' },
    ...{ period: '2026-11-01 18:00 to 24:00 New York', period_start_utc: '2026-11-01T23:00:00Z' },
    ...{ period_end_utc: '2026-11-02T05:00:00Z', maturity_day_new_york: '2026-11-08', coupon_percent: '3.69' },
  })
})

test('behavior: names the New York day of every period, also when clocks change', () => {
  const first = periodAt(BigInt(Date.parse('2026-03-07T12:00Z') / 1000))
  for (let at = first; at.start < first.start + 280n * 86_400n; at = periodAt(at.end)) {
    const wire = { ...period, period_start: `${at.start}`, period_end: `${at.end}` }
    const hours = at.start === at.noteDay ? '00:00 to 18:00' : '18:00 to 24:00'
    expect(tabulatePeriods([wire]).rows[0]?.[7]).toBe(`${newYorkDate(at.noteDay)} ${hours} New York`)
  }
})

test('default: a day has one row per tenor, and one without coupons', () => {
  const day = { chainid: '324', day: '2026-11-14', floatingRate: null, floatingReason: 'None yet.' }
  const { columns, rows } = tabulateDays([
    { ...day, fixedRates: [] },
    { ...day, fixedRates: [{ maturity: 7, coupon: '5' }], floatingRate: '1264', floatingReason: null },
  ])
  expect(columns.slice(0, 6)).toEqual(['chainid', 'day', 'maturity', 'coupon', 'floatingRate', 'floatingReason'])
  expect(rows).toEqual([
    ['324', '2026-11-14', null, null, null, 'None yet.', null, null],
    ['324', '2026-11-14', 7, '5', '1264', null, '0.05', '12.64'],
  ])
})

test.each([
  ['0', '0.00'],
  ['7', '0.07'],
  ['-7', '-0.07'],
  ['100', '1.00'],
  ['12345678901234567890', '123456789012345678.90'],
])('default: %s basis points are %s percent', (bps, percent) => {
  expect(formatPercent(bps)).toBe(percent)
})

test('default: an instant is ISO 8601 in UTC', () => {
  expect(formatUtc('1793574001')).toBe('2026-11-01T23:00:01Z')
})
