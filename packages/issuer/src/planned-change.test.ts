import { periodAt } from '@tallystick/core'
import { expect, test } from 'vitest'
import { isPlannedChange } from './planned-change.ts'

const period = periodAt(1794744000n)
const [before, announced, stranger] = ['01', '02', '03'].map((byte) => `0x${byte.repeat(20)}` as const) as [
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
]
const { start, end } = period

test.each([
  ['the pool changes in the last second of the last old notes', before, announced, end - 1n, true],
  ['the pool changes 300 s before they expire', before, announced, end - 300n, true],
  ['the pool changes earlier', before, announced, end - 301n, false],
  ['new notes are signed before their period', announced, before, start - 600n, true],
  ['the pool changes up to 299 s after their first second', announced, before, start + 299n, true],
  ['the pool has not changed after 300 s', announced, before, start + 300n, false],
  ['the pool has the signer of the notes', announced, announced, start, false],
  ['the pool has a signer that nobody announced', before, stranger, end - 1n, false],
] as const)('default: if %s', (_, signer, registered, nowSeconds, expected) => {
  expect(isPlannedChange({ set: { period, signer }, registered, next: announced, nowSeconds })).toBe(expected)
  expect(isPlannedChange({ set: { period, signer }, registered, next: undefined, nowSeconds })).toBe(false)
})
