import { expect, test } from 'vitest'
import { createRangeSizer } from './range-sizer.ts'

test('default: ranges double after a success and halve after a rejection', () => {
  const sizer = createRangeSizer()
  expect(sizer.size).toBe(2_000)
  sizer.succeeded(0)
  expect(sizer.size).toBe(4_000)
  sizer.refused(4_000)
  expect(sizer.size).toBe(2_000)
})

test('behavior: after the rejection of a shorter range, the next one is shorter than that', () => {
  const sizer = createRangeSizer()
  sizer.refused(74)
  expect(sizer.size).toBe(37)
  for (const blocks of [37, 18, 9, 4, 2, 1]) sizer.refused(blocks)
  expect(sizer.size).toBe(1)
})
