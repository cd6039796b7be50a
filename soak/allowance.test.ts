import { expect, test } from 'vitest'
import { createAllowance } from './allowance.ts'

const at = (ms: number, isRefused: boolean) =>
  ({ sentMs: ms, receivedMs: ms + 5, admission: isRefused ? 'sent away' : 'let in' }) as const

test('default: as many as the limit let in, the next sent away, and let in again after the minute', () => {
  const allowance = createAllowance(2)
  const answers = [at(0, false), at(10, false), at(20, true), at(60_020, false)]
  expect(answers.map((answer) => allowance.take(answer))).toEqual([undefined, undefined, undefined, undefined])
})

test('error: sent away before the limit is reached', () => {
  const allowance = createAllowance(2)
  allowance.take(at(0, false))
  expect(allowance.take(at(10, true))).toBe('sent away with 429 after 1 of 2 requests a minute')
})

test('error: sent away though the minute is over', () => {
  const allowance = createAllowance(1)
  allowance.take(at(0, false))
  expect(allowance.take(at(60_000, true))).toBe(undefined)
  expect(allowance.take(at(60_006, true))).toContain('after 0 of 1')
})

test('error: let in more often than two windows can', () => {
  const allowance = createAllowance(1)
  expect([0, 10, 20].map((ms) => allowance.take(at(ms, false)))).toEqual([
    undefined,
    undefined,
    'let in 3 times within a minute with a limit of 1',
  ])
})

test('behavior: a request that may or may not have been counted makes neither answer wrong', () => {
  const allowance = createAllowance(1)
  const unknown = { sentMs: 0, receivedMs: 5, admission: 'unknown' } as const
  expect([allowance.take(unknown), allowance.take(at(10, true))]).toEqual([undefined, undefined])
  expect([allowance.take(at(20, false)), allowance.take(at(30, false))]).toEqual([undefined, undefined])
})
