import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createKnownRemoteHead } from './known-remote-head.ts'

const head = (number: number) => ({ number, hash: `0x0${number}`, timestamp: undefined })

/** Knowledge on a clock in the test's hand; its timers are real. */
function setUp(pollMs: number) {
  const time = { ms: 0 }
  const polls: number[] = []
  const known = createKnownRemoteHead({
    pollMs,
    poll: async () => void polls.push(time.ms),
    monotonicNow: () => time.ms,
  })
  onTestFinished(known.close)
  return { known, time, polls }
}

test('default: nothing is known before anything was heard', () => {
  expect(setUp(1_000).known.read()).toBeUndefined()
})

test('behavior: knowledge is as old as its question, to the millisecond', () => {
  const { known, time } = setUp(1_000)
  time.ms = 900
  known.learn(head(1), 100)
  time.ms = 1_099
  expect(known.read()).toEqual(head(1))
  time.ms = 1_100
  expect(known.read()).toBeUndefined()
})

test('behavior: the later question counts, in whichever order the answers come', () => {
  const { known } = setUp(1_000)
  known.learn(head(2), 20)
  known.learn(head(1), 10)
  expect(known.read()).toEqual(head(2))
  known.learn(head(1), 30)
  expect(known.read()).toEqual(head(1))
})

test('behavior: of two questions of one instant the answer that comes last counts', () => {
  const { known } = setUp(1_000)
  known.learn(head(1), 10)
  known.learn(head(2), 10)
  expect(known.read()).toEqual(head(2))
})

test('behavior: with traffic it polls once the knowledge is half as old as it may be', async () => {
  const { known, time, polls } = setUp(20)
  known.touch()
  await expect.poll(() => polls[0], { interval: 5 }).toBe(0)
  time.ms = 19
  known.touch()
  await expect.poll(() => polls.at(-1), { interval: 5 }).toBe(19)
})

test('behavior: while answers tell often enough it does not poll', async () => {
  const { known, time, polls } = setUp(20)
  known.touch()
  for (let round = 0; round < 10; round += 1) {
    known.learn(head(round), time.ms)
    await delay(10)
    known.touch()
    time.ms += 9
  }
  expect(polls).toEqual([])
})

test('behavior: without traffic it stops, and with the next it starts again', async () => {
  const { known, time, polls } = setUp(20)
  known.touch()
  time.ms = 20
  await delay(60)
  expect(polls).toEqual([])
  known.read()
  await expect.poll(() => polls, { interval: 5 }).toContain(20)
})

test('behavior: one poll at a time', async () => {
  let under = 0
  let most = 0
  let rounds = 0
  const known = createKnownRemoteHead({
    pollMs: 10,
    poll: async () => {
      under += 1
      most = Math.max(most, under)
      await delay(15)
      under -= 1
      rounds += 1
    },
    monotonicNow: () => performance.now(),
  })
  onTestFinished(known.close)
  await expect.poll(() => [known.read(), rounds][1], { interval: 2 }).toBeGreaterThanOrEqual(3)
  expect(most).toBe(1)
})

test('behavior: 0 never knows and never polls; nor does what is closed', async () => {
  const never = setUp(0)
  never.known.learn(head(1), 0)
  expect(never.known.read()).toBeUndefined()
  const closed = setUp(10)
  closed.known.touch()
  closed.known.close()
  closed.known.touch()
  await delay(30)
  expect([never.polls, closed.polls]).toEqual([[], []])
})
