import { expect, test } from 'vitest'
import { elapsedMs } from './use-idle.ts'

test('behavior: neither a clock that was set back nor a sleep shortens the time without input', () => {
  const from = { wall: 1_000, monotonic: 1_000 }
  expect(elapsedMs(from, { wall: -3_000, monotonic: 3_000 })).toBe(2_000)
  expect(elapsedMs(from, { wall: 9_000, monotonic: 1_500 })).toBe(8_000)
})
