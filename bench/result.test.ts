import { describe, expect, test } from 'vitest'
import { combineRuns, compare, compareMedians, formatResults, meetsTarget, type Result, type Target } from './result.ts'

const figure = { name: 'x', unit: 'req/s' }

describe('compare', () => {
  test('default: returns medians and the median of the ratios', () => {
    const rounds = [
      { value: 10, baseline: 10 },
      // A slow moment of the machine affects both sides, so the ratio is stable.
      { value: 1, baseline: 2 },
      { value: 30, baseline: 20 },
    ]
    expect(compare(figure, rounds)).toEqual({ ...figure, value: 10, baseline: 10, ratio: 1, spread: [0.5, 1.5] })
  })
})

test('compareMedians: a pause on one side does not change the ratio', () => {
  const rounds = [
    { value: 3, baseline: 2 },
    { value: 30, baseline: 2 },
    { value: 3, baseline: 200 },
  ]
  expect(compareMedians(figure, rounds)).toEqual({ ...figure, value: 3, baseline: 2, ratio: 1.5, spread: [0.015, 15] })
})

describe('meetsTarget', () => {
  const at = (target: Target, { value = 0, ratio = null as number | null } = {}) =>
    meetsTarget({ ...figure, value, baseline: 1, ratio, target })

  test('default: the target itself is met, slightly less is not', () => {
    expect([0.9, 0.8999].map((ratio) => at({ atLeast: 0.9 }, { ratio }))).toEqual([true, false])
    expect([1.25, 1.2501].map((ratio) => at({ atMost: 1.25 }, { ratio }))).toEqual([true, false])
    expect([2_000, 1_999].map((value) => at({ valueAtLeast: 2_000 }, { value }))).toEqual([true, false])
    expect([5, 5.001].map((value) => at({ valueAtMost: 5 }, { value }))).toEqual([true, false])
  })

  test('behavior: undefined without a target or a measurement', () => {
    expect(at({ atLeast: 1 })).toBeUndefined()
    expect(meetsTarget({ ...figure, value: 1, baseline: 1, ratio: 0 })).toBeUndefined()
  })
})

test('default: the table marks missed targets', () => {
  const results = [
    { ...figure, value: 34_567, baseline: 40_000, ratio: 0.86, spread: [0.5, 1] as const, target: { atLeast: 0.9 } },
    { ...figure, name: 'long.name', value: 2, baseline: null, ratio: null },
  ]
  expect(formatResults(results).split('\n')).toEqual([
    'name       value        baseline  ratio  spread         runs  target',
    'x          34567 req/s  40000     0.860  0.500 to 1.00        ≥ 0.9 MISSED',
    'long.name  2.00 req/s',
  ])
})

describe('combineRuns', () => {
  const run = (ratio: number, value: number): Result[] => [
    { ...figure, value, baseline: 10, ratio, spread: [ratio - 0.1, ratio + 0.1], target: { atLeast: 0.9 } },
    { ...figure, name: 'lag', value, baseline: 1, ratio, target: { valueAtMost: 5 } },
    { ...figure, name: 'bare', value, baseline: null, ratio: null },
  ]

  test('default: returns medians, the whole spread, and what each run measured', () => {
    const [rate, lag, bare] = combineRuns([run(1, 4), run(0.8, 9), run(0.95, 2)])
    expect(rate).toMatchObject({ value: 4, ratio: 0.95, runs: [1, 0.8, 0.95] })
    expect(rate?.spread?.map((bound) => bound.toFixed(1))).toEqual(['0.7', '1.1'])
    expect(lag).toMatchObject({ value: 4, runs: [4, 9, 2] })
    expect(bare).toMatchObject({ value: 4, baseline: null, ratio: null, runs: [4, 9, 2] })
  })

  test('behavior: a target is met if every run meets it', () => {
    expect(combineRuns([run(1, 4), run(0.8, 5)]).map(meetsTarget)).toEqual([false, true, undefined])
    expect(combineRuns([run(1, 4), run(0.9, 6)]).map(meetsTarget)).toEqual([true, false, undefined])
  })

  test('behavior: a single run is unchanged', () => {
    expect(combineRuns([run(1, 4)])).toEqual(run(1, 4))
  })
})
