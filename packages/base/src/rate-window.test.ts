import { expect, test } from 'vitest'
import { createRateWindow, formatRate } from './rate-window.ts'

test('default: permits requests up to the limit, then none', () => {
  const window = createRateWindow(3)
  expect(window.limit).toBe(3)
  expect(window.policy).toBe('"default";q=3;w=60')
  expect([0, 0, 0, 0, 0].map((ms) => window.take(ms))).toEqual([
    { allowed: true, remaining: 2, resetSeconds: 60 },
    { allowed: true, remaining: 1, resetSeconds: 60 },
    { allowed: true, remaining: 0, resetSeconds: 60 },
    { allowed: false, remaining: 0, resetSeconds: 60 },
    { allowed: false, remaining: 0, resetSeconds: 60 },
  ])
})

test('behavior: a limit of 1 permits one request per minute', () => {
  const window = createRateWindow(1)
  expect([0, 1, 59_999, 60_000, 60_001, 120_000].map((ms) => window.take(ms).allowed)).toEqual([
    true,
    false,
    false,
    true,
    false,
    true,
  ])
})

test('behavior: the window closes exactly 60 s after it opened', () => {
  const window = createRateWindow(2)
  window.take(1_000)
  expect(window.take(60_999)).toEqual({ allowed: true, remaining: 0, resetSeconds: 1 })
  expect(window.take(60_999.9)).toEqual({ allowed: false, remaining: 0, resetSeconds: 1 })
  expect(window.take(61_000)).toEqual({ allowed: true, remaining: 1, resetSeconds: 60 })
})

test('behavior: a rejected request is not counted and does not extend the window', () => {
  const window = createRateWindow(1)
  window.take(0)
  for (let ms = 1; ms < 60_000; ms += 100) expect(window.take(ms).allowed).toBe(false)
  expect(window.take(60_000)).toEqual({ allowed: true, remaining: 0, resetSeconds: 60 })
})

test.each([
  [0, 60],
  [0.001, 60],
  [1, 60],
  [999, 60],
  [1_000, 59],
  [1_001, 59],
  [30_000, 30],
  [58_999, 2],
  [59_000, 1],
  [59_999, 1],
])(
  'behavior: %d ms after it opened the window resets in %d s, and a request after that is permitted',
  (ms, resetSeconds) => {
    const window = createRateWindow(1)
    window.take(500_000)
    const state = window.take(500_000 + ms)
    expect(state).toEqual({ allowed: false, remaining: 0, resetSeconds })
    expect(window.take(500_000 + ms + resetSeconds * 1000).allowed).toBe(true)
  },
)

test('behavior: after a pause the window opens with the next request, not at a full minute', () => {
  const window = createRateWindow(1)
  window.take(0)
  expect(window.take(200_000).resetSeconds).toBe(60)
  expect(window.take(259_999).allowed).toBe(false)
  expect(window.take(260_000).allowed).toBe(true)
})

test('behavior: windows are independent', () => {
  const [a, b] = [createRateWindow(1), createRateWindow(1)]
  a.take(0)
  expect(a.take(0).allowed).toBe(false)
  expect(b.take(0).allowed).toBe(true)
})

function listWrongCounts(step: number): number[] {
  const wrong: number[] = []
  for (let remaining = 0; remaining <= 1_000_000; remaining += remaining < 11_000 ? 1 : step)
    if (formatCount(remaining) !== `"default";r=${remaining};t=7`) wrong.push(remaining)
  return wrong
}

const formatCount = (remaining: number) => formatRate({ allowed: true, remaining, resetSeconds: 7 })

test('behavior: every possible count is formatted correctly', () => {
  expect(listWrongCounts(997)).toEqual([])
  expect([999_999, 1_000_000].map(formatCount)).toEqual(['"default";r=999999;t=7', '"default";r=1000000;t=7'])
  expect(formatCount(Number.MAX_SAFE_INTEGER)).toBe('"default";r=9007199254740991;t=7')
})

test('behavior: the same for each of 1,000,000 counts', { tags: ['slow'] }, () => {
  expect(listWrongCounts(1)).toEqual([])
})
