import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { WatchNotesOptions } from '../src/notes/watch-notes.ts'
import { apiKey, type FakeApi, formatNotesEvent, greeting, startEvents, startFakeApi } from './fake-api.ts'
import type { WorldOptions } from './simulated-world.ts'
import { boundariesBetween, hours, minutes, resetApi, seconds, type Watched, watchIn } from './watch-in.ts'

const boundary = Date.UTC(2026, 10, 14, 23)
let sentBytes: number
let api: FakeApi
beforeAll(async () => {
  api = await startFakeApi()
})
afterAll(() => api.stop())
beforeEach(() => {
  resetApi(api)
  api.chains.delete(10)
  sentBytes = Buffer.byteLength(greeting)
  api.answerEvents = startEvents
})

const watch = (options: Partial<WorldOptions> & WatchNotesOptions = {}) =>
  watchIn(api, { startMs: boundary - 40 * seconds, ...options })
const statuses = ({ states }: Watched) => states.map(({ state }) => state.status)
/** Advances the client's time by seconds until a condition holds. What the network does takes real time. */
const runUntil = ({ world }: Watched, read: () => number | boolean) =>
  expect.poll(async () => {
    await world.runUntil(world.trueNow() + seconds)
    return read()
  })
/** Lets the client read everything that was sent, while its time stands. */
async function settle({ world }: Watched) {
  await expect.poll(world.streamedBytes).toBe(sentBytes)
  await new Promise((resolve) => setImmediate(resolve))
}
async function send(watched: Watched, text: string) {
  for (const response of api.streams) response.write(text)
  sentBytes += Buffer.byteLength(text)
  await settle(watched)
}
/** Waits for the first stream and its greeting. */
async function connect(watched: Watched) {
  await runUntil(watched, () => api.streamRequests.length).toBe(1)
  await settle(watched)
}

describe('behavior: with a stream', () => {
  test('new notes are taken from it at the boundary, without a request', async () => {
    const watched = watch()
    await connect(watched)
    const { world, states } = watched
    await world.runUntil(boundary + 40)
    await send(watched, await formatNotesEvent(boundary))
    expect(statuses(watched)).toEqual(['ready', 'waiting', 'ready'])
    expect(states[2]?.at).toBe(boundary + 40)
    await world.runUntil(boundary + 30 * seconds)
    watched.stop()
    expect(api.requests).toHaveLength(1)
    expect(api.streamRequests[0]).toMatchObject({
      path: '/events',
      headers: { accept: 'text/event-stream', 'x-api-key': apiKey },
    })
    await expect.poll(() => api.streams.size).toBe(0)
  })

  test('they are requested 3 to 5 s after the boundary if it does not deliver them', async () => {
    const watched = watch()
    await connect(watched)
    await watched.world.runUntil(boundary + 2_900)
    expect(api.requests).toHaveLength(1)
    await watched.world.runUntil(boundary + 6 * seconds)
    watched.stop()
    expect(statuses(watched)).toEqual(['ready', 'waiting', 'ready'])
    expect(api.requests).toHaveLength(2)
  })

  test('the sets of all chains are waited for, and filtered as a response is', async () => {
    api.chains.set(10, { positions: [], floatingIncomes: [], accounts: {} })
    const watched = watch({ maturity: [7, 30] })
    await connect(watched)
    await watched.world.runUntil(boundary + 40)
    await send(watched, await formatNotesEvent(boundary, { chainId: 324 }))
    await send(watched, await formatNotesEvent(boundary - hours, { chainId: 10 }))
    expect(statuses(watched)).toEqual(['ready', 'waiting'])
    await send(watched, await formatNotesEvent(boundary, { chainId: 10 }))
    expect(statuses(watched)).toEqual(['ready', 'waiting', 'ready'])
    watched.stop()
    const state = watched.held()
    const notes = state?.status === 'ready' ? state.notes : []
    expect(notes.map(({ chainId, tenorDays }) => [chainId, tenorDays])).toEqual([
      [10, 7],
      [10, 30],
      [324, 7],
      [324, 30],
    ])
    expect(state).toMatchObject({ availableMaturities: [7, 14, 30] })
    expect(api.requests).toHaveLength(1)
  })

  test('a watch of one chain asks for its events and ignores others', async () => {
    const watched = watch({ chainId: 324 })
    await connect(watched)
    expect(api.streamRequests[0]?.path).toBe('/events?chainid=324')
    await watched.world.runUntil(boundary + 40)
    await send(watched, await formatNotesEvent(boundary, { chainId: 10 }))
    expect(statuses(watched)).toEqual(['ready', 'waiting'])
    watched.stop()
  })

  test('a reset and a change of the tenors make a request due, other events and garbage do not', async () => {
    const watched = watch({ startMs: boundary + hours })
    await connect(watched)
    const { world } = watched
    const garbage = [
      ...['event: rate\ndata: {}', 'event: status\ndata: {"changed":["signer"]}', 'event: status\ndata: {'],
      ...['event: notes\ndata: {"data":[{}]}', 'event: notes\ndata: x', 'event: other\ndata: 1', 'data: null'],
    ]
    for (const text of garbage) await send(watched, `${text}\n\n`)
    await world.runUntil(world.trueNow() + 10 * seconds)
    expect(api.requests).toHaveLength(1)
    await send(watched, 'event: status\ndata: {"chainid":"324","changed":["availableMaturities"]}\n\n')
    await world.runUntil(world.trueNow() + 3 * seconds)
    expect(api.requests).toHaveLength(2)
    await send(watched, 'event: reset\ndata: {"message":"Events may be missing."}\n\n')
    await world.runUntil(world.trueNow() + 3 * seconds)
    expect(api.requests).toHaveLength(3)
    watched.stop()
  })

  test('after a lost connection it resumes from the last id, with backoff', async () => {
    const watched = watch({ startMs: boundary + hours })
    await connect(watched)
    await send(watched, ': heartbeat\nid: 7-ab\n\n')
    // An event without its blank line was cut. The service must send it again.
    await send(watched, 'id: 8-cd\nevent: notes\ndata: {')
    for (const response of api.streams) response.destroy()
    await runUntil(watched, () => api.streamRequests.length).toBe(2)
    expect(api.streamRequests.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '7-ab'])
    watched.stop()
    expect(api.requests).toHaveLength(1)
  })

  test('a stream that falls silent is given up and opened again', async () => {
    const watched = watch({ startMs: boundary + hours })
    await connect(watched)
    await watched.world.runUntil(watched.world.trueNow() + 44 * seconds)
    expect(api.streamRequests).toHaveLength(1)
    await runUntil(watched, () => api.streamRequests.length).toBe(2)
    watched.stop()
  })
})

const refuse =
  (status: number, body = '{}') =>
  (response: ServerResponse) => {
    response.statusCode = status
    response.end(body)
  }
/** Answers like a proxy that holds the stream back. */
const holdBack = (response: ServerResponse) => {
  response.setHeader('content-type', 'text/event-stream')
  response.flushHeaders()
}

describe('behavior: after a stream has delivered', () => {
  /** Cuts a stream that delivered. Its successors get another answer. */
  async function cut(watched: Watched, answerEvents: FakeApi['answerEvents']) {
    await connect(watched)
    api.answerEvents = answerEvents
    for (const response of api.streams) response.destroy()
  }

  test.each([
    ['a stall of 10 s', holdBack],
    ['a redirect', refuse(302)],
    ['a 401 of a proxy', refuse(401)],
    ['a 403 of a proxy', refuse(403)],
    ['a 404 of a proxy', refuse(404)],
    ['the error body of a proxy', refuse(403, '{"code":"blocked","message":"Request blocked."}')],
  ])('%s is tried again with backoff', async (_, answerEvents) => {
    const watched = watch({ startMs: boundary + hours })
    await cut(watched, answerEvents)
    await runUntil(watched, () => api.streamRequests.length > 2).toBe(true)
    api.answerEvents = startEvents
    await runUntil(watched, () => api.streams.size === 1).toBe(true)
    watched.stop()
    expect(api.requests).toHaveLength(1)
  })

  test.each(['invalid_api_key', 'insufficient_scope', 'not_found'])('%s ends it', async (code) => {
    const watched = watch({ startMs: boundary + hours })
    await cut(watched, refuse(403, JSON.stringify({ code, message: 'Refused.' })))
    await runUntil(watched, () => api.streamRequests.length).toBe(2)
    await watched.world.runUntil(watched.world.trueNow() + 20 * minutes)
    watched.stop()
    expect(api.streamRequests).toHaveLength(2)
  })
})

describe('behavior: without a stream the timer decides', () => {
  const html = (response: ServerResponse) => {
    response.setHeader('content-type', 'text/html')
    response.end('<html></html>')
  }
  const large = (response: ServerResponse) => {
    startEvents(response)
    response.write(`data: ${'x'.repeat(3 * 1024 * 1024)}`)
  }

  test.each([
    ['404', refuse(404), 1],
    ['403', refuse(403), 1],
    ['406', refuse(406), 1],
    ['a redirect', refuse(302), 1],
    ['a page', html, 1],
    ['503', refuse(503), 5],
    ['429', refuse(429), 5],
    ['a reset connection', (response: ServerResponse) => response.destroy(), 5],
    ['an endless event', large, 5],
  ])('%s', async (_, answerEvents, attemptsMax) => {
    api.answerEvents = answerEvents
    const watched = watch({ startMs: boundary - 20 * seconds })
    await runUntil(watched, () => api.streamRequests.length > 0 && api.streams.size === 0).toBe(true)
    await watched.world.runUntil(boundary + 5 * seconds)
    watched.stop()
    expect(statuses(watched)).toEqual(['waiting', 'ready'])
    expect(api.requests).toHaveLength(2)
    expect(api.streamRequests.length).toBeGreaterThanOrEqual(1)
    expect(api.streamRequests.length).toBeLessThanOrEqual(attemptsMax)
  })

  test('a proxy that holds the stream back is noticed after 10 s and not tried again', async () => {
    api.answerEvents = holdBack
    const watched = watch({ startMs: boundary - minutes })
    await runUntil(watched, () => api.streamRequests.length).toBe(1)
    expect(api.streams.size).toBe(1)
    await runUntil(watched, () => api.streams.size).toBe(0)
    expect(watched.world.trueNow()).toBeGreaterThan(boundary - 51 * seconds)
    await watched.world.runUntil(boundary + 5 * minutes)
    watched.stop()
    expect(api.streamRequests).toHaveLength(1)
    expect(api.requests).toHaveLength(2)
    expect(watched.states.at(-1)!.at).toBeLessThan(boundary + 4 * seconds)
  })

  test('stream: false opens none', async () => {
    const watched = watch({ stream: false })
    await watched.world.runUntil(boundary + 5 * seconds)
    watched.stop()
    expect(api.streamRequests).toEqual([])
    expect(api.requests).toHaveLength(1 + boundariesBetween(boundary - 40 * seconds, boundary + 5 * seconds).length)
  })
})
