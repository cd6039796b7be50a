import { expect, test } from 'vitest'
import { inSlices } from './slices.ts'

/** Keeps the processor busy for longer than a slice. */
function work() {
  const endsAt = performance.now() + 1
  while (performance.now() < endsAt);
}

test('default: does the work for each item in order, and everything that waits runs between two slices', async () => {
  const log: unknown[] = []
  const done = inSlices([1, 2, 3], (item) => {
    log.push(item)
    setImmediate(() => log.push(`after ${item}`))
    work()
  })
  expect(log).toEqual([1])
  await done
  expect(log).toEqual([1, 'after 1', 2, 'after 2', 3, 'after 3'])
})

test('behavior: short work is done at once', async () => {
  const log: number[] = []
  const done = inSlices([1, 2, 3], (item) => void log.push(item))
  expect(log).toEqual([1, 2, 3])
  await done
})

test('error: an error of the work ends it', async () => {
  const failing = inSlices([1, 2], (item) => {
    throw new Error(`item ${item}`)
  })
  await expect(failing).rejects.toThrow('item 1')
})
