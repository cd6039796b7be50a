import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { inSlices } from './slices.ts'

let nowMs = 0
beforeEach(() => {
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  onTestFinished(() => spy.mockRestore())
})

/** Works on items that take some time each, while each turn has other work. Returns the number of items of each slice. */
async function countItems({ itemMs, otherMs }: { readonly itemMs: number; readonly otherMs: number }) {
  const slices = [0]
  let other = setImmediate(function turn() {
    nowMs += otherMs
    slices.push(0)
    other = setImmediate(turn)
  })
  await inSlices(Array.from({ length: 100 }), () => {
    slices[slices.length - 1] = (slices.at(-1) ?? 0) + 1
    nowMs += itemMs
  })
  clearImmediate(other)
  return slices.filter((count) => count > 0)
}

test('default: other work runs every 0.5 ms', async () => {
  expect(await countItems({ itemMs: 0.0625, otherMs: 0.125 })).toEqual([...Array.from({ length: 12 }, () => 8), 4])
})

test('behavior: an item that takes longer is a slice of its own', async () => {
  expect(await countItems({ itemMs: 1, otherMs: 0 })).toEqual(Array.from({ length: 100 }, () => 1))
})

test('behavior: under overload, a slice is half as long as the turn of other work before it', async () => {
  expect(await countItems({ itemMs: 0.125, otherMs: 3 })).toEqual([4, ...Array.from({ length: 8 }, () => 12)])
})

test('behavior: a slice is never longer than 5 ms', async () => {
  expect(await countItems({ itemMs: 0.25, otherMs: 50 })).toEqual([2, 20, 20, 20, 20, 18])
})

test('default: the items are worked on in order, those of the first slice at once', async () => {
  const log: number[] = []
  const done = inSlices([1, 2, 3], (item) => {
    log.push(item)
    nowMs += 0.25
  })
  expect(log).toEqual([1, 2])
  await done
  expect(log).toEqual([1, 2, 3])
})

test('error: an error of the work ends it', async () => {
  const failing = inSlices([1, 2], (item) => {
    throw new Error(`item ${item}`)
  })
  await expect(failing).rejects.toThrow('item 1')
})
