import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { WatchNotesOptions } from '../src/notes/watch-notes.ts'
import { type FakeApi, startFakeApi } from './fake-api.ts'
import { createSimulatedWorld, type WorldOptions } from './simulated-world.ts'
import {
  assertUsable,
  boundariesBetween,
  days,
  hours,
  minutes,
  resetApi,
  seconds,
  unavailable,
  watchIn,
} from './watch-in.ts'

let api: FakeApi
beforeAll(async () => {
  api = await startFakeApi()
})
afterAll(() => api.stop())
beforeEach(() => resetApi(api))
const watch = (options: Partial<WorldOptions> & WatchNotesOptions = {}) => watchIn(api, options)

const months = [
  ['March 2026, with the day of 23 hours', Date.UTC(2026, 2, 1, 12)],
  ['November 2026, with the day of 25 hours', Date.UTC(2026, 9, 20, 12)],
] as const
const cases = months.flatMap(([month, startMs]) => [-90, 90].map((skew) => ({ month, startMs, skew })))

type Case = (typeof cases)[number]

describe('behavior: a month', () => {
  test('with the day of 25 hours, the local clock 90 s behind: one request per period', () => watchMonth(cases[2]!))

  const others = cases.filter((_, index) => index !== 2)
  test.each(others)('$month, the local clock $skew s ahead: one request per period', { tags: 'slow' }, watchMonth)

  async function watchMonth({ startMs, skew }: Case) {
    const { world, states, stop, held } = watch({ startMs, skewMs: skew * seconds })
    world.onStep = () => assertUsable(held(), { at: world.trueNow(), minRemaining: 29 })
    const endMs = startMs + 30 * days
    await world.runUntil(endMs)
    stop()
    const boundaries = boundariesBetween(startMs, endMs)
    expect(boundaries).toHaveLength(60)
    expect(api.requests).toHaveLength(1 + boundaries.length)
    // Ready, withdrawn 30 s before the end, ready again within 4 s of the boundary.
    expect(states.map(({ state }) => state.status)).toEqual([
      'ready',
      ...boundaries.flatMap(() => ['waiting', 'ready']),
    ])
    for (const [index, boundary] of boundaries.entries()) {
      const [taken, given] = [states[1 + 2 * index]!, states[2 + 2 * index]!]
      expect(boundary - taken.at).toBeGreaterThanOrEqual(30 * seconds)
      expect(boundary - taken.at).toBeLessThan(32 * seconds)
      expect(given.at).toBeGreaterThan(boundary)
      expect(given.at).toBeLessThan(boundary + 4 * seconds)
    }
  }

  test.each([cases[0]!, cases[3]!])(
    '$month, the clock $skew s ahead, asleep every night',
    { tags: 'slow' },
    async ({ startMs, skew }) => {
      const { world, states, stop, held } = watch({ startMs, skewMs: skew * seconds })
      let wokeAt = startMs
      // A suspended timer needs one look to notice the elapsed time.
      world.onStep = () => {
        if (world.trueNow() > wokeAt + 16 * seconds) assertUsable(held(), { at: world.trueNow(), minRemaining: 29 })
      }
      let awakeBoundaries = 0
      for (let day = 0; day < 30; day++) {
        const bedtime = startMs + day * days + 14 * hours
        awakeBoundaries += boundariesBetween(wokeAt, bedtime).length
        await world.runUntil(bedtime)
        wokeAt = bedtime + 8 * hours + 17 * minutes
        world.sleepUntil(wokeAt)
      }
      const endMs = startMs + 30 * days
      awakeBoundaries += boundariesBetween(wokeAt, endMs).length
      await world.runUntil(endMs)
      stop()
      // At the start, at each boundary it was awake for, and once after each sleep.
      expect(api.requests).toHaveLength(1 + awakeBoundaries + 30)
      expect(states.every(({ state }) => state.status !== 'failing')).toBe(true)
    },
  )

  test.each([cases[1]!, cases[2]!])(
    '$month, the clock $skew s ahead, a service that fails',
    { tags: 'slow' },
    async ({ startMs, skew }) => {
      const { world, states, stop, held } = watch({ startMs, skewMs: skew * seconds })
      world.onStep = () => assertUsable(held(), { at: world.trueNow(), minRemaining: 29 })
      const endMs = startMs + 30 * days
      const boundaries = boundariesBetween(startMs, endMs)
      // At every third boundary the service fails for 20 minutes, from 1 minute before it, each time in another way.
      const ways = ['html', 'reset', 'truncated', { ...unavailable, headers: { 'retry-after': '5' } }] as const
      const outages = boundaries
        .filter((_, index) => index % 3 === 0)
        .map((boundary, index) => ({ from: boundary - minutes, to: boundary + 19 * minutes, way: ways[index % 4]! }))
      api.mishapOf = () => outages.find(({ from, to }) => api.now() >= from && api.now() < to)?.way
      const asked: number[] = []
      const askedDuring = ({ from, to }: { from: number; to: number }) =>
        asked.filter((at) => at >= from && at < to).length
      const count = api.mishapOf
      api.mishapOf = (request) => {
        asked.push(api.now())
        return count(request)
      }
      await world.runUntil(endMs)
      stop()
      expect(outages).toHaveLength(20)
      // 1, 2, 4 … 60 seconds apart, each less up to half of it: the first six within 63 s, then one in 30 to 60 s.
      for (const outage of outages) {
        expect(askedDuring(outage)).toBeGreaterThanOrEqual(19)
        expect(askedDuring(outage)).toBeLessThanOrEqual(6 + 38)
      }
      const failed = outages.reduce((sum, outage) => sum + askedDuring(outage), 0)
      expect(asked.length - failed).toBe(1 + boundaries.length)
      expect(held()?.status).toBe('ready')
      expect(states.filter(({ state }) => state.status === 'ready')).toHaveLength(1 + boundaries.length)
    },
  )
})

test('behavior: five days of all faults', () => watchFaults(11))

test.each([12, 13])('behavior: the same with random seed %d', { tags: 'slow' }, watchFaults)

async function watchFaults(seed: number) {
  const { world, held, stop } = watch({ startMs: months[1][1] + 10 * days, skewMs: (seed - 12) * 90 * seconds, seed })
  const chance = createSimulatedWorld({ startMs: 0, skewMs: 0, seed: seed * 104_729 }).random
  const endMs = world.trueNow() + 5 * days
  const startedAt = world.trueNow()
  let [disturbedAt, disturbances, failed] = [startedAt, 0, 0]
  let isDown = false
  const ways = ['html', 'reset', 'truncated', unavailable, { status: 429, code: 'rate_limited' }] as const
  api.mishapOf = () => {
    if (!isDown) return undefined
    failed++
    return ways[failed % ways.length]
  }
  world.onStep = () => {
    if (world.trueNow() > disturbedAt + 16 * seconds) assertUsable(held(), { at: world.trueNow(), minRemaining: 29 })
  }
  while (world.trueNow() < endMs) {
    // After the first minutes of an outage the watch only repeats its request once a minute, so this step is shorter.
    await world.runUntil(world.trueNow() + chance() * (isDown ? 40 * minutes : 3 * hours))
    const kind = Math.floor(chance() * 4)
    if (kind === 0) world.sleepUntil(world.trueNow() + chance() * 12 * hours)
    if (kind === 1) world.stepWallClock((chance() - 0.5) * 4 * hours)
    if (kind === 2) isDown = !isDown
    if (kind === 3) world.wake()
    if (kind !== 2) disturbedAt = world.trueNow()
    disturbances++
  }
  isDown = false
  await world.runUntil(world.trueNow() + 5 * minutes)
  stop()
  expect(disturbances).toBeGreaterThan(30)
  expect(failed).toBeGreaterThan(10)
  const state = held()
  expect(['ready', 'waiting']).toContain(state?.status)
  // At most one good answer for each boundary and each disturbance.
  const boundaries = boundariesBetween(startedAt, world.trueNow()).length
  expect(api.requests.length - failed).toBeLessThanOrEqual(1 + boundaries + disturbances)
}
