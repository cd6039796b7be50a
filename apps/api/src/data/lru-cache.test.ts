import fc from 'fast-check'
import { LRUCache } from 'lru-cache'
import { expect, test } from 'vitest'

// The guarantees our caches need of lru-cache, with the options they use.

test('default: finds the newest value of a key; clear empties the cache', () => {
  const cache = new LRUCache<string, number>({ max: 4 })
  cache.set('a', 1)
  cache.set('a', 2)
  expect([cache.get('a'), cache.get('b'), cache.size]).toEqual([2, undefined, 1])
  cache.clear()
  expect([cache.get('a'), cache.size, cache.calculatedSize]).toEqual([undefined, 0, 0])
})

test('behavior: a value that is read stays, one that is not read is evicted', () => {
  const cache = new LRUCache<string, number>({ max: 10 })
  cache.set('read', 1)
  cache.set('not read', 1)
  for (let index = 0; index < 100; index++) {
    cache.set(`other ${index}`, index)
    expect(cache.get('read')).toBe(1)
  }
  expect(cache.get('not read')).toBeUndefined()
})

test('behavior: the newest values always fill the cache', () => {
  const cache = new LRUCache<string, number>({ max: 10 })
  for (let last = 0; last < 50; last++) {
    cache.set(String(last), last)
    for (let index = Math.max(0, last - 9); index <= last; index++) expect(cache.get(String(index))).toBe(index)
  }
})

test('behavior: a value of the whole size evicts all others; a larger one is not kept and removes the one it replaces', () => {
  const cache = new LRUCache<string, number>({ max: 10, maxSize: 100 })
  cache.set('small', 1, { size: 30 })
  cache.set('all', 2, { size: 100 })
  expect([cache.get('small'), cache.get('all'), cache.calculatedSize]).toEqual([undefined, 2, 100])
  cache.set('all', 3, { size: 101 })
  expect([cache.get('all'), cache.size, cache.calculatedSize]).toEqual([undefined, 0, 0])
})

test('behavior: a cache of size 1 keeps no larger value', () => {
  const cache = new LRUCache<string, number>({ max: 10, maxSize: 1 })
  cache.set('a', 1, { size: 2 })
  expect([cache.get('a'), cache.size]).toEqual([undefined, 0])
})

test('behavior: any sequence of writes and reads keeps the most recently used values within both bounds', () => {
  const maxSize = 100
  const step = fc.record({
    key: fc.integer({ min: 0, max: 30 }).map(String),
    size: fc.integer({ min: 1, max: 120 }),
    isRead: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 12 }), fc.array(step, { maxLength: 200 }), (max, steps) => {
      const cache = new LRUCache<string, number>({ max, maxSize })
      const model = createModel(max, maxSize)
      for (const [index, { key, size, isRead }] of steps.entries()) {
        if (isRead) expect(cache.get(key)).toBe(model.get(key))
        else {
          cache.set(key, index, { size })
          model.set(key, { value: index, size })
        }
        expect([cache.size, cache.calculatedSize]).toEqual([model.entries.size, model.size()])
        expect(cache.size).toBeLessThanOrEqual(max)
        expect(cache.calculatedSize).toBeLessThanOrEqual(maxSize)
        expect(new Set(cache.keys())).toEqual(new Set(model.entries.keys()))
      }
    }),
  )
})

/** Creates a simple reference cache: a Map in the order of use. */
function createModel(max: number, maxSize: number) {
  type Entry = { readonly value: number; readonly size: number }
  const entries = new Map<string, Entry>()
  const size = () => [...entries.values()].reduce((sum, entry) => sum + entry.size, 0)
  const set = (key: string, entry: Entry) => {
    entries.delete(key)
    if (entry.size > maxSize) return
    entries.set(key, entry)
    for (const oldest of [...entries.keys()]) {
      if (entries.size > max || size() > maxSize) entries.delete(oldest)
    }
  }
  return {
    entries,
    size,
    set,
    get: (key: string) => {
      const entry = entries.get(key)
      if (entry) set(key, entry)
      return entry?.value
    },
  }
}
