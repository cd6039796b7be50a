import { systemTime } from '@tallystick/base'
import { expect, test } from 'vitest'
import { headAt, startFakeSubgraph } from './fake-subgraph.ts'
import { createTestTime, openRemote, turn } from './remote-harness.ts'

test('default: every answer updates the head, which is used for the poll interval', async () => {
  const fake = await startFakeSubgraph()
  const time = { ms: 1_000 }
  const remote = openRemote([fake.url], {
    settings: { pollMs: 60_000 },
    time: { ...systemTime, monotonic: () => time.ms },
  })
  expect(remote.subgraph.currentHead()).toBeUndefined()
  await remote.ask()
  expect(remote.subgraph.currentHead()).toMatchObject({ number: 100 })
  time.ms += 59_999
  expect(remote.subgraph.currentHead()).toMatchObject({ number: 100 })
  time.ms += 1
  expect(remote.subgraph.currentHead()).toBeUndefined()
})

test('behavior: a head without a hash is ignored', async () => {
  const fake = await startFakeSubgraph({ head: { number: 5, hash: null, timestamp: 1 } })
  const remote = openRemote([fake.url], { settings: { pollMs: 60_000 } })
  await remote.ask()
  expect(remote.subgraph.currentHead()).toBeUndefined()
})

test('behavior: the answer of an earlier query does not override that of a later one', async () => {
  const fake = await startFakeSubgraph()
  const time = { ms: 0 }
  const remote = openRemote([fake.url], {
    settings: { pollMs: 60_000 },
    time: { ...systemTime, monotonic: () => time.ms },
  })
  let answerFirst = () => undefined as unknown
  fake.behave(({ answerWell }) => {
    answerFirst = answerWell
    fake.behave(undefined)
  })
  const first = remote.ask()
  await expect.poll(() => fake.requests.length).toBe(1)
  time.ms = 10
  fake.setHead(headAt(101))
  await remote.ask()
  fake.setHead(headAt(100))
  answerFirst()
  expect((await first).head?.number).toBe(100)
  expect(await remote.subgraph.currentHead()).toMatchObject({ number: 101 })
})

test('behavior: head queries keep it current during traffic, and none are sent without traffic', async () => {
  const fake = await startFakeSubgraph()
  const time = createTestTime()
  const remote = openRemote([fake.url], { settings: { pollMs: 200 }, time })
  await remote.ask()
  // After half of the interval the head is polled, and the next poll is scheduled.
  const poll = async (polls: number) => {
    time.advance(100)
    await expect.poll(() => [fake.lights().length, time.waiting()]).toEqual([polls, 1])
  }
  fake.setHead(headAt(101))
  await poll(1)
  expect(await remote.subgraph.currentHead()).toMatchObject({ number: 101 })
  await poll(2)
  expect(await remote.subgraph.currentHead()).toMatchObject({ number: 101 })
  await poll(3)
  expect(fake.queries()).toHaveLength(1)
  // 200 ms after the last traffic nothing is sent, and nothing is scheduled.
  time.advance(100)
  await turn()
  expect([fake.lights().length, time.waiting()]).toEqual([3, 0])
})

test('behavior: with 0 the head is neither reused nor polled', async () => {
  const fake = await startFakeSubgraph()
  const time = createTestTime()
  const remote = openRemote([fake.url], { settings: { pollMs: 0 }, time })
  await remote.ask()
  expect(remote.subgraph.currentHead()).toBeUndefined()
  expect(time.waiting()).toBe(0)
  expect(fake.lights()).toEqual([])
})
