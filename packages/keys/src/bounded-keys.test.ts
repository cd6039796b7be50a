import { expect, test } from 'vitest'
import { createBoundedKeys } from './bounded-keys.ts'

const key = (id: string, notes: number) => ({ id, uses: { notes, data: 0, rate: 0 } })

test('default: lists the keys with the most requests, and the sum of the rest', () => {
  const list = createBoundedKeys(2)
  const found = list([key('a', 1), key('b', 9), key('c', 5), key('d', 2)])
  expect(found).toEqual([key('b', 9), key('c', 5), key('other', 3)])
})

test('default: requests of all three endpoints count, and are summed apart', () => {
  const keys = [
    { id: 'a', uses: { notes: 4, data: 0, rate: 0 } },
    { id: 'b', uses: { notes: 1, data: 5, rate: 1 } },
    { id: 'c', uses: { notes: 2, data: 1, rate: 3 } },
  ]
  expect(createBoundedKeys(1)(keys)).toEqual([keys[1], { id: 'other', uses: { notes: 6, data: 1, rate: 3 } }])
  expect(createBoundedKeys(3)(keys)).toEqual(keys)
})

test('behavior: counters never decrease when another key is used more, or when a key is revoked', () => {
  const list = createBoundedKeys(1)
  const [a, b, c] = [key('a', 1), key('b', 0), key('c', 0)]
  expect(list([a, b])).toEqual([key('a', 1), key('other', 0)])
  b.uses.notes = 50
  expect(list([a, b, c])).toEqual([key('a', 1), key('other', 50)])
  // A revoked key leaves, and a key that is new takes its place.
  expect(list([b, c])).toEqual([key('other', 50)])
  expect(list([b, c, key('d', 7)])).toEqual([key('d', 7), key('other', 50)])
})
