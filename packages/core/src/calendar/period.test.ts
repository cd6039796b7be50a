import { readFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import { afterEach, describe, expect, test } from 'vitest'
import {
  formatNewYork,
  formatPeriod,
  maturityOf,
  newYorkDate,
  newYorkInstant,
  type Period,
  periodAfter,
  periodAt,
} from './period.ts'

type Case = {
  why: string
  instant: string
  day: number
  start: number
  end: number
  maturities: Record<string, number>
}
const cases = JSON.parse(
  readFileSync(new URL('../../vectors/new-york-periods.json', import.meta.url), 'utf8'),
) as Case[]

describe('vectors', () => {
  test.each(cases)('$instant $why', ({ instant, day, start, end, maturities }) => {
    const period = periodAt(BigInt(Date.parse(instant) / 1000))
    expect(period).toEqual({ noteDay: BigInt(day), start: BigInt(start), end: BigInt(end) })
    for (const [tenor, maturity] of Object.entries(maturities)) {
      expect(maturityOf({ noteDay: period.noteDay, tenorDays: Number(tenor) })).toBe(BigInt(maturity))
    }
  })

  test('there are at least forty', () => {
    expect(cases.length).toBeGreaterThanOrEqual(40)
  })
})

test('behavior: the periods of six years have no gaps or overlaps, two per day', () => {
  const first = periodAt(1767243600n) // 2026-01-01 00:00 New York
  let period = first
  const hours = new Map<bigint, number>()
  const wrong: Period[] = []
  const isSame = (one: Period, other: Period) =>
    one.noteDay === other.noteDay && one.start === other.start && one.end === other.end
  for (let count = 0; count < 2 * (6 * 365 + 1); count++) {
    const length = (period.end - period.start) / 3600n
    hours.set(length, (hours.get(length) ?? 0) + 1)
    const next = periodAfter(period)
    const isWhole = [period.start, period.end - 1n].every((instant) => {
      // Otherwise `periodAt` returns the period that it found last.
      periodAt(next.end)
      return isSame(periodAt(instant), period)
    })
    if (!isWhole || next.start !== period.end) wrong.push(period)
    period = next
  }
  expect(wrong).toEqual([])
  expect(period.start).toBe(1956546000n) // 2032-01-01 00:00 New York
  expect(Object.fromEntries(hours)).toEqual({ 6: 2191, 17: 6, 18: 2179, 19: 6 })
})

describe.skipIf(!isMainThread)('behavior: the host time zone does not matter', () => {
  const hostZone = process.env['TZ']
  afterEach(() => {
    process.env['TZ'] = hostZone
  })

  test.each(['UTC', 'Asia/Singapore', 'America/New_York', 'Pacific/Apia'])('%s', (zone) => {
    process.env['TZ'] = zone
    expect(Intl.DateTimeFormat().resolvedOptions().timeZone).toBe(zone)
    for (const { instant, day, start, end } of cases) {
      const expected = { noteDay: BigInt(day), start: BigInt(start), end: BigInt(end) }
      expect(periodAt(BigInt(Date.parse(instant) / 1000))).toEqual(expected)
    }
  })
})

test('error: rejects an instant out of the range of dates', () => {
  expect(() => periodAt(2n ** 63n)).toThrow(RangeError)
})

test('default: formats New York times', () => {
  expect(formatNewYork(1793574000n)).toBe('2026-11-01 18:00')
  expect(formatNewYork(1793573999n)).toBe('2026-11-01 17:59:59')
  expect(formatPeriod(periodAt(1793511000n))).toBe('2026-11-01, 00:00 to 18:00 New York')
  expect(formatPeriod(periodAt(1793574000n))).toBe('2026-11-01, 18:00 to 24:00 New York')
})

test('default: dates and instants of New York', () => {
  expect(newYorkDate(1793505599n)).toBe('2026-10-31')
  expect(newYorkDate(1793505600n)).toBe('2026-11-01')
  expect(newYorkInstant({ date: '2026-11-01', time: '18:00' })).toBe(1793574000n)
  expect(newYorkInstant({ date: '2026-11-01', time: '00:00' })).toBe(1793505600n)
})
