import { newYorkDate as newYorkDateOfCore, newYorkInstant } from '@tallystick/core'
import { expect, test } from 'vitest'
import { addDays, countDays, isDate, newYorkDate } from './new-york-day.ts'

test('default: the date agrees with the calendar of core on every day of three years', () => {
  const wrong: string[] = []
  for (let date = '2026-01-01'; date < '2029-01-01'; date = addDays(date, 1)) {
    const midnight = Number(newYorkInstant({ date, time: '00:00' }))
    const isRight = newYorkDate(midnight) === date && newYorkDate(midnight - 1) === addDays(date, -1)
    if (!isRight) wrong.push(date)
  }
  expect(wrong).toEqual([])
})

test.each([
  1793505599, 1793505600, 1793573999, 1793574000, 1793595599, 1793595600, 1772945999, 1772946000, 1773028799,
  1773028800,
])('behavior: the date at %i, a second beside a boundary of a DST day', (seconds) => {
  expect(newYorkDate(seconds)).toBe(newYorkDateOfCore(BigInt(seconds)))
})

test('behavior: days are added across months, years and DST days', () => {
  expect(addDays('2026-03-07', 2)).toBe('2026-03-09')
  expect(addDays('2026-11-02', -2)).toBe('2026-10-31')
  expect(addDays('2027-01-01', -1)).toBe('2026-12-31')
  expect([countDays('2026-10-31', '2026-11-02'), countDays('2026-11-02', '2026-11-01')]).toEqual([3, 0])
})

test('error: texts that are no dates', () => {
  expect(['2028-02-29', '1999-12-31'].map(isDate)).toEqual([true, true])
  const faulty = ['2026-02-29', '2026-13-01', '2026-1-1', '', 'today', '0202-11-01', '2026-11-01T00:00', '9999-12-31']
  expect(faulty.filter(isDate)).toEqual([])
})
