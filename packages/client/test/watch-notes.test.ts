import { periodAt } from '@tallystick/core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { WatchNotesOptions } from '../src/notes/watch-notes.ts'
import { type FakeApi, type Mishap, morning, signedNote, startFakeApi } from './fake-api.ts'
import type { WorldOptions } from './simulated-world.ts'
import { boundariesBetween, days, hours, minutes, resetApi, seconds, unavailable, watchIn } from './watch-in.ts'

let api: FakeApi
beforeAll(async () => {
  api = await startFakeApi()
})
afterAll(() => api.stop())
beforeEach(() => resetApi(api))
const watch = (options: Partial<WorldOptions> & WatchNotesOptions = {}) => watchIn(api, options)

describe('behavior: at the boundary', () => {
  const boundary = Date.UTC(2026, 10, 14, 23)

  test('notes that expire too soon are not passed on, the next ones are', async () => {
    const { world, states, stop } = watch({ startMs: boundary - 20 * seconds })
    await world.runUntil(boundary + 5 * seconds)
    stop()
    expect(states.map(({ state }) => state.status)).toEqual(['waiting', 'ready'])
    expect(states[0]?.state).toEqual({ status: 'waiting', until: BigInt(boundary / 1000) })
    expect(api.requests).toHaveLength(2)
  })

  test.each([0, 1, 5, 600])('minRemaining %d is respected', async (minRemaining) => {
    const { world, states, stop } = watch({ startMs: boundary - 700 * seconds, minRemaining })
    await world.runUntil(boundary + 5 * seconds)
    stop()
    expect(states.map(({ state }) => state.status)).toEqual(['ready', 'waiting', 'ready'])
    expect(boundary - states[1]!.at).toBeGreaterThanOrEqual(minRemaining * seconds)
    expect(boundary - states[1]!.at).toBeLessThan((minRemaining + 2) * seconds)
  })

  test('requests of clients with the same clock are spread over 2 s', async () => {
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
    'no request is sent before it, %d ms past a second',
    async (ms) => {
      const { world, stop } = watch({ startMs: boundary - 95 * seconds + ms, seed: 0 })
      await world.runUntil(boundary + 5 * seconds)
      stop()
      expect(api.requests.map(({ at }) => at >= boundary)).toEqual([false, true])
    },
  )

  test('a replica whose clock is behind is retried with backoff', async () => {
    const { world, held, stop } = watch({ startMs: boundary - minutes })
    await world.runUntil(boundary - 5 * seconds)
    api.now = () => world.trueNow() - 10 * seconds
    await world.runUntil(boundary + 20 * seconds)
    stop()
    expect(held()?.status).toBe('ready')
    expect(api.requests.length).toBeLessThanOrEqual(3)
  })

  test('an expired set is never passed on and not requested in a loop', async () => {
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

describe('behavior: sleep, wake and clock changes', () => {
  test('a tab that becomes visible without a sleep sends no request', async () => {
    const { world, stop } = watch()
    await world.runUntil(morning + minutes)
    for (let count = 0; count < 50; count++) world.wake()
    await world.runUntil(morning + 2 * minutes)
    stop()
    expect(api.requests).toHaveLength(1)
  })

  test('after a sleep past the boundary the old notes are withdrawn at once', async () => {
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

  test('many short sleeps cause at most one request per 10 s', async () => {
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

  test.each([-3600, -90, 90, 3600])('a clock change of %d s is detected', async (step) => {
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

  test('a response that was pending during a sleep is soon requested again', async () => {
    const { world, held, stop } = watch({ latencyMs: 2_000 })
    await world.runUntil(morning + 500)
    world.sleepUntil(morning + 2 * hours)
    await world.runUntil(morning + 2 * hours + 30 * seconds)
    stop()
    expect(held()?.status).toBe('ready')
    expect(api.requests).toHaveLength(2)
  })

  test('without a Date header the local clock is used', async () => {
    const { world, states, stop } = watch()
    api.headers = { date: undefined }
    await world.runUntil(morning + 30 * hours)
    stop()
    expect(api.requests).toHaveLength(1 + boundariesBetween(morning, morning + 30 * hours).length)
    expect(states[0]?.state).toMatchObject({ status: 'ready', serverOffsetMs: 0 })
  })
})

describe('behavior: failures', () => {
  test('Retry-After is respected even after a wake', async () => {
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

  test('a failed request is retried at once when the network is back', async () => {
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

  test('a failure while there are usable notes calls onError and does not change the state', async () => {
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

  test('a chain and tenor without notes are watched through an outage until they are back', async () => {
    api.mishapOf = () => ({ ...unavailable, headers: { 'retry-after': '5' } })
    const { world, states, stop } = watch({ chainId: 324, maturity: 7 })
    await world.runUntil(morning + 20 * minutes)
    expect(states.every(({ state }) => state.status === 'failing' && state.retryAt !== undefined)).toBe(true)
    expect(states.at(-1)?.state).toMatchObject({ error: { name: 'NotesUnavailableError' } })
    api.mishapOf = () => undefined
    await world.runUntil(morning + 22 * minutes)
    stop()
    expect(states.at(-1)?.state).toMatchObject({ status: 'ready', notes: [{ chainId: 324, tenorDays: 7 }] })
    expect(new Set(api.requests.map(({ path }) => path))).toEqual(new Set(['/notes?chainid=324&maturity=7']))
  })

  test('error: an invalid filter ends the watch', async () => {
    api.mishapOf = () => ({ status: 400, code: 'invalid_maturity' })
    const { world, states, stop } = watch({ chainId: 324, maturity: 8 })
    await world.runUntil(morning + 3 * hours)
    stop()
    expect(states.map(({ state }) => state)).toMatchObject([
      { status: 'failing', error: { code: 'invalid_maturity' }, retryAt: undefined },
    ])
    expect(api.requests).toHaveLength(1)
  })

  test('error: a final error is not retried, and usable notes remain until they end', async () => {
    const { world, states, stop } = watch()
    await world.runUntil(morning + minutes)
    api.mishapOf = () => ({ status: 403, code: 'invalid_api_key' })
    await world.runUntil(morning + 40 * hours)
    stop()
    expect(states.map(({ state }) => state.status)).toEqual(['ready', 'waiting', 'failing'])
    expect(states.at(-1)?.state).toMatchObject({ error: { name: 'InvalidApiKeyError' }, retryAt: undefined })
    expect(api.requests).toHaveLength(2)
  })

  const foreign: readonly (readonly [string, Exclude<Mishap, string>])[] = [
    ['a redirect', { status: 302, body: '', headers: { location: '/login' } }],
    ['a 401 of a proxy', { status: 401, body: '' }],
    ['a 403 of a proxy', { status: 403, body: '<html>Blocked</html>' }],
    ['a 403 with the error body of a proxy', { status: 403, code: 'blocked', message: 'Request blocked.' }],
    ['a 404 of a proxy', { status: 404, body: 'no route' }],
    ['JSON of another shape', { status: 200, body: '{"data":{}}' }],
  ]

  test.each(foreign)('after an answer, %s is retried until the service is back', async (_, mishap) => {
    const { world, states, stop } = watch()
    await world.runUntil(morning + minutes)
    const back = morning + 9 * hours
    api.mishapOf = () => (world.trueNow() < back ? mishap : undefined)
    await world.runUntil(back - minutes)
    const failing = states.at(-1)?.state
    expect(failing?.status === 'failing' && failing.retryAt).toBeGreaterThan(back - 3 * minutes)
    await world.runUntil(back + 2 * minutes)
    stop()
    expect(states.at(-1)?.state.status).toBe('ready')
    // One hour of retries, each after at least 30 s.
    expect(api.requests.length).toBeLessThan(2 + 8 + 120)
  })

  test.each(foreign)('error: before any answer, %s ends the watch', async (_, mishap) => {
    api.mishapOf = () => mishap
    const { world, states, stop } = watch()
    await world.runUntil(morning + hours)
    stop()
    expect(states.map(({ state }) => state)).toMatchObject([{ status: 'failing', retryAt: undefined }])
    expect(api.requests).toHaveLength(1)
  })

  test('a Retry-After of days is cut to one hour', async () => {
    api.mishaps.push({ status: 503, body: 'maintenance', headers: { 'retry-after': '999999999' } })
    const { world, states, stop } = watch()
    await world.runUntil(morning + 59 * minutes)
    expect(api.requests).toHaveLength(1)
    await world.runUntil(morning + 61 * minutes)
    stop()
    expect(states.map(({ state }) => state.status)).toEqual(['failing', 'ready'])
  })

  test('error: while usable notes remain after a final error, the watch looks at the clock every 15 s at most', async () => {
    const { world, states, stop } = watch()
    await world.runUntil(morning + minutes)
    api.mishapOf = () => ({ status: 403, code: 'invalid_api_key' })
    world.stepWallClock(10 * seconds)
    await world.runUntil(morning + 3 * minutes)
    expect(api.requests).toHaveLength(2)
    let looks = 0
    world.onStep = () => looks++
    await world.runUntil(morning + 63 * minutes)
    stop()
    expect(states.map(({ state }) => state.status)).toEqual(['ready'])
    expect(looks).toBeLessThanOrEqual(4 * 60 + 1)
  })

  test('a service that never responds is a timeout each time', async () => {
    api.mishaps.push('hang')
    const { world, states, stop } = watch()
    await world.runUntil(morning + 14 * seconds)
    expect(states).toEqual([])
    await world.runUntil(morning + 15 * seconds + 200)
    expect(states.map(({ state }) => state.status)).toEqual(['failing'])
    // The next is not to be taken for this one, which the service still has for a moment.
    await expect.poll(() => api.hanging).toBe(0)
    await world.runUntil(morning + 20 * seconds)
    stop()
    expect(states.map(({ state }) => state.status)).toEqual(['failing', 'ready'])
    expect(states[0]?.state).toMatchObject({ error: { code: 'timeout' } })
  })

  test('a response that lacks a chain is requested again with backoff', async () => {
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
  test('after stop there are no requests and no callbacks', async () => {
    const { world, states, stop } = watch()
    await world.runUntil(morning + minutes)
    stop()
    stop()
    await world.runUntil(morning + 3 * days)
    world.wake()
    expect(states).toHaveLength(1)
    expect(api.requests).toHaveLength(1)
  })

  test('a signal stops the watch, also during a request', async () => {
    const controller = new AbortController()
    const { world, states } = watch({ signal: controller.signal })
    controller.abort()
    await world.runUntil(morning + 2 * days)
    expect(states).toEqual([])
    expect(api.requests.length).toBeLessThanOrEqual(1)
  })

  test('an already aborted signal prevents the start', async () => {
    const { world, states } = watch({ signal: AbortSignal.abort() })
    await world.runUntil(morning + 2 * days)
    expect(states).toEqual([])
    expect(api.requests).toEqual([])
  })
})
