import { calendarResponseSchema, errorBodySchema } from '@tallystick/core'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createDeferrals, newDatabase, start, type TestService } from './harness.ts'

const { defer, finish } = createDeferrals()
// Saturday, the evening before clocks go back.
const instant = Date.parse('2026-10-31T23:59:59-04:00')
let service: TestService

beforeAll(async () => {
  const listen = { host: '127.0.0.1', port: 0, tls: { cert: 'cert.pem', key: 'key.pem' }, publicRpm: 10_000 }
  const databaseUrl = await newDatabase('postgres', defer)
  service = await start({ databaseUrl, at: new Date(instant).toISOString(), config: { listen } }, defer)
  return finish
})
beforeEach(() => service.clock.hold(instant))

const calendar = async (query = '') => calendarResponseSchema.parse((await service.call(`/calendar${query}`)).json())

test('default: 14 days from today in New York, without a key', async () => {
  const { message, periods } = await calendar()
  expect(message).toBe('Periods of 2026-10-31 to 2026-11-13, New York.')
  expect(periods).toHaveLength(28)
  expect(periods.slice(0, 4)).toEqual([
    { day: '2026-10-31', start: '1793419200', end: '1793484000', hours: 18, isDstDay: false },
    { day: '2026-10-31', start: '1793484000', end: '1793505600', hours: 6, isDstDay: false },
    { day: '2026-11-01', start: '1793505600', end: '1793574000', hours: 19, isDstDay: true },
    { day: '2026-11-01', start: '1793574000', end: '1793595600', hours: 6, isDstDay: false },
  ])
  service.clock.hold(instant + 1_000)
  expect((await calendar()).periods[0]?.day).toBe('2026-11-01')
})

test('behavior: a year has two days of another length, and every period starts where the last one ends', async () => {
  for (const from of ['2026-01-01', '2027-03-01', '2028-02-29', '2030-12-31', '2000-01-01', '2099-12-31']) {
    const { periods } = await calendar(`?from=${from}&days=366`)
    expect(periods).toHaveLength(732)
    expect(periods.filter(({ isDstDay }) => isDstDay).map(({ hours }) => hours)).toHaveLength(2)
    expect(periods.slice(1).map(({ start }) => start)).toEqual(periods.slice(0, -1).map(({ end }) => end))
  }
})

test('behavior: the leap day and the end of the year have 18 and 6 hours', async () => {
  for (const from of ['2028-02-29', '2026-12-31']) {
    expect((await calendar(`?from=${from}&days=1`)).periods.map(({ day, hours }) => [day, hours])).toEqual([
      [from, 18],
      [from, 6],
    ])
  }
  expect((await calendar('?from=2028-02-28&days=1')).periods[1]).toMatchObject({
    start: '1835391600',
    end: '1835413200',
  })
})

test('default: text/calendar has an event for each period', async () => {
  const accept = 'text/calendar, application/json;q=0.5'
  const { status, headers, body } = await service.call('/calendar?from=2026-03-07&days=3', { headers: { accept } })
  expect([status, headers['content-type'], headers['vary']]).toEqual([200, 'text/calendar; charset=utf-8', 'accept'])
  expect(headers['content-disposition']).toBe('attachment; filename="tallystick-periods.ics"')
  const starts = [...body.matchAll(/^DTSTART:(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\r$/gm)].map(([, ...parts]) =>
    Date.UTC(...(parts.map((part, index) => Number(part) - (index === 1 ? 1 : 0)) as [number, number])),
  )
  const { periods } = await calendar('?from=2026-03-07&days=3')
  expect(starts).toEqual(periods.map(({ start }) => Number(start) * 1000))
  expect(body.split('\r\n').every((line) => Buffer.byteLength(line) <= 75)).toBe(true)
})

test('behavior: it may be cached, until the day is over if it starts today', async () => {
  const explicit = await service.call('/calendar?from=2026-11-01')
  expect(explicit.headers['cache-control']).toBe('public, max-age=86400')
  expect((await service.call('/calendar')).headers['cache-control']).toBe('public, max-age=1')
  service.clock.hold(instant - 6 * 3_600_000)
  expect((await service.call('/calendar')).headers['cache-control']).toBe('public, max-age=3600')
  const headers = { 'if-none-match': explicit.headers['etag'] as string }
  expect((await service.call('/calendar?from=2026-11-01', { headers })).status).toBe(304)
  expect((await service.call('/calendar?from=2026-11-02', { headers })).status).toBe(200)
  expect(explicit.headers['access-control-allow-origin']).toBe('*')
})

describe('error: hostile parameters', () => {
  const dates = [
    '',
    '2026-02-30',
    '2027-02-29',
    '2026-2-1',
    '0001-01-01',
    '9999-12-31',
    '1999-12-31',
    '2100-01-01',
    'x',
  ]
  const counts = ['', '0', '367', '-1', '1.5', '1e1', '010', ' 7', '9999999999', 'x', '7&days=7']
  test.each([
    ...dates.map((date) => `from=${date}`),
    'from=2026-11-01&from=2026-11-02',
    ...counts.map((days) => `days=${days}`),
    'chainid=324',
    'to=2026-11-01',
  ])('/calendar?%s is 400 invalid_parameter', async (query) => {
    const { status, json } = await service.call(`/calendar?${query}`)
    expect([status, errorBodySchema.parse(json()).code]).toEqual([400, 'invalid_parameter'])
  })

  test('a type that is not offered is 406', async () => {
    const { status, json } = await service.call('/calendar', { headers: { accept: 'text/csv' } })
    expect([status, json().message]).toEqual([
      406,
      'This service responds with application/json or text/calendar, which the Accept header excludes.',
    ])
  })
})

test('behavior: it counts against the rate limit of the address', async () => {
  const { headers } = await service.call('/calendar')
  expect(headers['ratelimit-policy']).toBe('"default";q=10000;w=60')
})
