import { expect, test } from 'vitest'
import { createLogThrottle } from './log-throttle.ts'

test('default: allows the first line, counts those of the next 10 s and reports the count with the next line', () => {
  let nowMs = 0
  const throttle = createLogThrottle({ time: { monotonic: () => nowMs } })
  const at = (ms: number) => {
    nowMs = ms
    return throttle('internal')
  }
  expect([0, 1, 9_999].map(at)).toEqual([{ leftOut: 0 }, undefined, undefined])
  expect(at(10_000)).toEqual({ leftOut: 2 })
  expect(at(10_001)).toBe(undefined)
  expect(at(60_000)).toEqual({ leftOut: 1 })
})

test('behavior: each kind has an interval of its own', () => {
  const throttle = createLogThrottle({ time: { monotonic: () => 0 } })
  expect([throttle('internal'), throttle('slow_query'), throttle('internal')]).toEqual([
    { leftOut: 0 },
    { leftOut: 0 },
    undefined,
  ])
})

test('behavior: at most 50 kinds are remembered', () => {
  const throttle = createLogThrottle({ time: { monotonic: () => 0 } })
  for (let n = 0; n < 49; n++) throttle(`failure ${n}`)
  expect(throttle('failure 0')).toBe(undefined)
  throttle('failure 49')
  throttle('failure 50')
  expect(throttle('failure 0')).toEqual({ leftOut: 0 })
})

test('behavior: an infinite interval allows each line once, until as many others were logged as are remembered', () => {
  const throttle = createLogThrottle({ time: { monotonic: () => 0 }, everyMs: Number.POSITIVE_INFINITY, kindsMax: 2 })
  expect(['a', 'a', 'b', 'a', 'c', 'a'].map((kind) => throttle(kind) !== undefined)).toEqual([
    true,
    false,
    true,
    false,
    true,
    true,
  ])
})
