import { expect, test } from 'vitest'
import { countOf } from './count-of.ts'

test('default: one is singular, everything else plural', () => {
  expect([0, 1, 2, -1].map((count) => countOf(count, 'note'))).toEqual(['0 notes', '1 note', '2 notes', '-1 notes'])
  expect([1n, 1_000n].map((count) => countOf(count, 'entry', 'entries'))).toEqual(['1 entry', '1000 entries'])
})
