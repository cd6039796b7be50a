import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { countBusinessDays, lastBusinessDay } from './business-days.ts'

const isBusinessDay = (date: string) => lastBusinessDay(date) === date

const holidays = JSON.parse(readFileSync(new URL('../../vectors/market-holidays.json', import.meta.url), 'utf8')) as {
  date: string
  name: string
}[]

describe('vectors', () => {
  test('default: of all weekdays of eleven years, exactly the listed holidays are no business days', () => {
    const found: string[] = []
    const dayMs = 86_400_000
    for (let at = Date.UTC(2021, 0, 1); at < Date.UTC(2032, 0, 1); at += dayMs) {
      const date = new Date(at).toISOString().slice(0, 10)
      const isWeekend = [0, 6].includes(new Date(at).getUTCDay())
      if (isWeekend) expect(isBusinessDay(date), date).toBe(false)
      else if (!isBusinessDay(date)) found.push(date)
    }
    expect(found).toEqual(holidays.map(({ date }) => date))
    expect(found.length).toBe(132)
  })

  test('behavior: Juneteenth is a holiday since 2021', () => {
    expect(['2019-06-19', '2020-06-19', '2021-06-18'].map(isBusinessDay)).toEqual([true, true, false])
  })

  test.each([2000, 2008, 2011, 2016, 2018, 2019, 2038])('default: Good Friday of %i', (year) => {
    const known = {
      2000: '04-21',
      2008: '03-21',
      2011: '04-22',
      2016: '03-25',
      2018: '03-30',
      2019: '04-19',
      2038: '04-23',
    }
    expect(isBusinessDay(`${year}-${known[year as keyof typeof known]}`)).toBe(false)
  })
})

describe('counting', () => {
  test.each([
    ['the same day', '2024-11-22', '2024-11-22', 0],
    ['over a weekend', '2024-11-22', '2024-11-25', 1],
    ['the weekend itself', '2024-11-22', '2024-11-24', 0],
    ['over Thanksgiving', '2024-11-27', '2024-11-29', 1],
    ['over Good Friday and Easter', '2026-04-02', '2026-04-06', 1],
    ['over a holiday observed on Friday', '2026-07-02', '2026-07-06', 1],
    ['over Christmas and New Year', '2025-12-24', '2026-01-02', 5],
    ['a year', '2024-12-31', '2025-12-31', 249],
    ['backwards', '2024-11-25', '2024-11-22', 0],
  ])('default: %s', (_, after, upTo, count) => {
    expect(countBusinessDays({ after, upTo })).toBe(count)
  })

  test('default: the last business day', () => {
    expect(['2026-07-02', '2026-07-03', '2026-07-05', '2026-07-06'].map(lastBusinessDay)).toEqual([
      '2026-07-02',
      '2026-07-02',
      '2026-07-02',
      '2026-07-06',
    ])
  })
})

test('error: rejects an invalid date', () => {
  expect(() => isBusinessDay('2026-02-30')).toThrow(RangeError)
  expect(() => countBusinessDays({ after: 'yesterday', upTo: '2026-02-28' })).toThrow(RangeError)
})
