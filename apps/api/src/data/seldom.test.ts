import { expect, test } from 'vitest'
import { createSeldom } from './seldom.ts'

test('default: the first is said, those of the next ten seconds are counted and told with the one after', () => {
  let nowMs = 0
  const seldom = createSeldom(() => nowMs)
  const at = (ms: number) => {
    nowMs = ms
    return seldom('internal')
  }
  expect([0, 1, 9_999].map(at)).toEqual([{ leftOut: 0 }, undefined, undefined])
  expect(at(10_000)).toEqual({ leftOut: 2 })
  expect(at(10_001)).toBe(undefined)
  expect(at(60_000)).toEqual({ leftOut: 1 })
})

test('behavior: something else does not wait', () => {
  const seldom = createSeldom(() => 0)
  expect([seldom('internal'), seldom('slow_query'), seldom('internal')]).toEqual([
    { leftOut: 0 },
    { leftOut: 0 },
    undefined,
  ])
})

test('behavior: texts that are never the same twice do not pile up', () => {
  const seldom = createSeldom(() => 0)
  for (let n = 0; n < 49; n++) seldom(`failure ${n}`)
  expect(seldom('failure 0')).toBe(undefined)
  seldom('failure 49')
  seldom('failure 50')
  expect(seldom('failure 0')).toEqual({ leftOut: 0 })
})
