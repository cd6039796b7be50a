import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { curveProvenanceSchema, periodAt } from '@tallystick/core'
import { type FetchOptions, fetchTreasuryCurve, type TreasurySettings } from '@tallystick/issuer'
import { findFreePort } from '@tallystick/workbench/free-port'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  type FakeRow,
  type FakeTreasury,
  november22,
  renderFeed,
  sendFeed,
  startFakeTreasury,
} from './fake-treasury.ts'
import type { Defer } from './harness.ts'

const evening = '2024-11-22T17:45:00-05:00'
const seconds = (instant: string) => BigInt(Date.parse(instant) / 1000)
const tenors = [7, 14, 30, 60, 90, 180, 360]

const baseConfig = {
  source: 'treasury',
  basis: 'discount',
  spreadBps: 0,
  maxAgeBusinessDays: 2,
  timeoutMs: 5_000,
} as const

type Change = Partial<Omit<FetchOptions, 'config'>> & {
  readonly config?: Partial<TreasurySettings>
  readonly at?: string
}

async function treasury(rows: readonly FakeRow[] = [november22]): Promise<FakeTreasury> {
  const server = await startFakeTreasury(onTestFinished as Defer)
  server.publish(rows)
  return server
}

/** The curve for the period that begins next after an instant. */
function fetchAt({ url }: Pick<FakeTreasury, 'url'>, { at = evening, config, ...change }: Change = {}) {
  const nowSeconds = seconds(at)
  return fetchTreasuryCurve({
    config: { ...baseConfig, url, ...config } as TreasurySettings,
    tenors,
    period: periodAt(periodAt(nowSeconds).end),
    nowSeconds,
    knownBills: [],
    signal: new AbortController().signal,
    ...change,
  })
}

describe('fresh', () => {
  test('default: the published rates of 2024-11-22 give the expected coupons and provenance', async () => {
    const server = await treasury()
    const { points, provenance, isNewest } = await fetchAt(server, { config: { spreadBps: -100 } })
    expect(points).toEqual({ 7: 353, 14: 353, 30: 353, 60: 347, 90: 343, 180: 340, 360: 340 })
    expect(isNewest).toBe(true)
    expect([...server.asked()].sort()).toEqual(['202410', '202411'])
    expect(curveProvenanceSchema.parse(provenance)).toEqual({
      source: 'treasury',
      sourceDate: '2024-11-22',
      basis: 'discount',
      spreadBps: -100,
      interpolation: 'linear-in-days, flat beyond the ends',
      rounding: 'half up',
      bills: [
        { weeks: 4, days: 28, cusip: '912797AA4', maturityDate: '2025-01-02', ratePercent: '4.53', bps: '453' },
        { weeks: 8, days: 56, cusip: '912797AA8', maturityDate: '2025-01-02', ratePercent: '4.47', bps: '447' },
        { weeks: 17, days: 119, cusip: '912797A17', maturityDate: '2025-01-02', ratePercent: '4.40', bps: '440' },
      ],
      missingBills: [],
      documentSha256: createHash('sha256')
        .update(renderFeed([november22]))
        .digest('hex'),
      url: `${server.url}?data=daily_treasury_bill_rates&field_tdr_date_value_month=202411`,
      fetchedAt: '2024-11-22T22:45:00.000Z',
    })
  })

  test('default: coupon equivalents are converted from act/365 to the 360-day year', async () => {
    const { points, provenance } = await fetchAt(await treasury(), { config: { basis: 'yield' } })
    // 4.61 % × 360/365 = 454.6849 bps, 4.56 % = 449.7534, 4.53 % = 446.7945
    expect(points).toEqual({ 7: 455, 14: 455, 30: 454, 60: 450, 90: 448, 180: 447, 360: 447 })
    expect(provenance.bills.map(({ bps }) => bps)).toEqual(['454.6849', '449.7534', '446.7945'])
  })

  test('behavior: a coupon at or below 0 is returned unchanged, for the rails to check', async () => {
    const { points } = await fetchAt(await treasury(), { config: { spreadBps: -453 } })
    expect([points[7], points[60], points[360]]).toEqual([0, -6, -13])
  })

  test('behavior: a token in the configured URL is sent but not stored', async () => {
    const server = await treasury()
    const { provenance } = await fetchAt({ url: `${server.url}?key=hunter2` })
    expect(JSON.stringify(provenance)).not.toContain('hunter2')
  })
})

describe('the calendar', () => {
  const friday = { ...november22, date: '2024-11-29' }

  test('behavior: in the first days of a month, the rows of the previous month are used', async () => {
    const server = await treasury([friday])
    const { provenance, isNewest } = await fetchAt(server, { at: '2024-12-02T12:00:00-05:00', config: {} })
    expect([provenance.sourceDate, isNewest]).toEqual(['2024-11-29', false])
    expect([...server.asked()].sort()).toEqual(['202411', '202412'])
    expect(provenance.url).toContain('=202411')
  })

  test('behavior: the month before January is December of the previous year', async () => {
    const server = await treasury([{ ...november22, date: '2024-12-31' }])
    const { provenance } = await fetchAt(server, { at: '2025-01-01T17:45:00-05:00' })
    expect(provenance.sourceDate).toBe('2024-12-31')
    expect([...server.asked()].sort()).toEqual(['202412', '202501'])
  })

  test('behavior: the month is New York’s, not UTC’s', async () => {
    const server = await treasury([friday])
    await fetchAt(server, { at: '2024-12-01T04:45:00Z' })
    expect([...server.asked()].sort()).toEqual(['202410', '202411'])
  })

  test.each([
    [
      'a holiday with a row of nulls',
      '2024-11-28T17:45:00-05:00',
      [{ ...november22, date: '2024-11-27' }, { date: '2024-11-28' }],
      '2024-11-27',
      true,
    ],
    ['a long weekend', '2026-07-05T23:50:00-04:00', [{ ...november22, date: '2026-07-02' }], '2026-07-02', true],
    ['Easter', '2026-04-05T23:50:00-04:00', [{ ...november22, date: '2026-04-02' }], '2026-04-02', true],
    ['not there yet', evening, [{ ...november22, date: '2024-11-21' }], '2024-11-21', false],
    [
      'nulls on a business day',
      evening,
      [{ ...november22, date: '2024-11-21' }, { date: '2024-11-22' }],
      '2024-11-21',
      false,
    ],
  ] as const)('behavior: %s', async (_, at, rows, sourceDate, newest) => {
    const { provenance, isNewest } = await fetchAt(await treasury(rows), { at })
    expect([provenance.sourceDate, isNewest]).toEqual([sourceDate, newest])
  })

  test.each([
    // For the evening of Friday 22: Wednesday's rates are two business days old, Tuesday's three.
    ['2024-11-20', undefined],
    ['2024-11-19', 'stale'],
  ])('error: rates of %s are too old: %s', async (date, failure) => {
    const fetched = fetchAt(await treasury([{ ...november22, date }]))
    if (failure) await expect(fetched).rejects.toMatchObject({ failure })
    else await expect(fetched).resolves.toMatchObject({ isNewest: false })
  })

  test('error: a feed that no longer changes is rejected, and the message has its age', async () => {
    const server = await treasury()
    server.behave((_, response) => sendFeed(response, [{ ...november22, date: '2022-02-18' }]))
    await expect(fetchAt(server)).rejects.toMatchObject({
      failure: 'stale',
      message:
        'The newest usable row of the Treasury feed is of 2022-02-18, 688 business days before 2024-11-22. ' +
        'The limit is 2 (curve.maxAgeBusinessDays). If the feed has moved, set curve.url.',
    })
  })
})

describe('columns', () => {
  test('behavior: new columns and unsupported bills change nothing and are reported', async () => {
    const extra = '<d:ROUND_B1_CLOSE_2WK_2>19.99</d:ROUND_B1_CLOSE_2WK_2><d:SOMETHING_NEW>x</d:SOMETHING_NEW>'
    const fetched = await fetchAt(await treasury([{ ...november22, extra }]))
    expect(fetched.points).toEqual({ 7: 453, 14: 453, 30: 453, 60: 447, 90: 443, 180: 440, 360: 440 })
    expect(fetched.newBills).toEqual([2])
  })

  test('error: with a missing end, the previous row is used until it is too old', async () => {
    const whole = { ...november22, discount: { ...november22.discount, 52: '4.16' } }
    const server = await treasury([{ ...whole, date: '2024-11-21' }, november22])
    const fetched = await fetchAt(server)
    expect([fetched.provenance.sourceDate, fetched.vanishedBills, fetched.isNewest]).toEqual([
      '2024-11-21',
      [52],
      false,
    ])
    server.publish([{ ...whole, date: '2024-11-19' }, { ...november22, date: '2024-11-20' }, november22])
    await expect(fetchAt(server)).rejects.toMatchObject({
      failure: 'stale',
      message: expect.stringContaining('Newer rows lack the 52-week bill.'),
    })
  })

  test('error: a missing end of the last curve is noticed even if no row has it', async () => {
    const fetched = fetchAt(await treasury(), { knownBills: [4, 8, 17, 52] })
    await expect(fetched).rejects.toMatchObject({ failure: 'incomplete' })
    const named = await fetchAt(await treasury(), { knownBills: [4, 8, 17, 52], config: { bills: [4, 8, 17] } })
    expect(named.points[360]).toBe(440)
  })

  test('behavior: a missing bill in between is interpolated, and the provenance lists it', async () => {
    const before = { ...november22, date: '2024-11-21', discount: { ...november22.discount, 13: '9.99' } }
    const { points, provenance } = await fetchAt(await treasury([before, november22]))
    expect([points[90], provenance.missingBills]).toEqual([443, [13]])
  })
})

const megabyte = 1024 * 1024

/** Sends megabytes of spaces until the client closes the connection. */
function pour(response: ServerResponse, count: number): void {
  const chunk = Buffer.alloc(megabyte, 0x20)
  let sent = 0
  const write = () => {
    while (sent < count && !response.destroyed) {
      sent += 1
      if (!response.write(chunk)) return void response.once('drain', write)
    }
    response.end()
  }
  write()
}

describe('a server that fails', () => {
  const answers: [string, string, (response: ServerResponse) => void][] = [
    ['nothing at all', 'timeout', () => undefined],
    ['half an answer', 'timeout', (response) => response.writeHead(200).write('<feed>')],
    ['a closed connection', 'unreachable', (response) => response.destroy()],
    ['500', 'status', (response) => response.writeHead(500).end('<feed/>')],
    ['404', 'status', (response) => response.writeHead(404).end()],
    ['204', 'malformed', (response) => response.writeHead(204).end()],
    ['a redirect', 'redirected', (response) => response.writeHead(301, { location: 'http://127.0.0.1:1/' }).end()],
    ['a page', 'wrong_shape', (response) => response.end('<html><body>Maintenance</body></html>')],
    ['JSON', 'malformed', (response) => response.end('{}')],
    ['bytes that are no text', 'malformed', (response) => response.end(Buffer.from([0x3c, 0xff, 0xfe]))],
    ['too much', 'too_large', (response) => response.end(Buffer.alloc(512 * 1024 + 1, 0x20))],
    ['50 MB', 'too_large', (response) => pour(response, 50)],
    ['a body without end', 'too_large', (response) => pour(response, Number.POSITIVE_INFINITY)],
    [
      '4 MB in 4 KB',
      'too_large',
      (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(4 * megabyte))),
    ],
    ['UTF-16', 'malformed', (response) => response.end(Buffer.from(renderFeed([november22]), 'utf16le'))],
    ['rates of last year', 'stale', (response) => sendFeed(response, [{ ...november22, date: '2023-11-22' }])],
    ['rates of tomorrow', 'empty', (response) => sendFeed(response, [{ ...november22, date: '2024-11-23' }])],
    ['NaN', 'malformed', (response) => sendFeed(response, [{ ...november22, discount: { 4: 'NaN' } }])],
    ['an exponent', 'malformed', (response) => sendFeed(response, [{ ...november22, discount: { 4: '4e0' } }])],
    [
      'a rate of 100,000 digits',
      'malformed',
      (response) => sendFeed(response, [{ ...november22, discount: { 4: `4.${'5'.repeat(100_000)}` } }]),
    ],
    ['two empty months', 'empty', (response) => sendFeed(response, [])],
    ['only nulls', 'empty', (response) => sendFeed(response, [{ date: '2024-11-22' }])],
    [
      'two rows of one day that differ',
      'conflict',
      (response) => sendFeed(response, [november22, { ...november22, discount: { 4: '4.54', 8: '4.47', 17: '4.40' } }]),
    ],
    [
      'a slip of the decimal point',
      'implausible',
      (response) => sendFeed(response, [{ ...november22, discount: { 4: '453' } }]),
    ],
    ['a rate that is none', 'malformed', (response) => sendFeed(response, [{ ...november22, discount: { 4: 'N/A' } }])],
  ]
  test.each(answers)('error: %s', async (_, failure, answer) => {
    const server = await treasury()
    server.behave((_request, response) => answer(response))
    const config = failure === 'timeout' ? { timeoutMs: 300 } : {}
    await expect(fetchAt(server, { config })).rejects.toMatchObject({ failure })
  })

  test('error: connection refused', async () => {
    const down = fetchAt({ url: `http://127.0.0.1:${await findFreePort()}/xml` })
    await expect(down).rejects.toMatchObject({
      failure: 'unreachable',
      message: expect.stringContaining('ECONNREFUSED'),
    })
  })

  const failsFor = (month: string) => (server: FakeTreasury, rows: FakeRow[]) =>
    server.behave((request, response) => {
      if (request.url?.includes(month)) response.writeHead(500).end()
      else sendFeed(response, rows)
    })

  test('behavior: the previous month may fail if this one has rates', async () => {
    const server = await treasury()
    failsFor('202410')(server, [november22])
    expect((await fetchAt(server)).provenance.sourceDate).toBe('2024-11-22')
  })

  test('error: the previous month must not fail if this one is empty, and this one must never fail', async () => {
    const server = await treasury()
    failsFor('202410')(server, [])
    await expect(fetchAt(server)).rejects.toMatchObject({ failure: 'status' })
    failsFor('202411')(server, [{ ...november22, date: '2024-11-21' }])
    await expect(fetchAt(server)).rejects.toMatchObject({ failure: 'status' })
  })
})
