import { expect, test } from 'vitest'
import { createTimeBudget } from './time-budget.ts'

function setUp(msPerMinute: number | null, { waitMs = 0 } = {}) {
  let nowMs = 0
  const budget = createTimeBudget({ msPerMinute, time: { monotonic: () => nowMs } })
  const pass = (ms: number) => {
    nowMs += ms
  }
  /** Runs work of a given duration. Returns why it was rejected, if so. */
  const work = (ms: number, caller = 'a'): string | undefined => {
    try {
      const visit = budget(caller)
      // Time in the queue is not charged.
      pass(waitMs)
      visit.begin()
      pass(ms)
      visit.end()
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  }
  return { budget, pass, work }
}

test('behavior: time is charged when the work ends, and the balance refills', () => {
  const { pass, work } = setUp(6_000)
  // A tenth of the elapsed time is refilled: 9,000 used, 900 refilled, up to the maximum.
  expect(work(9_000)).toBeUndefined()
  expect(work(1)).toBe(
    'Your address has used its query time of 6000 ms per minute. Try again in 30 seconds, and request less per query.',
  )
  expect(work(1, 'b')).toBeUndefined()
  pass(29_000)
  expect(work(1)).toMatch(/in 1 seconds/)
  pass(1_010)
  expect(work(1)).toBeUndefined()
})

test('behavior: the balance never exceeds one minute’s budget', () => {
  const { pass, work } = setUp(6_000)
  expect(work(1)).toBeUndefined()
  pass(3_600_000)
  expect(work(6_001)).toBeUndefined()
  expect(work(1)).toMatch(/has used its query time/)
})

test('behavior: the number of running queries is limited', () => {
  const { budget, pass } = setUp(6_000)
  const visits = Array.from({ length: 8 }, () => budget('a'))
  expect(() => budget('a')).toThrow('Your address has 8 queries running')
  expect(() => budget('b')).not.toThrow()
  pass(10)
  visits[0]?.end()
  expect(() => budget('a')).not.toThrow()
})

test('behavior: null is unlimited', () => {
  const { work } = setUp(null)
  for (let count = 0; count < 100; count++) expect(work(60_000)).toBeUndefined()
})

test('behavior: time in the queue is not charged', () => {
  const { work } = setUp(6_000, { waitMs: 60_000 })
  for (let count = 0; count < 10; count++) expect(work(5_000)).toBeUndefined()
})
