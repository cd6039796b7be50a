import { getEventListeners } from 'node:events'
import { createAbort } from '@tallystick/base'
import { expect, test } from 'vitest'
import { createGate } from './gate.ts'

const { signal: never } = new AbortController()
const refuse = (waiting: number) => new Error(`${waiting} wait`)

function createJob() {
  let end = () => {}
  const done = new Promise<void>((resolve) => {
    end = resolve
  })
  return { work: () => done, end: () => end() }
}

/** Resolves when the places of callers who have ended are handed over. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

test('behavior: callers run up to a limit, wait in order up to a limit, and are then refused', async () => {
  const gate = createGate({ runningMax: 2, waitingMax: 2, refuse })
  const order: number[] = []
  const jobs = [0, 1, 2, 3].map(createJob)
  const passes = jobs.map((job, index) =>
    gate.pass(() => {
      order.push(index)
      return job.work()
    }, never),
  )
  expect([gate.running, gate.waiting]).toEqual([2, 2])
  await expect(gate.pass(async () => 1, never)).rejects.toThrow('2 wait')
  expect(order).toEqual([0, 1])
  jobs[1]?.end()
  await passes[1]
  await turn()
  expect(order).toEqual([0, 1, 2])
  jobs[0]?.end()
  await passes[0]
  await turn()
  expect(order).toEqual([0, 1, 2, 3])
  for (const job of jobs) job.end()
  await Promise.all(passes)
  expect([gate.running, gate.waiting]).toEqual([0, 0])
  expect(await gate.pass(async () => 1, never)).toBe(1)
})

test('behavior: a caller that leaves while waiting and work that fails both free their place', async () => {
  const gate = createGate({ runningMax: 1, waitingMax: 1, refuse })
  const job = createJob()
  const first = gate.pass(job.work, never)
  const { signal, abort } = createAbort()
  const second = gate.pass(async () => 2, signal)
  abort(new Error('gone'))
  await expect(second).rejects.toThrow('gone')
  const third = gate.pass(() => Promise.reject(new Error('failed')), never)
  job.end()
  await first
  await expect(third).rejects.toThrow('failed')
  expect([gate.running, gate.waiting]).toEqual([0, 0])
})

test('behavior: a place that was freed can be taken again', async () => {
  const gate = createGate({ runningMax: 1, waitingMax: 0, refuse })
  for (let count = 0; count < 4; count += 1) expect(await gate.pass(async () => count, never)).toBe(count)
})

test('behavior: a new caller cannot take the place that passes to one who waits', async () => {
  const gate = createGate({ runningMax: 1, waitingMax: 1, refuse })
  const job = createJob()
  const first = gate.pass(job.work, never)
  const second = gate.pass(async () => 2, never)
  job.end()
  await first
  await expect(gate.pass(async () => 3, never)).rejects.toThrow('1 wait')
  expect(await second).toBe(2)
})

test('behavior: callers who are aborted together do not pass the place to each other', async () => {
  const gate = createGate({ runningMax: 1, waitingMax: 2, refuse })
  const controller = new AbortController()
  const { signal } = controller
  let begun = 0
  const work = () => {
    begun += 1
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
  }
  const passes = [0, 1, 2].map(() => gate.pass(work, signal).catch((reason) => reason))
  controller.abort('gone')
  expect(await Promise.all(passes)).toEqual(['gone', 'gone', 'gone'])
  await turn()
  expect([begun, gate.running, gate.waiting]).toEqual([1, 0, 0])
})

test('error: a caller aborted while waiting leaves the queue, and no caller leaves a listener', async () => {
  const gate = createGate({ runningMax: 1, waitingMax: 1, refuse })
  const job = createJob()
  const first = gate.pass(job.work, never)
  const controller = new AbortController()
  const waiting = gate.pass(async () => 'late', controller.signal)
  controller.abort('gone')
  await expect(waiting).rejects.toBe('gone')
  const next = gate.pass(async () => 'next', never)
  job.end()
  await first
  expect(await next).toBe('next')
  expect(getEventListeners(never, 'abort')).toEqual([])
})

test('error: a caller aborted before takes no place', async () => {
  const gate = createGate({ runningMax: 1, waitingMax: 0, refuse })
  await expect(gate.pass(async () => 1, AbortSignal.abort('gone'))).rejects.toBe('gone')
  expect(await gate.pass(async () => 2, never)).toBe(2)
})
