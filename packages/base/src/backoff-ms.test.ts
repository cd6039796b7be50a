import fc from 'fast-check'
import { expect, test } from 'vitest'
import { backoffMs } from './backoff-ms.ts'

const bounds = { minMs: 100, maxMs: 5_000 }

test('default: the delay doubles with each failure up to its maximum', () => {
  const delays = [0, 1, 2, 5, 6, 7].map((failures) => backoffMs(failures, bounds))
  expect(delays).toEqual([100, 200, 400, 3_200, 5_000, 5_000])
})

test('behavior: any number of failures stays at the maximum', () => {
  expect([1_000, 2_000, Number.MAX_SAFE_INTEGER].map((failures) => backoffMs(failures, bounds))).toEqual([
    5_000, 5_000, 5_000,
  ])
})

test('behavior: with randomness the delay is between half and all of the plain one', () => {
  expect([0, 0.5].map((value) => backoffMs(2, { ...bounds, random: () => value }))).toEqual([200, 300])
  fc.assert(
    fc.property(fc.nat(50), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (failures, value) => {
      const plainMs = backoffMs(failures, bounds)
      const delayMs = backoffMs(failures, { ...bounds, random: () => value })
      expect(delayMs).toBeGreaterThanOrEqual(plainMs / 2)
      expect(delayMs).toBeLessThanOrEqual(plainMs)
    }),
  )
})
