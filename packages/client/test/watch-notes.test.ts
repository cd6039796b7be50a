import { periodAfter, periodAt } from '@tallystick/core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createClientIn } from '../src/create-client.ts'
import type { WatchNotesOptions } from '../src/notes/watch-notes.ts'
import type { NotesState } from '../src/notes/watch-state.ts'
import { apiKey, type FakeApi, morning, signedNote, startFakeApi } from './fake-api.ts'
import { createSimulatedWorld, type SimulatedWorld, type WorldOptions } from './simulated-world.ts'

const seconds = 1_000
const minutes = 60 * seconds
const hours = 60 * minutes
const days = 24 * hours
// Of real time: a month is 170,000 looks, and the machine may have other things to do.
const long = { timeout: 120_000 }
const unavailable = { status: 500, code: 'notes_unavailable' }

let api: FakeApi
beforeAll(async () => {
  api = await startFakeApi()
})
afterAll(() => api.stop())
beforeEach(() => {
  api.requests.length = 0
  api.mishaps.length = 0
  api.mishapOf = () => undefined
  api.headers = {}
})

type Watched = {
  readonly world: SimulatedWorld
  readonly states: { readonly state: NotesState; readonly at: number }[]
  readonly stop: () => void
  /** What was last told. */
  held(): NotesState | undefined
}

/** A watch in a world of its own, each of whose states is checked against true time the moment it is told. */
function watch(options: Partial<WorldOptions> & WatchNotesOptions = {}): Watched {
  const { startMs = morning, skewMs = 0, minRemaining = 30, ...rest } = options
  const world = createSimulatedWorld({ startMs, skewMs, hanging: () => api.hanging, ...rest })
  api.now = world.trueNow
  const states: Watched['states'] = []
  const client = createClientIn(world, { baseUrl: api.baseUrl, apiKey })
  const callback = (state: NotesState) => {
    states.push({ state, at: world.trueNow() })
    // Thrown through the watch, which passes it on to the process: vitest fails the run.
    assertUsable(state, { at: world.trueNow(), minRemaining })
  }
  const { onError, signal } = options
  const stop = client.watchNotes(callback, { minRemaining, onError, signal })
  return { world, states, stop, held: () => states.at(-1)?.state }
}

/** Throws where a note is held that the pool would refuse, or refuse too soon. */
function assertUsable(state: NotesState | undefined, { at, minRemaining }: { at: number; minRemaining: number }) {
  if (state?.status !== 'ready') return
  for (const { validAfter, validBefore } of state.notes) {
    const isValid = Math.floor(at / 1000) > Number(validAfter)
    if (isValid && at + minRemaining * seconds <= Number(validBefore) * seconds) continue
    throw new Error(`At ${new Date(at).toISOString()} a note is held of ${validAfter} to ${validBefore}.`)
  }
}

/** The boundaries after an instant, up to and with another. */
function boundariesBetween(fromMs: number, toMs: number): readonly number[] {
  const found: number[] = []
  let period = periodAt(BigInt(Math.floor(fromMs / 1000)))
  while (Number(period.end) * 1000 <= toMs) {
    found.push(Number(period.end) * 1000)
    period = periodAfter(period)
  }
  return found
}

const months = [
  ['March 2026, with the day of 23 hours', Date.UTC(2026, 2, 1, 12)],
  ['November 2026, with the day of 25 hours', Date.UTC(2026, 9, 20, 12)],
] as const
const cases = months.flatMap(([month, startMs]) => [-90, 90].map((skew) => ({ month, startMs, skew })))

describe('behavior: a month', () => {
  test.each(cases)('$month, the local clock $skew s ahead: one request a period', long, async ({ startMs, skew }) => {
    const { world, states, stop, held } = watch({ startMs, skewMs: skew * seconds })
    world.onStep = () => assertUsable(held(), { at: world.trueNow(), minRemaining: 29 })
    const endMs = startMs + 30 * days
    await world.runUntil(endMs)
    stop()
    const boundaries = boundariesBetween(startMs, endMs)
    expect(boundaries).toHaveLength(60)
    expect(api.requests).toHaveLength(1 + boundaries.length)
    // Ready, taken back half a minute before the end, ready again within four seconds of the boundary.
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
  })

  test.each([cases[0]!, cases[3]!])(
    '$month, the clock $skew s ahead, asleep every night',
    long,
    async ({ startMs, skew }) => {
      const { world, states, stop, held } = watch({ startMs, skewMs: skew * seconds })
      let wokeAt = startMs
      // A timer that stood still needs one look to notice that time has passed.
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
    long,
    async ({ startMs, skew }) => {
      const { world, states, stop, held } = watch({ startMs, skewMs: skew * seconds })
      world.onStep = () => assertUsable(held(), { at: world.trueNow(), minRemaining: 29 })
      const endMs = startMs + 30 * days
      const boundaries = boundariesBetween(startMs, endMs)
      // Every third boundary it is gone for twenty minutes from a minute before, each time in another way.
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

test.each([11, 12, 13])('behavior: five days of everything at once, by chance %d', long, async (seed) => {
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
    await world.runUntil(world.trueNow() + chance() * 3 * hours)
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
})

describe('behavior: at the boundary', () => {
  const boundary = Date.UTC(2026, 10, 14, 23)

  test('what cannot be submitted for long enough is not handed out; the next is', async () => {
    const { world, states, stop } = watch({ startMs: boundary - 20 * seconds })
    await world.runUntil(boundary + 5 * seconds)
    stop()
    expect(states.map(({ state }) => state.status)).toEqual(['waiting', 'ready'])
    expect(states[0]?.state).toEqual({ status: 'waiting', until: BigInt(boundary / 1000) })
    expect(api.requests).toHaveLength(2)
  })

  test.each([0, 1, 5, 600])('minRemaining %d is kept to', async (minRemaining) => {
    const { world, states, stop } = watch({ startMs: boundary - 700 * seconds, minRemaining })
    await world.runUntil(boundary + 5 * seconds)
    stop()
    expect(states.map(({ state }) => state.status)).toEqual(['ready', 'waiting', 'ready'])
    expect(boundary - states[1]!.at).toBeGreaterThanOrEqual(minRemaining * seconds)
    expect(boundary - states[1]!.at).toBeLessThan((minRemaining + 2) * seconds)
  })

  test('clients with the same clock come spread over two seconds', async () => {
    const arrivals: number[] = []
    for (let seed = 1; seed <= 40; seed++) {
      const { world, states, stop } = watch({ startMs: boundary - minutes, seed: seed * 7919 })
      await world.runUntil(boundary + 5 * seconds)
      stop()
      arrivals.push(states.at(-1)!.at - boundary)
    }
    expect(Math.max(...arrivals) - Math.min(...arrivals)).toBeGreaterThan(1_200)
    expect(Math.max(...arrivals)).toBeLessThan(4_000)
  })

  test.each([0, 100, 200, 300, 400, 500, 600, 700, 800, 900])(
    'nobody comes before it, %d ms past a second',
    async (ms) => {
      const { world, stop } = watch({ startMs: boundary - 95 * seconds + ms, seed: 0 })
      await world.runUntil(boundary + 5 * seconds)
      stop()
      expect(api.requests.map(({ at }) => at >= boundary)).toEqual([false, true])
    },
  )

  test('a replica whose clock is behind is asked again, without haste', async () => {
    const { world, held, stop } = watch({ startMs: boundary - minutes })
    await world.runUntil(boundary - 5 * seconds)
    api.now = () => world.trueNow() - 10 * seconds
    await world.runUntil(boundary + 20 * seconds)
    stop()
    expect(held()?.status).toBe('ready')
    expect(api.requests.length).toBeLessThanOrEqual(3)
  })

  test('an expired set is never handed out, and not asked for in a loop', async () => {
    const { world, states, stop } = watch({ startMs: boundary - minutes })
    await world.runUntil(boundary - 40 * seconds)
    // A broken service: right time, yesterday's notes.
    const before = api.requests.length
    const stale = periodAt(BigInt(boundary / 1000 - 60))
    const body = JSON.stringify({ message: '', data: [await signedNote(stale, { chainId: 324, tenorDays: 7 })] })
    api.mishapOf = () => ({ status: 200, body, headers: { 'content-type': 'application/json' } })
    await world.runUntil(boundary + 10 * minutes)
    stop()
    expect(states.map(({ state }) => state.status).slice(0, 3)).toEqual(['ready', 'waiting', 'failing'])
    expect(states.slice(2).every(({ state }) => state.status === 'failing')).toBe(true)
    expect(api.requests.length - before).toBeLessThanOrEqual(6 + 19)
  })
})

describe('behavior: sleep, wake and clocks that are set', () => {
  test('a tab that comes back without having slept asks nothing', async () => {
    const { world, stop } = watch()
    await world.runUntil(morning + minutes)
    for (let count = 0; count < 50; count++) world.wake()
    await world.runUntil(morning + 2 * minutes)
    stop()
    expect(api.requests).toHaveLength(1)
  })

  test('on waking past the boundary the old notes are taken back at once', async () => {
    const { world, states, stop } = watch()
    await world.runUntil(morning + minutes)
    world.sleepUntil(morning + 12 * hours)
    world.wake()
    expect(states.at(-1)?.state.status).not.toBe('ready')
    await world.runUntil(morning + 12 * hours + 5 * seconds)
    stop()
    expect(states.at(-1)?.state.status).toBe('ready')
    expect(api.requests).toHaveLength(2)
  })

  test('many short sleeps ask once in ten seconds at most', async () => {
    const { world, stop } = watch()
    await world.runUntil(morning + minutes)
    for (let count = 0; count < 30; count++) {
      world.sleepUntil(world.trueNow() + 3 * seconds)
      world.wake()
      await world.runUntil(world.trueNow() + seconds)
    }
    stop()
    // Thirty seconds awake.
    expect(api.requests.length).toBeLessThanOrEqual(1 + 4)
  })

  test.each([-3600, -90, 90, 3600])('a clock that is set by %d s is seen through', async (step) => {
    const { world, states, held, stop } = watch()
    await world.runUntil(morning + minutes)
    world.stepWallClock(step * seconds)
    await world.runUntil(morning + 30 * hours)
    stop()
    expect(api.requests).toHaveLength(1 + 1 + boundariesBetween(morning, morning + 30 * hours).length)
    const state = held()
    const serverOffsetMs = state?.status === 'ready' ? state.serverOffsetMs : Number.NaN
    expect(Math.abs(serverOffsetMs + step * seconds)).toBeLessThan(2 * seconds)
    expect(states.some(({ state }) => state.status === 'failing')).toBe(false)
  })

  test('an answer that was on its way while the machine slept is not trusted for long', async () => {
    const { world, held, stop } = watch({ latencyMs: 2_000 })
    await world.runUntil(morning + 500)
    world.sleepUntil(morning + 2 * hours)
    await world.runUntil(morning + 2 * hours + 30 * seconds)
    stop()
    expect(held()?.status).toBe('ready')
    expect(api.requests).toHaveLength(2)
  })

  test('without a Date the local clock has to do', async () => {
    const { world, states, stop } = watch()
    api.headers = { date: undefined }
    await world.runUntil(morning + 30 * hours)
    stop()
    expect(api.requests).toHaveLength(1 + boundariesBetween(morning, morning + 30 * hours).length)
    expect(states[0]?.state).toMatchObject({ status: 'ready', serverOffsetMs: 0 })
  })
})

describe('behavior: failures', () => {
  test('Retry-After is waited out, whoever wakes', async () => {
    api.mishaps.push({ ...unavailable, headers: { 'retry-after': '40' } })
    const { world, states, stop } = watch()
    await world.runUntil(morning + 39 * seconds)
    world.wake()
    expect(states).toMatchObject([{ state: { status: 'failing', error: { code: 'notes_unavailable' } } }])
    expect(api.requests).toHaveLength(1)
    await world.runUntil(morning + 45 * seconds)
    stop()
    expect(api.requests).toHaveLength(2)
    expect(states.at(-1)?.state.status).toBe('ready')
  })

  test('when the network is back it is tried at once', async () => {
    api.mishapOf = () => 'reset'
    const { world, held, stop } = watch()
    await world.runUntil(morning + 10 * minutes)
    const failing = held()
    expect(failing).toMatchObject({ status: 'failing', error: { code: 'connection_failed' } })
    api.mishapOf = () => undefined
    const before = api.requests.length
    await world.runUntil(world.trueNow() + 11 * seconds)
    world.wake()
    await world.runUntil(world.trueNow() + seconds)
    stop()
    expect(held()?.status).toBe('ready')
    expect(api.requests.length - before).toBe(1)
  })

  test('a failure while there are usable notes is told, and changes nothing', async () => {
    const errors: string[] = []
    const { world, states, stop } = watch({ onError: ({ code }) => errors.push(code) })
    await world.runUntil(morning + minutes)
    api.mishaps.push('html')
    world.sleepUntil(morning + hours)
    await world.runUntil(morning + hours + minutes)
    stop()
    expect(errors).toEqual(['malformed_answer'])
    expect(states.map(({ state }) => state.status)).toEqual(['ready'])
    expect(api.requests).toHaveLength(3)
  })

  test('error: what will not get better is not asked again, and usable notes are kept until they end', async () => {
    const { world, states, stop } = watch()
    await world.runUntil(morning + minutes)
    api.mishapOf = () => ({ status: 403, code: 'invalid_api_key' })
    await world.runUntil(morning + 40 * hours)
    stop()
    expect(states.map(({ state }) => state.status)).toEqual(['ready', 'waiting', 'failing'])
    expect(states.at(-1)?.state).toMatchObject({ error: { name: 'InvalidApiKeyError' }, retryAt: undefined })
    expect(api.requests).toHaveLength(2)
  })

  test('a service that never answers is given up on in time, each time', async () => {
    api.mishaps.push('hang')
    const { world, states, stop } = watch()
    await world.runUntil(morning + 14 * seconds)
    expect(states).toEqual([])
    await world.runUntil(morning + 20 * seconds)
    stop()
    expect(states.map(({ state }) => state.status)).toEqual(['failing', 'ready'])
    expect(states[0]?.state).toMatchObject({ error: { code: 'timeout' } })
  })

  test('an answer that lacks a chain is asked for again, less and less often', async () => {
    api.headers = { 'cache-control': 'private, no-cache' }
    const { world, states, stop } = watch()
    await world.runUntil(morning + 4 * hours)
    stop()
    expect(states.map(({ state }) => state.status)).toEqual(['ready'])
    expect(api.requests.length).toBeGreaterThan(30)
    expect(api.requests.length).toBeLessThan(55)
  })
})

describe('behavior: the end', () => {
  test('after stop nothing is asked and nothing told', async () => {
    const { world, states, stop } = watch()
    await world.runUntil(morning + minutes)
    stop()
    stop()
    await world.runUntil(morning + 3 * days)
    world.wake()
    expect(states).toHaveLength(1)
    expect(api.requests).toHaveLength(1)
  })

  test('a signal ends it, also while a request is on its way', async () => {
    const controller = new AbortController()
    const { world, states } = watch({ signal: controller.signal })
    controller.abort()
    await world.runUntil(morning + 2 * days)
    expect(states).toEqual([])
    expect(api.requests.length).toBeLessThanOrEqual(1)
  })

  test('a signal that is aborted already lets nothing begin', async () => {
    const { world, states } = watch({ signal: AbortSignal.abort() })
    await world.runUntil(morning + 2 * days)
    expect(states).toEqual([])
    expect(api.requests).toEqual([])
  })
})
