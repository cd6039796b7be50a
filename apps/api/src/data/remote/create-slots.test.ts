import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { createSlots } from './create-slots.ts'

const { signal } = new AbortController()

/** Takes a slot and tells when it has it. */
function take(slots: ReturnType<typeof createSlots>, name: string, order: string[], until: AbortSignal = signal) {
  return slots.take(until).then((giveBack) => {
    order.push(name)
    return giveBack
  })
}

test('default: who comes first is served first, and no more than there are slots', async () => {
  const slots = createSlots({ slotsMax: 2, waitingMax: 10 })
  const order: string[] = []
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => take(slots, name, order))
  const giveBackA = await a
  await b
  expect(order).toEqual(['a', 'b'])
  giveBackA?.()
  const giveBackC = await c
  expect(order).toEqual(['a', 'b', 'c'])
  giveBackC?.()
  await d
  expect(order).toEqual(['a', 'b', 'c', 'd'])
})

test('behavior: a slot that nobody waits for is free again', async () => {
  const slots = createSlots({ slotsMax: 1, waitingMax: 0 })
  for (let count = 0; count < 3; count += 1) (await slots.take(signal))()
  expect(await slots.take(signal)).toBeTypeOf('function')
})

test('error: one more than can wait is refused', async () => {
  const slots = createSlots({ slotsMax: 1, waitingMax: 1 })
  await slots.take(signal)
  const waiting = slots.take(new AbortController().signal)
  await expect(slots.take(signal)).rejects.toMatchObject({ details: { failure: 'overloaded' } })
  expect(await Promise.race([waiting, 'still waiting'])).toBe('still waiting')
})

test('error: who is broken off while waiting loses the place, and leaves no listener', async () => {
  const slots = createSlots({ slotsMax: 1, waitingMax: 1 })
  const giveBack = await slots.take(signal)
  const controller = new AbortController()
  const waiting = slots.take(controller.signal)
  controller.abort('gone')
  await expect(waiting).rejects.toBe('gone')
  const order: string[] = []
  const next = take(slots, 'next', order)
  giveBack()
  await next
  expect(order).toEqual(['next'])
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('error: who is broken off already takes nothing', async () => {
  const slots = createSlots({ slotsMax: 1, waitingMax: 0 })
  await expect(slots.take(AbortSignal.abort('gone'))).rejects.toBe('gone')
  expect(await slots.take(signal)).toBeTypeOf('function')
})
