import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findFalls, formatFalls } from './find-falls.ts'
import { reportFalls } from './report-falls.ts'
import type { Result } from './result.ts'

const rate: Result = { name: 'rate', value: 9, unit: 'req/s', baseline: 10, ratio: 0.9, spread: [0.8, 1.1] }
const time: Result = { name: 'time', value: 2, unit: 'ms', baseline: 2, ratio: 1, spread: [0.9, 1.3] }
const fallsOf = (before: Result, ratio: number | null) => findFalls([[before]], [{ ...before, ratio }])

test('behavior: a rate falls if its ratio is below every round before', () => {
  expect(fallsOf(rate, 1.5)).toEqual([])
  expect(fallsOf(rate, 0.8)).toEqual([])
  expect(fallsOf(rate, 0.79)).toEqual([{ name: 'rate', before: 0.9, spread: [0.8, 1.1], after: 0.79 }])
})

test('behavior: a time falls if its ratio is above every round before', () => {
  expect(fallsOf(time, 0.1)).toEqual([])
  expect(fallsOf(time, 1.3)).toEqual([])
  expect(fallsOf(time, 1.31)).toEqual([{ name: 'time', before: 1, spread: [0.9, 1.3], after: 1.31 }])
})

test('behavior: the target decides which direction is better', () => {
  const unit = '%'
  expect(fallsOf({ ...time, unit, target: { atLeast: 1 } }, 0.8)).toHaveLength(1)
  expect(fallsOf({ ...time, unit, target: { valueAtLeast: 1 } }, 0.8)).toHaveLength(1)
  expect(fallsOf({ ...rate, target: { atMost: 1 } }, 1.2)).toHaveLength(1)
  expect(fallsOf({ ...rate, target: { valueAtMost: 1 } }, 1.2)).toHaveLength(1)
})

test('behavior: the spread is that of all nights before, and a ratio is missed that the last one had', () => {
  const night: Result = { ...rate, ratio: 1.2, spread: [1.1, 1.3] }
  const nights = [[{ ...rate, spread: [0.7, 0.9] as const }, time], [night]]
  expect(findFalls(nights, [{ ...rate, ratio: 0.71 }])).toEqual([])
  expect(findFalls(nights, [{ ...rate, ratio: 0.69 }])).toEqual([
    { name: 'rate', before: 1.2, spread: [0.7, 1.3], after: 0.69 },
  ])
})

test('behavior: a missing ratio is reported', () => {
  const missing = { name: 'rate', before: 0.9, spread: [0.8, 1.1], after: null }
  expect(findFalls([[rate, time]], [time])).toEqual([missing])
  expect(fallsOf(rate, null)).toEqual([missing])
})

test('behavior: a new ratio, a value without a ratio and a ratio of one round are not compared', () => {
  const value: Result = { name: 'value', value: 1, unit: 'MB', baseline: null, ratio: null }
  const single: Result = { name: 'single', value: 1, unit: 'ms', baseline: 1, ratio: 1 }
  expect(findFalls([[value, single]], [rate, { ...single, ratio: 9 }])).toEqual([])
})

test('default: the report is a table of the falls', () => {
  expect(formatFalls(findFalls([[rate, time]], [{ ...rate, ratio: 0.5 }])).split('\n')).toEqual([
    '| name | before | spread before | now |',
    '| --- | --- | --- | --- |',
    '| `rate` | 0.900 | 0.800 to 1.10 | 0.500 |',
    '| `time` | 1.00 | 0.900 to 1.30 | not measured |',
  ])
  expect(formatFalls([])).toBe('')
})

test('default: the report compares a file with those of a folder, and is empty without earlier results', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tallystick-falls-'))
  const [earlier, after] = [join(folder, 'earlier'), join(folder, 'after.json')]
  writeFileSync(after, JSON.stringify([{ ...rate, ratio: 0.5 }]))
  expect(reportFalls(earlier, after)).toBe('')
  mkdirSync(earlier)
  writeFileSync(join(earlier, '1795000000.json'), JSON.stringify([rate]))
  expect(reportFalls(earlier, after)).toContain('| `rate` | 0.900 |')
  expect(() => reportFalls(earlier, join(folder, 'none.json'))).toThrow('none.json')
})
