import { describe, expect, test } from 'vitest'
import { billRatesPublishedAt, newestBillRatesDate } from './publication.ts'

const seconds = (instant: string) => BigInt(Date.parse(instant) / 1000)

test('default: published at 16:15 New York, in winter and in summer', () => {
  expect(billRatesPublishedAt('2024-11-22')).toBe(seconds('2024-11-22T16:15:00-05:00'))
  expect(billRatesPublishedAt('2024-07-22')).toBe(seconds('2024-07-22T16:15:00-04:00'))
})

describe('the newest published rates', () => {
  test.each([
    ['at the evening boundary: the same day', '2024-11-22T18:00:00-05:00', '2024-11-22'],
    ['in the second of publication', '2024-11-22T16:15:00-05:00', '2024-11-22'],
    ['in the second before it', '2024-11-22T16:14:59-05:00', '2024-11-21'],
    ['at midnight: the day before', '2024-11-23T00:00:00-05:00', '2024-11-22'],
    ['on Sunday: Friday', '2024-11-24T18:00:00-05:00', '2024-11-22'],
    ['on Monday before publication: Friday', '2024-11-25T12:00:00-05:00', '2024-11-22'],
    ['on Thanksgiving: the day before', '2024-11-28T18:00:00-05:00', '2024-11-27'],
    ['on the first of a year: the last of the year before', '2025-01-01T18:00:00-05:00', '2024-12-31'],
    ['on the autumn day', '2026-11-01T18:00:00-05:00', '2026-10-30'],
    ['at midnight after the spring day', '2026-03-09T00:00:00-04:00', '2026-03-06'],
  ])('default: %s', (_, instant, date) => {
    expect(newestBillRatesDate(seconds(instant))).toBe(date)
  })
})
