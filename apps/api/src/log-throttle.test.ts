import { expect, test } from 'vitest'
import { createLogThrottle } from './log-throttle.ts'

test('default: the first is said, those of the next ten seconds are counted and told with the one after', () => {
  let nowMs = 0
  const throttle = createLogThrottle(() => nowMs)
  const at = (ms: number) => {
    nowMs = ms
    return throttle('internal')
  }
  expect([0, 1, 9_999].map(at)).toEqual([{ leftOut: 0 }, undefined, undefined])
  expect(at(10_000)).toEqual({ leftOut: 2 })
  expect(at(10_001)).toBe(undefined)
  expect(at(60_000)).toEqual({ leftOut: 1 })
})

test('behavior: something else does not wait', () => {
  const throttle = createLogThrottle(() => 0)
  expect([throttle('internal'), throttle('slow_query'), throttle('internal')]).toEqual([
    { leftOut: 0 },
    { leftOut: 0 },
    undefined,
  ])
})

test('behavior: texts that are never the same twice do not pile up', () => {
  const throttle = createLogThrottle(() => 0)
  for (let n = 0; n < 49; n++) throttle(`failure ${n}`)
  expect(throttle('failure 0')).toBe(undefined)
  throttle('failure 49')
  throttle('failure 50')
  expect(throttle('failure 0')).toEqual({ leftOut: 0 })
})
