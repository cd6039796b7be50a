import { expect, test } from 'vitest'
import { createRecentResults } from './recent-results.ts'

test('default: computes the result of a key once', () => {
  const recall = createRecentResults<number>()
  let count = 0
  const compute = () => ++count
  expect([recall('a', compute), recall('a', compute), recall('b', compute)]).toEqual([1, 1, 2])
})

test('behavior: forgets the oldest of more than 1,000 results', () => {
  const recall = createRecentResults<string>()
  for (let index = 0; index < 1_001; index++) recall(String(index), () => 'first')
  expect(recall('1', () => 'again')).toBe('first')
  expect(recall('0', () => 'again')).toBe('again')
})

test('error: an error is not remembered', () => {
  const recall = createRecentResults<string>()
  const fail = () => {
    throw new Error('no result')
  }
  expect(() => recall('a', fail)).toThrow('no result')
  expect(recall('a', () => 'result')).toBe('result')
})
