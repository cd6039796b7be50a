import { expect, onTestFinished, test, vi } from 'vitest'
import { createChainClock } from './chain-clock.ts'
import { createMeasuredClock } from './reference-clock.ts'

const noonMs = Date.parse('2026-11-15T12:00:00-05:00')

/** A clock read over a network whose round trip the test sets. */
function setUp() {
  const world = { monotonicMs: 5_000, readMs: noonMs as number | Error, thereMs: 0, backMs: 0 }
  const clock = createMeasuredClock({
    name: 'database',
    time: { monotonic: () => world.monotonicMs },
    read: async () => {
      world.monotonicMs += world.thereMs
      const { readMs } = world
      world.monotonicMs += world.backMs
      if (readMs instanceof Error) throw readMs
      return readMs
    },
  })
  return { world, clock }
}

test('default: no estimate before the first measurement', () => {
  expect(setUp().clock.estimate()).toBeUndefined()
})

test('default: the reading is assigned to the middle of the round trip, with half of it as uncertainty', async () => {
  const { world, clock } = setUp()
  Object.assign(world, { thereMs: 300, backMs: 100 })
  await clock.measure()
  expect(clock.estimate()).toEqual({ earliestMs: noonMs, latestMs: noonMs + 400 })
})

test('behavior: the estimate advances with the monotonic clock, also while measurements fail', async () => {
  const { world, clock } = setUp()
  await clock.measure()
  world.monotonicMs += 3_600_000
  world.readMs = new Error('away')
  await clock.measure()
  expect(clock.estimate()).toEqual({ earliestMs: noonMs + 3_600_000, latestMs: noonMs + 3_600_000 })
})

test.each([
  [1_000, true],
  [1_001, false],
])('behavior: a round trip of %d ms is accepted: %s', async (backMs, isTaken) => {
  const { world, clock } = setUp()
  await clock.measure()
  Object.assign(world, { backMs, readMs: noonMs + 86_400_000 })
  await clock.measure()
  expect((clock.estimate()?.latestMs as number) > noonMs + 80_000_000).toBe(isTaken)
})

test('error: a reading that hangs times out', async () => {
  const clock = createMeasuredClock({
    name: 'database',
    time: { monotonic: () => performance.now() },
    read: () => new Promise(() => undefined),
  })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const measured = clock.measure()
  await vi.advanceTimersByTimeAsync(1_000)
  await measured
  expect(clock.estimate()).toBeUndefined()
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 253_402_300_800_000])(
  'error: rejects the reading %d',
  async (readMs) => {
    const { world, clock } = setUp()
    world.readMs = readMs
    await clock.measure()
    expect(clock.estimate()).toBeUndefined()
  },
)

test('behavior: after sleep, during which the monotonic clock stops, the next measurement corrects the estimate', async () => {
  const { world, clock } = setUp()
  await clock.measure()
  world.readMs = noonMs + 7_200_000
  expect(clock.estimate()?.latestMs).toBe(noonMs)
  await clock.measure()
  expect(clock.estimate()?.latestMs).toBe(noonMs + 7_200_000)
})

test('behavior: a shift moves the estimate at once', async () => {
  let shiftMs = 0
  const clock = createMeasuredClock({
    name: 'database',
    time: { monotonic: () => 0 },
    read: async () => noonMs,
    shiftMs: () => shiftMs,
  })
  await clock.measure()
  shiftMs = -5
  expect(clock.estimate()?.earliestMs).toBe(noonMs - 5)
})

test('behavior: a chain’s time is between its newest block and the longest interval after it', async () => {
  const world = { monotonicMs: 0, seconds: BigInt(noonMs / 1000) as bigint | undefined }
  const clock = createChainClock({
    chainId: 324,
    time: { monotonic: () => world.monotonicMs },
    read: async () => world.seconds,
  })
  await clock.measure()
  expect(clock.estimate()).toEqual({ earliestMs: noonMs - 60_000, latestMs: noonMs + 900_000 })
  // The same block again: it is still all the chain says, and the silence goes on.
  world.monotonicMs = 100_000
  await clock.measure()
  expect(clock.estimate()).toEqual({ earliestMs: noonMs - 60_000, latestMs: noonMs + 1_000_000 })
  // No answer any more: time goes on nevertheless.
  world.seconds = undefined
  world.monotonicMs = 150_000
  await clock.measure()
  expect(clock.estimate()).toEqual({ earliestMs: noonMs - 10_000, latestMs: noonMs + 1_050_000 })
  world.seconds = 2n ** 64n
  await clock.measure()
  expect(clock.estimate()).toEqual({ earliestMs: noonMs - 10_000, latestMs: noonMs + 1_050_000 })
  world.seconds = BigInt(noonMs / 1000) - 3_600n
  await clock.measure()
  expect(clock.estimate()?.latestMs).toBe(noonMs - 2_700_000)
})
