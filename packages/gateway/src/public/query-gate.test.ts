import { createAbort } from '@tallystick/base'
import { expect, test } from 'vitest'
import { createQueryGate } from './query-gate.ts'

const never = createAbort().signal

function createJob() {
  let end = () => {}
  const done = new Promise<void>((resolve) => {
    end = resolve
  })
  return { work: () => done, end: () => end() }
}

test('behavior: queries run up to a limit, wait in order up to a limit, and are then rejected', async () => {
  const gate = createQueryGate({ runningMax: 2, waitingMax: 2 })
  const order: number[] = []
  const jobs = [0, 1, 2, 3].map(createJob)
  const passes = jobs.map((job, index) =>
    gate.pass(() => {
      order.push(index)
      return job.work()
    }, never),
  )
  expect([gate.running, gate.waiting]).toEqual([2, 2])
  await expect(gate.pass(async () => 1, never)).rejects.toMatchObject({ code: 'not_ready', retryAfterSeconds: 1 })
  jobs[1]?.end()
  await passes[1]
  jobs[0]?.end()
  await passes[0]
  expect(order).toEqual([0, 1, 2, 3])
  for (const job of jobs) job.end()
  await Promise.all(passes)
  expect([gate.running, gate.waiting]).toEqual([0, 0])
  expect(await gate.pass(async () => 1, never)).toBe(1)
})

test('behavior: a caller that leaves while waiting and work that fails both free their slot', async () => {
  const gate = createQueryGate({ runningMax: 1, waitingMax: 1 })
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
