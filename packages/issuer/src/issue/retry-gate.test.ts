import { expect, test } from 'vitest'
import { createManualTime } from '../../../base/test/test-time.ts'
import { createRetryGate } from './retry-gate.ts'

/** A gate on a clock in the test's hand, and a way to run work that succeeds or fails and is counted. */
function setUp() {
  const time = createManualTime()
  const gate = createRetryGate(time, 'retry')
  const tries: string[] = []
  const attempt = (key: string, succeeds: boolean) =>
    gate.run(key, async () => {
      tries.push(key)
      return succeeds
    })
  return { time, gate, tries, attempt }
}

/** Work that goes on until the test says so. */
function createWork() {
  let finish: (succeeded: boolean) => void = () => undefined
  const done = new Promise<boolean>((resolve) => {
    finish = resolve
  })
  const work = {
    runs: 0,
    finish,
    run: () => {
      work.runs++
      return done
    },
  }
  return work
}

test('default: successful work may run again at once', async () => {
  const { attempt, tries } = setUp()
  await attempt('a', true)
  await attempt('a', true)
  expect(tries).toEqual(['a', 'a'])
})

test('behavior: a second call joins the running work', async () => {
  const { gate } = setUp()
  const work = createWork()
  const first = gate.run('a', work.run)
  const second = gate.run('a', work.run)
  expect(work.runs).toBe(1)
  let waited = false
  const watched = second.then(() => {
    waited = true
  })
  await Promise.resolve()
  expect(waited).toBe(false)
  work.finish(true)
  await Promise.all([first, watched])
  expect(work.runs).toBe(1)
})

test('behavior: keys are independent', async () => {
  const { gate, attempt, tries } = setUp()
  const work = createWork()
  const hanging = gate.run('a', work.run)
  await attempt('b', true)
  expect(tries).toEqual(['b'])
  work.finish(true)
  await hanging
})

test('behavior: the backoff is 1, 2, 4, 8, 15 and 15 s, to the millisecond', async () => {
  const { time, attempt, tries } = setUp()
  await attempt('a', false)
  for (const [index, waitMs] of [1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000].entries()) {
    time.advance(waitMs - 1)
    await attempt('a', false)
    expect(tries).toHaveLength(index + 1)
    time.advance(1)
    await attempt('a', false)
    expect(tries).toHaveLength(index + 2)
  }
})

test('behavior: a call during the backoff resolves at once and does nothing', async () => {
  const { attempt, tries } = setUp()
  await attempt('a', false)
  await attempt('a', true)
  expect(tries).toEqual(['a'])
})

test('behavior: the backoff starts when the attempt ends', async () => {
  const { time, gate, attempt, tries } = setUp()
  const work = createWork()
  const slow = gate.run('a', work.run)
  time.advance(60_000)
  work.finish(false)
  await slow
  time.advance(999)
  await attempt('a', true)
  expect(tries).toEqual([])
  time.advance(1)
  await attempt('a', true)
  expect(tries).toEqual(['a'])
})

test('behavior: a failure affects only its key', async () => {
  const { attempt, tries } = setUp()
  await attempt('a', false)
  await attempt('b', true)
  expect(tries).toEqual(['a', 'b'])
})

test('behavior: a success resets the failure count', async () => {
  const { time, attempt, tries } = setUp()
  await attempt('a', false)
  time.advance(1_000)
  await attempt('a', false)
  time.advance(2_000)
  await attempt('a', true)
  await attempt('a', false)
  time.advance(999)
  await attempt('a', false)
  expect(tries).toHaveLength(4)
  time.advance(1)
  await attempt('a', false)
  expect(tries).toHaveLength(5)
})

test('behavior: reset ends every backoff and resets the failure counts', async () => {
  const { time, gate, attempt, tries } = setUp()
  await attempt('a', false)
  time.advance(1_000)
  await attempt('a', false)
  await attempt('b', false)
  gate.reset()
  await attempt('a', false)
  await attempt('b', true)
  expect(tries).toEqual(['a', 'a', 'b', 'a', 'b'])
  time.advance(1_000)
  await attempt('a', true)
  expect(tries).toHaveLength(6)
})

test('behavior: reset does not start a second run in parallel', async () => {
  const { gate } = setUp()
  const work = createWork()
  const first = gate.run('a', work.run)
  gate.reset()
  const second = gate.run('a', work.run)
  expect(work.runs).toBe(1)
  work.finish(true)
  await Promise.all([first, second])
})

test('default: settle resolves at once if nothing runs', async () => {
  const { gate } = setUp()
  expect(await gate.settle()).toBeUndefined()
})

test('behavior: settle waits for all runs', async () => {
  const { gate } = setUp()
  const [a, b] = [createWork(), createWork()]
  void gate.run('a', a.run)
  void gate.run('b', b.run)
  const order: string[] = []
  const settled = gate.settle().then(() => order.push('settled'))
  a.finish(true)
  await gate.run('a', a.run)
  order.push('b finishes')
  b.finish(false)
  await settled
  expect(order).toEqual(['b finishes', 'settled'])
})

test('behavior: settle waits for runs started while it waits', async () => {
  const { gate } = setUp()
  const [a, b] = [createWork(), createWork()]
  const first = gate.run('a', a.run)
  const order: string[] = []
  const settled = gate.settle().then(() => order.push('settled'))
  const second = gate.run('b', b.run)
  a.finish(true)
  await first
  // As many turns of the event loop as it likes: it must not settle before b is done.
  await new Promise(setImmediate)
  order.push('b finishes')
  b.finish(true)
  await Promise.all([second, settled])
  expect(order).toEqual(['b finishes', 'settled'])
})

test('error: work that throws does not block its key', async () => {
  const { gate, attempt, tries } = setUp()
  await expect(gate.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  await attempt('a', true)
  expect(tries).toEqual(['a'])
})
