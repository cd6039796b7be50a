// @module-tag server

import { createTime } from '@tallystick/base'
import {
  errorBodySchema,
  historyNotesResponseSchema,
  historyRateResponseSchema,
  listPeriods,
  type Period,
} from '@tallystick/core'
import { listFailing } from '@tallystick/workbench/list-failing'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type FakeRequest, type FakeSubgraph, headAt, startFakeSubgraph } from './fake-subgraph.ts'
import { createDeferrals, createKey, newDatabase, pool, start, type TestService } from './harness.ts'
import { parseCsv } from './parse-csv.ts'
import { seedPeriods } from './seed-periods.ts'

// Sunday, 2026-11-15: 324 has an index, 10 has none.
const beforeBoundary = Date.parse('2026-11-15T17:59:59.999-05:00')
const boundary = beforeBoundary + 1
const evening = String(boundary / 1000)
const utcDay = (date: string) => Date.parse(date) / 86_400_000
const { defer, finish } = createDeferrals()
let index: FakeSubgraph
let incomes: readonly { readonly day: number; readonly [name: string]: unknown }[]
let service: TestService
let key: string

beforeAll(async () => {
  const answer = ({ query }: FakeRequest) => {
    const [, first = 0, last = 0] = /day_gte: (\d+), day_lte: (\d+)/.exec(query) ?? []
    return { floatingIncomes: incomes.filter(({ day }) => day >= Number(first) && day <= Number(last)), pools: [] }
  }
  incomes = []
  index = await startFakeSubgraph({ answer, head: headAt(100, boundary / 1000) }, defer)
  const chains = [
    { id: 324, name: 'indexed', pool, subgraph: { urls: [index.url] } },
    { id: 10, name: 'not indexed', pool },
  ]
  const config = { chains, data: { pollMs: 0, timeoutMs: 5_000 }, rails: { preflight: 'off' } }
  const databaseUrl = await newDatabase('postgres', defer)
  service = await start({ databaseUrl, at: new Date(beforeBoundary).toISOString(), config }, defer)
  key = (await createKey(service, { scopes: ['notes', 'rate'] })).secret
  // The days before. The service itself has signed this period and, ahead of time, the next.
  const periods = listPeriods({ from: '2026-10-15', days: 31 })
  const coupons = (period: Period) => ({ 7: period.start === period.noteDay ? 350 : 360, 30: 340 })
  await seedPeriods(service.database, { chainIds: [10, 324], periods, coupons })
  return finish
})
beforeEach(() => {
  service.clock.hold(beforeBoundary)
  index.behave(undefined)
  // One per day; the sum restated for the day before the last.
  incomes = Array.from({ length: 30 }, (_, days) => {
    const day = utcDay('2026-11-14') - days
    return {
      day,
      floatingIncome: '40654777192457711',
      accFloatingIncome: String(40654777192457711n * BigInt(30 - days)),
    }
  })
  index.setHead({ number: 100 + Math.floor(Math.random() * 1e6) })
})

const get = (path: string, headers: Record<string, string> = {}) =>
  service.call(path, { headers: { 'x-api-key': key, ...headers } })
const notes = async (query = '') => historyNotesResponseSchema.parse((await get(`/history/notes${query}`)).json())
const rate = async (query = '') => historyRateResponseSchema.parse((await get(`/history/rate${query}`)).json())

describe('the boundary', () => {
  test('default: the next set is stored, and no part of it is visible before its first second', async () => {
    const [stored] = await service.database.query('select 1 from note_sets where period_start = $1', [evening])
    expect(stored).toBeDefined()
    const paths = ['/history/notes', '/history/notes?limit=1', '/history/notes?to=2026-11-30', '/history/rate']
    const read = async (path: string, accept: string) => {
      const { body, headers } = await get(path, { accept })
      return [body, headers['etag'], headers['link']]
    }
    const readAll = () => Promise.all(paths.flatMap((path) => [read(path, 'application/json'), read(path, 'text/csv')]))
    const before = await readAll()
    expect(before.join()).not.toContain(`"period_start":"${evening}"`)
    // The same answers, tags and links as if the set did not exist.
    await service.database.transaction(async (transaction) => {
      await transaction.query('create table kept as select * from notes where period_start = $1', [evening])
      await transaction.query('create table kept_sets as select * from note_sets where period_start = $1', [evening])
      await transaction.query('delete from notes where period_start = $1', [evening])
      await transaction.query('delete from note_sets where period_start = $1', [evening])
    })
    const without = await readAll()
    await service.database.query('insert into note_sets select * from kept_sets')
    await service.database.query('insert into notes select * from kept')
    expect(before).toEqual(without)
  })

  test('default: the set is visible from its first second', async () => {
    expect((await notes('?limit=2')).periods.map(({ period_start }) => period_start)).toEqual(
      [0, 0].map(() => String(Date.parse('2026-11-15T00:00-05:00') / 1000)),
    )
    service.clock.hold(boundary)
    const { periods } = await notes('?limit=2')
    expect(periods.map(({ chainid, period_start }) => [chainid, period_start])).toEqual([
      ['10', evening],
      ['324', evening],
    ])
  })

  test('behavior: a replica whose clock is ahead shows nothing before the database’s clock agrees', async () => {
    const databaseClock = createTime()
    // By more than the tolerance of `/notes`.
    databaseClock.hold(boundary - 1_000)
    const ahead = await start({
      databaseUrl: service.config.database.reveal(),
      at: new Date(boundary + 60_000).toISOString(),
      config: { chains: service.config.chains.map(({ id, name }) => ({ id, name, pool })) },
      databaseClock,
    })
    const { body, headers } = await ahead.call('/history/notes?limit=2', { headers: { 'x-api-key': key } })
    const begun = `"period_start":"${evening}"`
    expect(body).not.toContain(begun)
    expect(headers['cache-control']).toBe('private, max-age=0')
    databaseClock.hold(boundary + 1_000)
    expect((await ahead.call('/history/notes?limit=2', { headers: { 'x-api-key': key } })).body).toContain(begun)
  })

  test('behavior: an answer is cached until the boundary, or for a minute', async () => {
    expect((await get('/history/notes')).headers['cache-control']).toBe('private, max-age=0')
    service.clock.hold(beforeBoundary - 29_000)
    expect((await get('/history/notes')).headers['cache-control']).toBe('private, max-age=29')
    service.clock.hold(boundary)
    expect((await get('/history/notes')).headers['cache-control']).toBe('private, max-age=60')
    expect((await get('/history/rate')).headers['cache-control']).toBe('private, max-age=60')
  })

  test('behavior: periods that ended 8 days ago are cached for ever, also on a later page', async () => {
    const { headers, body } = await get('/history/notes?chainid=324&from=2026-10-20&to=2026-11-05&limit=3')
    expect(headers['cache-control']).toBe('private, max-age=31536000, immutable')
    const { nextCursor } = JSON.parse(body)
    const next = await get(`/history/notes?chainid=324&cursor=${nextCursor}`)
    expect(next.headers['cache-control']).toBe('private, max-age=31536000, immutable')
    for (const to of ['2026-11-08', '2026-11-15', '2026-12-31']) {
      expect((await get(`/history/notes?to=${to}`)).headers['cache-control']).not.toContain('immutable')
    }
    const again = await get('/history/notes?chainid=324&from=2026-10-20&to=2026-11-05&limit=3', {
      'if-none-match': headers['etag'] as string,
    })
    expect([again.status, again.body, again.headers['cache-control']]).toEqual([304, '', headers['cache-control']])
  })
})

describe('default: /history/notes', () => {
  test('has the periods of a range with their coupons', async () => {
    const { message, periods, nextCursor } = await notes('?chainid=10&from=2026-11-01&to=2026-11-01')
    expect([message, nextCursor]).toEqual(['2 periods.', null])
    expect(periods).toEqual([
      {
        ...{ chainid: '10', period_start: '1793574000', period_end: '1793595600', logIndex: null },
        coupons: [
          { maturity: 7, maturity_timestamp: '1794114000', coupon: '360' },
          { maturity: 30, maturity_timestamp: '1796101200', coupon: '340' },
        ],
      },
      {
        ...{ chainid: '10', period_start: '1793505600', period_end: '1793574000', logIndex: null },
        coupons: [
          { maturity: 7, maturity_timestamp: '1794114000', coupon: '350' },
          { maturity: 30, maturity_timestamp: '1796101200', coupon: '340' },
        ],
      },
    ])
  })

  test('has a tenor that is not offered any more, and nothing for one that never was', async () => {
    expect((await notes('?maturity=30&to=2026-10-15')).periods[0]?.coupons).toHaveLength(1)
    expect(await notes('?maturity=9999')).toEqual({ message: '0 periods.', periods: [], nextCursor: null })
  })

  test('CSV has the same coupons, and a link to the next page', async () => {
    const query = '?from=2026-10-20&to=2026-10-31&maturity=7,30&limit=5'
    const { status, headers, body } = await get(`/history/notes${query}`, { accept: 'text/csv' })
    expect([status, headers['content-type'], headers['vary']]).toEqual([200, 'text/csv; charset=utf-8', 'accept'])
    expect(headers['content-disposition']).toBe(
      'attachment; filename="tallystick-notes-from-2026-10-20-to-2026-10-31.csv"',
    )
    const { periods, nextCursor } = await notes(query)
    // Readable columns follow those of the JSON.
    expect(parseCsv(body)).toMatchObject(
      periods.flatMap(({ coupons, logIndex, ...period }) =>
        coupons.map((coupon) => ({ ...period, logIndex: logIndex ?? '', ...coupon, maturity: `${coupon.maturity}` })),
      ),
    )
    expect(body.split('\r\n', 1)[0]).toBe(
      'chainid,period_start,period_end,logIndex,maturity,maturity_timestamp,coupon,' +
        'period,period_start_utc,period_end_utc,maturity_day_new_york,coupon_percent',
    )
    const [row] = parseCsv(body)
    expect(row).toMatchObject({
      period: '2026-10-31 18:00 to 24:00 New York',
      period_start_utc: '2026-10-31T22:00:00Z',
      period_end_utc: '2026-11-01T04:00:00Z',
      maturity_day_new_york: '2026-11-07',
    })
    expect(Number(row?.['coupon_percent'])).toBe(Number(row?.['coupon']) / 100)
    const link = `</history/notes?from=2026-10-20&to=2026-10-31&maturity=7%2C30&limit=5&cursor=${nextCursor}>; rel="next"`
    expect(headers['link']).toBe(link)
    const [, next = ''] = /<(.*)>/.exec(link) ?? []
    expect((await get(next)).json().periods[0].period_start).toBe(periods.at(-1)?.period_start)
    expect((await get(next, { accept: 'text/csv' })).headers['etag']).not.toBe((await get(next)).headers['etag'])
  })

  test('identical requests at the same time share a read', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => get('/history/notes')))
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1)
  })
})

describe('default: /history/rate', () => {
  test('has the last coupons of each New York day and the floating rate of the same UTC day', async () => {
    const { message, days, nextCursor } = await rate('?from=2026-11-12&to=2026-11-15')
    expect([message, nextCursor]).toEqual(['8 days.', null])
    expect(days.filter(({ chainid }) => chainid === '324')).toEqual([
      {
        ...{ chainid: '324', day: '2026-11-15', floatingRate: null },
        fixedRates: [7, 14, 30].map((maturity, at) => ({ maturity, coupon: ['369', '365', '362'][at] })),
        floatingReason: 'The index has no floating income of this UTC day.',
      },
      ...['2026-11-14', '2026-11-13', '2026-11-12'].map((day) => ({
        ...{ chainid: '324', day, floatingRate: '1264', floatingReason: null },
        fixedRates: [
          { maturity: 7, coupon: '360' },
          { maturity: 30, coupon: '340' },
        ],
      })),
    ])
    expect(days.filter(({ chainid }) => chainid === '10').map((day) => [day.floatingRate, day.floatingReason])).toEqual(
      [0, 0, 0, 0].map(() => [null, 'No subgraph is configured for this chain.']),
    )
  })

  test('has 30 days by default', async () => {
    const { days } = await rate('?chainid=324')
    expect([days.length, days[0]?.day, days.at(-1)?.day]).toEqual([30, '2026-11-15', '2026-10-17'])
  })

  test('behavior: a restated day is paid as the difference of the sums', async () => {
    incomes = [
      { day: utcDay('2026-11-14'), floatingIncome: '1', accFloatingIncome: String(2n * 40654777192457711n) },
      { day: utcDay('2026-11-13'), floatingIncome: '5', accFloatingIncome: '40654777192457711' },
    ]
    const { days } = await rate('?chainid=324&from=2026-11-13&to=2026-11-14')
    expect(days.map(({ floatingRate }) => floatingRate)).toEqual(['1264', '0'])
  })

  test('behavior: pages cover 366 days each and have every day once', async () => {
    incomes = Array.from({ length: 800 }, (_, days) => ({
      ...{ day: utcDay('2026-11-14') - days, floatingIncome: '0' },
      accFloatingIncome: String(40654777192457711n * BigInt(800 - days)),
    }))
    const all = []
    let cursor: string | null = ''
    for (let pages = 0; cursor !== null; pages++) {
      expect(pages).toBeLessThan(4)
      const page = await rate(`?chainid=324&from=2024-09-06&to=2026-11-15${cursor && `&cursor=${cursor}`}`)
      all.push(...page.days)
      cursor = page.nextCursor
    }
    const floating = all.filter(({ floatingRate }) => floatingRate !== null).map(({ day }) => utcDay(day))
    expect(floating).toEqual(incomes.map(({ day }) => day))
    expect(all.slice(1, -1).every(({ floatingRate }) => floatingRate === '1264')).toBe(true)
  })

  test.each([
    ['fails', 'was lost', ({ response }: { response: { destroy(): void } }) => response.destroy()],
    ['hangs', 'did not answer in time', () => undefined],
  ])('behavior: an index that %s gives null with a reason, and is not cached', async (_, reason, misbehave) => {
    index.behave(misbehave as never)
    const { status, headers, body } = await get('/history/rate?chainid=324&from=2026-11-13')
    expect([status, headers['cache-control']]).toEqual([200, 'private, no-cache'])
    const { days } = historyRateResponseSchema.parse(JSON.parse(body))
    expect(days.map(({ floatingRate }) => floatingRate)).toEqual([null, null, null])
    expect(days[0]?.floatingReason).toMatch(new RegExp(reason))
    expect(days[0]?.fixedRates).toHaveLength(3)
  })

  test.each([
    ['no list', { floatingIncomes: null }],
    ['a day that is none', { floatingIncomes: [{ day: 'x', floatingIncome: '1', accFloatingIncome: '1' }] }],
    ['a negative income', { floatingIncomes: [{ day: 1, floatingIncome: '-1', accFloatingIncome: '1' }] }],
  ])('behavior: an index that returns %s gives null with a reason', async (_, data) => {
    index.behave(({ request, response, answerWell }) => {
      if (request.isLight) return answerWell()
      const meta = { block: { number: 100, hash: headAt(100).hash, timestamp: 1 }, hasIndexingErrors: false }
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: { ...data, _meta: meta } }))
    })
    const { days } = await rate('?chainid=324&from=2026-11-14&to=2026-11-14')
    expect(days[0]?.floatingRate).toBeNull()
    expect(days[0]?.floatingReason).toBeTruthy()
  })

  test('CSV has one row per day and tenor', async () => {
    const query = '?from=2026-11-13&to=2026-11-15&chainid=324'
    const { headers, body } = await get(`/history/rate${query}`, { accept: 'text/csv, application/json;q=0.5' })
    expect(headers['content-disposition']).toContain('tallystick-rates-from-2026-11-13-to-2026-11-15.csv')
    const { days } = await rate(query)
    expect(parseCsv(body)).toMatchObject(
      days.flatMap(({ fixedRates, floatingRate, floatingReason, ...day }) =>
        fixedRates.map(({ maturity, coupon }) => ({
          ...{ ...day, maturity: `${maturity}`, coupon },
          ...{ floatingRate: floatingRate ?? '', floatingReason: floatingReason ?? '' },
          ...{ coupon_percent: (Number(coupon) / 100).toFixed(2) },
          ...{ floating_percent: floatingRate ? (Number(floatingRate) / 100).toFixed(2) : '' },
        })),
      ),
    )
    expect(body.split('\r\n', 1)[0]).toBe(
      'chainid,day,maturity,coupon,floatingRate,floatingReason,coupon_percent,floating_percent',
    )
  })
})

describe('error: hostile parameters', () => {
  const dates = [
    ...['', '%20', '2026-11-1', '2026-02-30', '2026-13-01', '2027-02-29', '20261101', '2026-11-01T00:00:00Z'],
    ...['0001-01-01', '9999-12-31', '1999-12-31', '2100-01-01', '+2026-11-01', ' 2026-11-01', '%00', '1e9', 'today'],
    ...['2026-11-01&from=2026-11-02', '٢٠٢٦-11-01'],
  ]
  const cursors = ['', 'x', '====', 'MQ', encode('1'), encode('1.0'), encode('-1.1'), encode(`${'9'.repeat(30)}.1`)]
  const wrong = [
    ...dates.flatMap((date) => [`notes?from=${date}`, `rate?to=${date.replace('&from', '&to')}`]),
    ...cursors.flatMap((cursor) => [`notes?cursor=${cursor}`, `rate?cursor=${cursor}`]),
    ...['0', '-1', '1001', '1.5', '1e2', '', ' 1', '010', 'x', '5&limit=5'].map((limit) => `notes?limit=${limit}`),
    ...[`rate?cursor=${encode('2026-02-30')}`, `rate?cursor=${encode('9999-01-01')}`],
    ...['notes?from=2026-11-02&to=2026-11-01', 'rate?from=2026-11-02&to=2026-11-01'],
    ...['notes?from=2026-11-16', 'rate?from=2026-11-16', 'notes?from=2099-12-31', 'rate?from=2016-01-01'],
    ...['notes?page=2', 'rate?maturity=7', 'rate?limit=5', 'notes?From=2026-11-01', 'notes?cursor=MQ&cursor=MQ'],
  ]
  test('each is 400 invalid_parameter', async () => {
    const failing = await listFailing(wrong, async (path) => {
      const { status, json } = await get(`/history/${encodeURI(path).replaceAll('%25', '%')}`)
      expect([status, errorBodySchema.parse(json()).code]).toEqual([400, 'invalid_parameter'])
    })
    expect(failing).toEqual([])
  })

  test.each(['notes?chainid=1', 'notes?chainid=', 'rate?chainid=0324', 'rate?chainid=324&chainid=324'])(
    '/history/%s is 400 invalid_chainid',
    async (path) => {
      const { status, json } = await get(`/history/${path}`)
      expect([status, json().code]).toEqual([400, 'invalid_chainid'])
    },
  )

  test.each(['', '0', '7,', '7;14', '07', 'x', '7&maturity=14', '99999'])(
    '/history/notes?maturity=%s is 400 invalid_maturity',
    async (maturity) => {
      const { status, json } = await get(`/history/notes?maturity=${maturity}`)
      expect([status, json().code]).toEqual([400, 'invalid_maturity'])
    },
  )

  test('the messages say what to do', async () => {
    const messages = []
    for (const path of [
      'notes?from=2026-02-30',
      'notes?from=0001-01-01',
      'notes?from=2026-11-16',
      'rate?from=2016-01-01',
    ]) {
      messages.push((await get(`/history/${path}`)).json().message)
    }
    expect(messages).toMatchInlineSnapshot(`
      [
        "from "2026-02-30" is not a date. Use one such as 2026-11-01, given once.",
        "from "0001-01-01" is out of range. Use a date from 2000-01-01 to 2099-12-31.",
        "from "2026-11-16" has not begun. Today in New York is 2026-11-15.",
        "from "2016-01-01" is more than 3660 days before to. Choose a shorter range.",
      ]
    `)
  })

  test('a key, its scope and the type are checked', async () => {
    const onlyRate = (await createKey(service, { scopes: ['rate'] })).secret
    const statusOf = async (path: string, headers: Record<string, string>) => {
      const { status, json } = await service.call(path, { headers })
      return [status, json().code]
    }
    expect(await statusOf('/history/notes', {})).toEqual([403, 'invalid_api_key'])
    expect(await statusOf('/history/notes?from=x', { 'x-api-key': 'x' })).toEqual([403, 'invalid_api_key'])
    expect(await statusOf('/history/notes', { 'x-api-key': onlyRate })).toEqual([403, 'insufficient_scope'])
    expect(await statusOf('/history/notes', { 'x-api-key': key, accept: 'text/html' })).toEqual([406, 'not_acceptable'])
    expect(await statusOf('/notes', { 'x-api-key': key, accept: 'text/csv' })).toEqual([406, 'not_acceptable'])
  })
})

function encode(text: string): string {
  return Buffer.from(text).toString('base64url')
}
