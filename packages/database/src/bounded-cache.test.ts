import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBoundedCache } from './bounded-cache.ts'

test('default: finds what was kept, and nothing else', () => {
  const cache = createBoundedCache<number>({ countMax: 4 })
  cache.keep('a', 1)
  cache.keep('a', 2)
  expect([cache.find('a'), cache.find('b'), cache.count]).toEqual([2, undefined, 1])
  cache.clear()
  expect([cache.find('a'), cache.count, cache.bytes]).toEqual([undefined, 0, 0])
})

test('behavior: what is asked for stays, what is not goes', () => {
  const cache = createBoundedCache<number>({ countMax: 10 })
  cache.keep('asked', 1)
  cache.keep('not asked', 1)
  for (let index = 0; index < 100; index++) {
    cache.keep(`other ${index}`, index)
    expect(cache.find('asked')).toBe(1)
  }
  expect(cache.find('not asked')).toBeUndefined()
})

test('behavior: half of the room always holds what was kept last', () => {
  const cache = createBoundedCache<number>({ countMax: 10 })
  for (let last = 0; last < 50; last++) {
    cache.keep(String(last), last)
    for (let index = Math.max(0, last - 4); index <= last; index++) expect(cache.find(String(index))).toBe(index)
  }
})

test('behavior: one that takes all the room is kept alone; one that takes more is not, nor what it was to replace', () => {
  const cache = createBoundedCache<number>({ countMax: 10, bytesMax: 100 })
  cache.keep('small', 1, 30)
  cache.keep('all', 2, 100)
  expect([cache.find('small'), cache.find('all'), cache.bytes]).toEqual([undefined, 2, 100])
  cache.keep('all', 3, 101)
  expect([cache.find('all'), cache.count, cache.bytes]).toEqual([undefined, 0, 0])
})

test('behavior: a cache without room keeps nothing', () => {
  const cache = createBoundedCache<number>({ countMax: 10, bytesMax: 0 })
  cache.keep('a', 1, 1)
  expect([cache.find('a'), cache.count]).toEqual([undefined, 0])
})

test('behavior: whatever is kept and asked for, it stays within its bounds and tells the truth', () => {
  const step = fc.record({
    key: fc.integer({ min: 0, max: 30 }),
    bytes: fc.integer({ min: 0, max: 120 }),
    asks: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 12 }), fc.array(step, { maxLength: 200 }), (countMax, steps) => {
      const cache = createBoundedCache<number>({ countMax, bytesMax: 100 })
      const newest = new Map<string, number>()
      for (const [index, { key, bytes, asks }] of steps.entries()) {
        const name = String(key)
        if (asks) expect([undefined, newest.get(name)]).toContain(cache.find(name))
        else {
          cache.keep(name, index, bytes)
          newest.set(name, index)
          expect(cache.find(name)).toBe(bytes > 100 ? undefined : index)
        }
        expect(cache.count).toBeLessThanOrEqual(countMax)
        expect(cache.bytes).toBeLessThanOrEqual(100)
      }
    }),
  )
})
