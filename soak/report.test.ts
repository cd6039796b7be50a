import { expect, test } from 'vitest'
import { formatTime } from './report.ts'

test.each([
  [0, '00:00.0'],
  [59_949, '00:59.9'],
  [59_950, '01:00.0'],
  [61_230, '01:01.2'],
  [3_600_000, '60:00.0'],
])('default: %d ms are %s', (ms, words) => {
  expect(formatTime(ms)).toBe(words)
})
