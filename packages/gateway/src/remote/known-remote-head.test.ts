import { setTimeout as delay } from 'node:timers/promises'
import { systemTime } from '@tallystick/base'
import { expect, onTestFinished, test } from 'vitest'
import { createKnownRemoteHead } from './known-remote-head.ts'

const head = (number: number) => ({ number, hash: `0x0${number}`, timestamp: undefined })

/** Creates a known head with a manual clock and real timers. */
function setUp(pollMs: number) {
  const time = { ms: 0 }
  const polls: number[] = []
  const known = createKnownRemoteHead({
    pollMs,
    poll: async () => void polls.push(time.ms),
    time: { ...systemTime, monotonic: () => time.ms },
  })
  onTestFinished(known.close)
  return { known, time, polls }
}

test('default: the head is undefined before the first answer', () => {
  expect(setUp(1_000).known.read()).toBeUndefined()
})

test('behavior: the age of a head counts from the time its query was sent', () => {
  const { known, time } = setUp(1_000)
  time.ms = 900
  known.learn(head(1), 100)
  time.ms = 1_099
  expect(known.read()).toEqual(head(1))
  time.ms = 1_100
  expect(known.read()).toBeUndefined()
})

test('behavior: the answer of the later query wins, in whatever order answers arrive', () => {
  const { known } = setUp(1_000)
  known.learn(head(2), 20)
  known.learn(head(1), 10)
  expect(known.read()).toEqual(head(2))
  known.learn(head(1), 30)
  expect(known.read()).toEqual(head(1))
})

test('behavior: of two queries sent at the same time the later answer wins', () => {
  const { known } = setUp(1_000)
  known.learn(head(1), 10)
  known.learn(head(2), 10)
  expect(known.read()).toEqual(head(2))
})

test('behavior: during traffic it polls at half the maximum age', async () => {
  const { known, time, polls } = setUp(20)
  known.touch()
  await expect.poll(() => polls[0], { interval: 5 }).toBe(0)
  time.ms = 19
  known.touch()
  await expect.poll(() => polls.at(-1), { interval: 5 }).toBe(19)
})

test('behavior: it does not poll while answers keep the head current', async () => {
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

test('behavior: it stops polling without traffic and restarts with the next request', async () => {
  const { known, time, polls } = setUp(20)
  known.touch()
  time.ms = 20
  await delay(60)
  expect(polls).toEqual([])
  known.read()
  await expect.poll(() => polls, { interval: 5 }).toContain(20)
})

test('behavior: it runs one poll at a time', async () => {
  let running = 0
  let most = 0
  let rounds = 0
  const known = createKnownRemoteHead({
    pollMs: 10,
    poll: async () => {
      running += 1
      most = Math.max(most, running)
      await delay(15)
      running -= 1
      rounds += 1
    },
    time: systemTime,
  })
  onTestFinished(known.close)
  await expect.poll(() => [known.read(), rounds][1], { interval: 2 }).toBeGreaterThanOrEqual(3)
  expect(most).toBe(1)
})

test('behavior: it neither reads nor polls with 0, and does not poll when closed', async () => {
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
