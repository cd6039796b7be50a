import { expect, test } from 'vitest'
import { createAllowance } from './allowance.ts'

const at = (ms: number, isRefused: boolean, atLeast = 1) =>
  ({ sentMs: ms, receivedMs: ms + 5, admission: isRefused ? 'throttled' : 'admitted', atLeast }) as const

test('default: requests up to the limit are admitted, the next is throttled, and the minute after admits again', () => {
  const allowance = createAllowance(2)
  const answers = [at(0, false), at(10, false), at(20, true), at(60_020, false)]
  expect(answers.map((answer) => allowance.take(answer))).toEqual([undefined, undefined, undefined, undefined])
})

test('error: throttled below the limit', () => {
  const allowance = createAllowance(2)
  allowance.take(at(0, false))
  expect(allowance.take(at(10, true, 2))).toBe('rejected with 429 after 1 of 2 requests per minute')
})

test('behavior: with less that the key must get, and while the replicas share it out, a rejection is valid', () => {
  const allowance = createAllowance(2)
  allowance.take(at(0, false))
  expect(allowance.take(at(10, true, 1))).toBe(undefined)
  expect(allowance.take({ ...at(10, true, 2), admission: 'postponed' })).toBe(undefined)
})

test('error: throttled after the minute', () => {
  const allowance = createAllowance(1)
  allowance.take(at(0, false))
  expect(allowance.take(at(60_000, true))).toBe(undefined)
  expect(allowance.take(at(60_006, true))).toContain('after 0 of 1')
})

test('error: admitted more often than two windows allow', () => {
  const allowance = createAllowance(1)
  expect([0, 10, 20].map((ms) => allowance.take(at(ms, false)))).toEqual([
    undefined,
    undefined,
    'admitted 3 times within a minute with a limit of 1',
  ])
})

test('behavior: a request that was possibly counted makes both responses valid', () => {
  const allowance = createAllowance(1)
  const unknown = { ...at(0, false), admission: 'unknown' } as const
  expect([allowance.take(unknown), allowance.take(at(10, true))]).toEqual([undefined, undefined])
  expect([allowance.take(at(20, false)), allowance.take(at(30, false))]).toEqual([undefined, undefined])
})
