import { expect, test } from 'vitest'
import { formatIso, formatSeconds, parseLimit, parsePoints } from './format.ts'

test.each([
  [0, '0 s'],
  [59.9, '59 s'],
  [60, '1 min'],
  [3_725, '1 h 2 min'],
  [3_605, '1 h'],
  [90_000, '1 d 1 h'],
  [-5, '0 s'],
])('default: %d seconds are %s', (seconds, text) => expect(formatSeconds(seconds)).toBe(text))

test('default: instants are in New York time, on both days of a clock change', () => {
  expect(formatIso('2026-11-13T23:00:00Z')).toBe('13 Nov 2026, 18:00')
  expect(formatIso('2026-11-01T05:59:59Z')).toBe('1 Nov 2026, 01:59:59')
  expect(formatIso('2026-11-01T06:00:00Z')).toBe('1 Nov 2026, 01:00')
  expect(formatIso('2026-03-08T07:00:00Z')).toBe('8 Mar 2026, 03:00')
})

test('default: coupons are parsed, and an empty field leaves its tenor out', () => {
  expect(parsePoints({ 7: ' 369 ', 14: '' })).toEqual({ 7: 369 })
})

test.each(['0', '-1', '3.5', '1e3', '0x10', '3,69', '1000000', 'x'.repeat(99)])('error: %s is no coupon', (text) => {
  expect(() => parsePoints({ 7: '369', 14: text })).toThrow(/^14 days: ".{1,20}" is not .* above 0\.$/)
})

test('error: no coupon at all', () => {
  expect(() => parsePoints({ 7: ' ', 14: '' })).toThrow('Give at least one coupon.')
})

test.each([
  ['', null],
  [' ', null],
  [' 600 ', 600],
  ['1000000', 1_000_000],
])('default: %j requests per minute are %s', (text, rpm) => expect(parseLimit(text, 1_000_000)).toBe(rpm))

test.each(['0', '-1', '1.000', '1,000', '1e3', '0x10', '1000001', '６００', 'ten'])('error: %s is no limit', (text) => {
  expect(() => parseLimit(text, 1_000_000)).toThrow(`"${text}" is not a whole number from 1 to 1000000`)
})
