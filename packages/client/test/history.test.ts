import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Client, createClient } from '../src/create-client.ts'
import { decodeDay, decodePeriod } from '../src/history/fetch-history.ts'
import { apiKey, type FakeApi, startFakeApi } from './fake-api.ts'

let api: FakeApi
let client: Client
beforeAll(async () => {
  api = await startFakeApi()
  client = createClient({ baseUrl: api.baseUrl, apiKey, retries: 0 })
})
afterAll(() => api.stop())
beforeEach(() => {
  api.requests.length = 0
})

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = []
  for await (const item of items) collected.push(item)
  return collected
}

test('default: the periods of all pages are decoded, in order', async () => {
  const periods = await collect(client.historyNotes({ chainId: 324, maturity: [7, 14], from: '2026-10-01' }))
  expect(periods.map(({ periodStart }) => periodStart)).toEqual([0n, 1n, 2n, 3n, 4n].map((n) => 1794697200n - n))
  expect(periods[1]).toEqual({
    chainId: 324,
    periodStart: 1794697199n,
    periodEnd: 1794718800n,
    logIndex: 9,
    coupons: [{ maturity: 7, maturityTimestamp: 1795237200n, coupon: 369n }],
  })
  expect(periods[0]?.logIndex).toBeNull()
  expect(api.requests.map(({ path }) => path)).toEqual([
    '/history/notes?chainid=324&maturity=7,14&from=2026-10-01',
    '/history/notes?chainid=324&maturity=7,14&from=2026-10-01&cursor=2',
    '/history/notes?chainid=324&maturity=7,14&from=2026-10-01&cursor=4',
  ])
})

test('default: the days of all pages are decoded, and a missing floating rate is null with its reason', async () => {
  const days = await collect(client.historyRate())
  expect(days.map(({ day }) => day)).toEqual([14, 13, 12, 11, 10].map((day) => `2026-11-${day}`))
  expect(days[0]).toEqual({
    chainId: 324,
    day: '2026-11-14',
    fixedRates: [{ maturity: 7, coupon: 369n }],
    floatingRate: null,
    floatingReason: 'Not set.',
  })
  expect(days[1]?.floatingRate).toBe(1264n)
})

test('behavior: a loop that ends early fetches no further page', async () => {
  for await (const period of client.historyNotes()) if (period) break
  expect(api.requests).toHaveLength(1)
})

test('default: the calendar is decoded and needs no key', async () => {
  const periods = await createClient({ baseUrl: api.baseUrl }).calendar({ from: '2026-11-01', days: 1 })
  expect(periods).toEqual([
    { day: '2026-11-01', start: 1793505600n, end: 1793574000n, hours: 19, isDstDay: true },
    { day: '2026-11-01', start: 1793574000n, end: 1793595600n, hours: 6, isDstDay: false },
  ])
  expect(api.requests[0]?.path).toBe('/calendar?from=2026-11-01&days=1')
  expect(await client.calendar()).toHaveLength(28)
})

test('error: a cursor that comes again ends the iteration', async () => {
  const fetch = async () => new Response(JSON.stringify({ message: '', periods: [], nextCursor: 'again' }))
  const looping = createClient({ baseUrl: api.baseUrl, apiKey, fetch, retries: 0 })
  await expect(collect(looping.historyNotes())).rejects.toThrow('GET /history/notes: body.nextCursor is string')
})

test('error: a rejected range is the service’s error', async () => {
  api.mishaps.push({ status: 400, code: 'invalid_parameter', message: 'from is after to.' })
  await expect(collect(client.historyNotes({ from: '2026-11-02', to: '2026-11-01' }))).rejects.toMatchObject({
    code: 'invalid_parameter',
    message: 'from is after to.',
  })
})

test('error: an abort ends the iteration', async () => {
  const signal = AbortSignal.abort(new Error('stopped'))
  await expect(collect(client.historyRate({ signal }))).rejects.toThrow('stopped')
})

describe('error: rejects', () => {
  const period = { chainid: '324', period_start: '1', period_end: '2', logIndex: 3, coupons: [] }
  const day = { chainid: '324', day: '2026-11-14', fixedRates: [], floatingRate: null, floatingReason: 'x' }
  test.each([
    ['a period as a number', () => decodePeriod({ value: { ...period, period_start: 1 }, path: 'p' })],
    ['a negative log index', () => decodePeriod({ value: { ...period, logIndex: -1 }, path: 'p' })],
    ['a coupon without a tenor', () => decodePeriod({ value: { ...period, coupons: [{}] }, path: 'p' })],
    ['a day that is none', () => decodeDay({ value: { ...day, day: '14.11.2026' }, path: 'p' })],
    ['a rate as a number', () => decodeDay({ value: { ...day, floatingRate: 1264 }, path: 'p' })],
  ])('%s', (_, decode) => {
    expect(decode).toThrow('does not match this client version')
  })
})
