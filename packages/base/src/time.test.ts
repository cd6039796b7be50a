import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createTime, repeat, sleep, systemTime, toSeconds } from './time.ts'

/** System clock that the test controls. */
function createSystem(startMs: number) {
  const system = { ms: startMs, now: () => system.ms }
  return system
}

test('default: reads the system time at every call', () => {
  const system = createSystem(1_000)
  const clock = createTime(system.now)
  expect(clock.now()).toBe(1_000)
  system.ms = 1_001
  expect(clock.now()).toBe(1_001)
})

test('default: uses the machine’s clock by default', () => {
  const before = Date.now()
  const now = createTime().now()
  expect(now).toBeGreaterThanOrEqual(before)
  expect(now).toBeLessThanOrEqual(Date.now())
})

test('behavior: follows steps of the system clock, forwards and backwards', () => {
  const system = createSystem(1_000_000)
  const clock = createTime(system.now)
  system.ms += 3_600_000
  expect(clock.now()).toBe(4_600_000)
  system.ms -= 4_000_000
  expect(clock.now()).toBe(600_000)
})

test('behavior: a held clock does not move', () => {
  const system = createSystem(1_000)
  const clock = createTime(system.now)
  clock.hold(5_000_000)
  expect(clock.now()).toBe(5_000_000)
  system.ms += 60_000
  expect(clock.now()).toBe(5_000_000)
  system.ms -= 120_000
  expect(clock.now()).toBe(5_000_000)
})

test('behavior: run continues from the held instant, not from the system time', () => {
  const system = createSystem(1_000)
  const clock = createTime(system.now)
  clock.hold(5_000_000)
  system.ms += 60_000
  clock.run()
  expect(clock.now()).toBe(5_000_000)
  system.ms += 250
  expect(clock.now()).toBe(5_000_250)
})

test('behavior: a shifted clock still follows steps of the system clock', () => {
  const system = createSystem(1_000)
  const clock = createTime(system.now)
  clock.hold(5_000_000)
  clock.run()
  system.ms += 7_200_000
  expect(clock.now()).toBe(12_200_000)
  system.ms -= 9_000_000
  expect(clock.now()).toBe(3_200_000)
})

test('behavior: it can be held at the epoch and before', () => {
  const system = createSystem(1_000)
  const clock = createTime(system.now)
  clock.hold(0)
  expect(clock.now()).toBe(0)
  clock.run()
  system.ms += 1
  expect(clock.now()).toBe(1)
  clock.hold(-5)
  expect(clock.now()).toBe(-5)
})

test('behavior: a second hold replaces the first', () => {
  const system = createSystem(1_000)
  const clock = createTime(system.now)
  clock.hold(5_000)
  clock.hold(9_000)
  clock.run()
  clock.hold(2_000)
  expect(clock.now()).toBe(2_000)
  clock.run()
  system.ms += 1
  expect(clock.now()).toBe(2_001)
})

test('behavior: run on a running clock changes nothing', () => {
  const system = createSystem(1_000)
  const clock = createTime(system.now)
  clock.run()
  expect(clock.now()).toBe(1_000)
  clock.hold(5_000)
  clock.run()
  system.ms += 10
  clock.run()
  expect(clock.now()).toBe(5_010)
})

describe('toSeconds', () => {
  test.each([
    [0, 0n],
    [999, 0n],
    [1_000, 1n],
    [1_999.999, 1n],
    [-1, -1n],
    [-1_000, -1n],
    [-1_001, -2n],
    [1_793_573_999_999, 1_793_573_999n],
  ])('behavior: %d ms belongs to second %s', (instantMs, second) => {
    expect(toSeconds(instantMs)).toBe(second)
  })
})

describe('timers', () => {
  beforeEach(() => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
  })
  const wait = { name: 'wait', ms: 1_000 }

  test('default: a timer calls back once, unless it is stopped', () => {
    const calls: string[] = []
    systemTime.setTimer(wait, () => calls.push('first'))
    systemTime.setTimer(wait, () => calls.push('stopped')).stop()
    vi.advanceTimersByTime(999)
    expect(calls).toEqual([])
    vi.advanceTimersByTime(5_000)
    expect(calls).toEqual(['first'])
  })

  test('default: repeated work is called after each wait, also while it runs, until it is stopped', () => {
    let calls = 0
    const repeated = repeat(systemTime, wait, () => {
      calls++
      return new Promise(() => undefined)
    })
    vi.advanceTimersByTime(3_500)
    expect(calls).toBe(3)
    repeated.stop()
    vi.advanceTimersByTime(5_000)
    expect(calls).toBe(3)
  })

  test('behavior: work may stop its own repetition', () => {
    let calls = 0
    const repeated = repeat(systemTime, wait, () => {
      calls++
      repeated.stop()
    })
    vi.advanceTimersByTime(5_000)
    expect(calls).toBe(1)
  })

  test('default: a sleep ends with its wait', async () => {
    let isOver = false
    const slept = sleep(systemTime, wait).then(() => {
      isOver = true
    })
    await vi.advanceTimersByTimeAsync(999)
    expect(isOver).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await slept
  })
})
