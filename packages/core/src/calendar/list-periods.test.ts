import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { listPeriods } from './list-periods.ts'
import { newYorkDate, newYorkInstant, type Period, periodAfter, periodAt } from './period.ts'

/** Lists the same periods one at a time, each looked up in the zone's rules. */
function walk({ from, days }: { from: string; days: number }): (Period & { day: string })[] {
  let period = periodAt(newYorkInstant({ date: from, time: '00:00' }))
  return Array.from({ length: 2 * days }, () => {
    const dated = { ...period, day: newYorkDate(period.noteDay) }
    period = periodAfter(period)
    return dated
  })
}

type Case = {
  readonly why: string
  readonly instant: string
  readonly day: number
  readonly start: number
  readonly end: number
}
const vectors = new URL('../../vectors/new-york-periods.json', import.meta.url)
const cases = JSON.parse(readFileSync(vectors, 'utf8')) as Case[]

test.each(cases)('default: has the period of $instant ($why)', ({ instant, day, start, end }) => {
  const from = newYorkDate(BigInt(day))
  const periods = listPeriods({ from, days: 1 })
  expect(periods).toContainEqual({ day: from, noteDay: BigInt(day), start: BigInt(start), end: BigInt(end) })
  expect(periods).toEqual(walk({ from, days: 1 }))
  expect(Date.parse(instant) / 1000).toBeLessThan(end)
})

test.each([
  { from: '2026-03-08', hours: [17, 6] },
  { from: '2026-11-01', hours: [19, 6] },
  { from: '2028-02-29', hours: [18, 6] },
  { from: '2026-12-31', hours: [18, 6] },
])('behavior: $from has periods of $hours hours', ({ from, hours }) => {
  expect(listPeriods({ from, days: 1 }).map(({ start, end }) => Number(end - start) / 3_600)).toEqual(hours)
})

describe('behavior: agrees with the zone’s rules', () => {
  test('on the 12 days around every change of clocks, leap day and end of year around 2028, and of 2006 with its other rules', () => {
    for (const year of [2006, 2025, 2026, 2027, 2028, 2029, 2038]) {
      for (const from of ['02-26', '03-06', '03-30', '10-25', '12-28'].map((day) => `${year}-${day}`)) {
        expect(listPeriods({ from, days: 12 })).toEqual(walk({ from, days: 12 }))
      }
    }
  })

  test('for a whole year that starts on the day of a change', () => {
    for (const from of ['2026-03-08', '2026-11-01']) {
      expect(listPeriods({ from, days: 366 })).toEqual(walk({ from, days: 366 }))
    }
  })
})
