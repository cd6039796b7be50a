import { expect, test } from 'vitest'
import { hashText, minuteOffsetMs, windowNumberAt, windowStartMs } from './lease-window.ts'

const at = (text: string) => Date.parse(text)

test.each([
  ['minute', '2026-11-18T10:00:07.500Z', '2026-11-18T09:59:20.250Z', '2026-11-18T10:00:20.250Z'],
  ['minute', '2026-11-18T10:00:20.250Z', '2026-11-18T10:00:20.250Z', '2026-11-18T10:01:20.250Z'],
  ['day', '2026-11-18T23:59:59.999Z', '2026-11-18T00:00:00.000Z', '2026-11-19T00:00:00.000Z'],
  ['day', '2026-11-19T00:00:00.000Z', '2026-11-19T00:00:00.000Z', '2026-11-20T00:00:00.000Z'],
  ['month', '2028-02-29T12:00:00.000Z', '2028-02-01T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
  ['month', '2026-12-31T23:59:59.999Z', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
] as const)('default: the %s of %s starts at %s and ends at %s', (period, instant, starts, ends) => {
  const offsetMs = 20_250
  const number = windowNumberAt(period, at(instant), offsetMs)
  const edges = [number, number + 1].map((each) => new Date(windowStartMs(period, each, offsetMs)).toISOString())
  expect(edges).toEqual([starts, ends])
})

test('default: the hash is FNV-1a with 32 bits', () => {
  expect([hashText(''), hashText('a'), hashText('foobar')]).toEqual([0x811c9dc5, 0xe40c292c, 0xbf9cf968])
})

test('default: the minutes of a key start at a time of their own within the minute', () => {
  expect(minuteOffsetMs('a')).toBe(0xe40c292c % 60_000)
})
