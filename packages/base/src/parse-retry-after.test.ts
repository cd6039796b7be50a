import { expect, test } from 'vitest'
import { parseRetryAfter } from './parse-retry-after.ts'

const nowMs = Date.parse('2026-03-08T12:00:00Z')
const parse = (retryAfter: string | undefined, date?: string) =>
  parseRetryAfter({ retryAfter, date, nowMs, secondsMax: 120 })

test.each([
  ['0', 0],
  ['1', 1],
  [' 120 ', 120],
  ['121', 120],
  ['9'.repeat(400), 120],
  ['Sun, 08 Mar 2026 12:00:30 GMT', 30],
  ['Sunday, 08-Mar-26 12:00:30 GMT', 30],
  ['Sun, 08 Mar 2026 12:00:00 GMT', 0],
  ['Sun, 08 Mar 2099 12:00:00 GMT', 120],
])('default: parses %j as %i seconds', (text, seconds) => {
  expect(parse(text)).toBe(seconds)
})

test.each([undefined, '', 'soon', '-5', '1.5', '1e3', '0x10', 'soon 1', 'Sun, 99 Xyz 2026 12:00:00 GMT'])(
  'error: %j is invalid',
  (text) => {
    expect(parse(text)).toBeUndefined()
  },
)

test('error: a date in the past is invalid', () => {
  expect(parse('Sun, 08 Mar 2026 11:59:59 GMT')).toBeUndefined()
})

test('behavior: a date is compared with the server’s Date header, not with our clock', () => {
  expect(parse('Mon, 01 Jan 2024 00:00:10 GMT', 'Mon, 01 Jan 2024 00:00:00 GMT')).toBe(10)
  expect(parse('Sun, 08 Mar 2026 12:00:10 GMT', 'garbage')).toBe(10)
})
