import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { createSlots } from './create-slots.ts'

const { signal } = new AbortController()

/** Takes a slot and then adds the name to `order`. */
function take(slots: ReturnType<typeof createSlots>, name: string, order: string[], until: AbortSignal = signal) {
  return slots.take(until).then((release) => {
    order.push(name)
    return release
  })
}

test('default: serves callers in order, never more than there are slots', async () => {
  const slots = createSlots({ slotsMax: 2, waitingMax: 10 })
  const order: string[] = []
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => take(slots, name, order))
  const releaseA = await a
  await b
  expect(order).toEqual(['a', 'b'])
  releaseA?.()
  const releaseC = await c
  expect(order).toEqual(['a', 'b', 'c'])
  releaseC?.()
  await d
  expect(order).toEqual(['a', 'b', 'c', 'd'])
})

test('behavior: a released slot can be taken again', async () => {
  const slots = createSlots({ slotsMax: 1, waitingMax: 0 })
  for (let count = 0; count < 3; count += 1) (await slots.take(signal))()
  expect(await slots.take(signal)).toBeTypeOf('function')
})

test('error: a caller beyond the waiting limit is rejected', async () => {
  const slots = createSlots({ slotsMax: 1, waitingMax: 1 })
  await slots.take(signal)
  const waiting = slots.take(new AbortController().signal)
  await expect(slots.take(signal)).rejects.toMatchObject({ details: { failure: 'overloaded' } })
  expect(await Promise.race([waiting, 'still waiting'])).toBe('still waiting')
})

test('error: a caller aborted while waiting leaves the queue and no listener', async () => {
  const slots = createSlots({ slotsMax: 1, waitingMax: 1 })
  const release = await slots.take(signal)
  const controller = new AbortController()
  const waiting = slots.take(controller.signal)
  controller.abort('gone')
  await expect(waiting).rejects.toBe('gone')
  const order: string[] = []
  const next = take(slots, 'next', order)
  release()
  await next
  expect(order).toEqual(['next'])
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('error: a caller aborted before takes no slot', async () => {
  const slots = createSlots({ slotsMax: 1, waitingMax: 0 })
  await expect(slots.take(AbortSignal.abort('gone'))).rejects.toBe('gone')
  expect(await slots.take(signal)).toBeTypeOf('function')
})
