// @module-tag server

import { describe, expect, onTestFinished, test } from 'vitest'
import { type FakeRow, type FakeTreasury, november22, sendFeed, startFakeTreasury } from './fake-treasury.ts'
import { createKey, type Defer, newDatabase, notesOf, type Setting, start, type TestService } from './harness.ts'

const tenors = [7, 14, 30, 60, 90, 180, 360]
const real = ['453', '453', '453', '447', '443', '440', '440']
// A Friday, when the rates of the day have been out for an hour and a quarter.
const beforeFetch = '2024-11-22T17:30:00-05:00'
const fetchTime = '2024-11-22T17:40:00-05:00'
const signTime = '2024-11-22T17:50:00-05:00'
const evening = '2024-11-22T18:00:00-05:00'
const thursday: FakeRow = { ...november22, date: '2024-11-21', discount: { 4: '4.50', 8: '4.45', 17: '4.38' } }
const thursdays = ['450', '450', '450', '445', '441', '438', '438']

type Options = Partial<Setting> & {
  readonly rows?: readonly FakeRow[]
  readonly curve?: object
  readonly treasury?: FakeTreasury
}

async function startOnTreasury({ rows = [thursday], curve, treasury, config, ...setting }: Options = {}) {
  const feed = treasury ?? (await startFakeTreasury(onTestFinished as Defer))
  if (!treasury) feed.publish(rows)
  const service = await start({
    databaseUrl: setting.databaseUrl ?? (await newDatabase()),
    at: beforeFetch,
    ...setting,
    curve: null,
    config: {
      tenors,
      curve: { source: 'treasury', basis: 'discount', spreadBps: 0, url: feed.url, ...curve },
      ...config,
    },
  })
  return { feed, service }
}

async function periods(service: TestService) {
  const [chain] = (await service.operator.showNotes()).chains
  if (!chain) throw new Error('there is no chain')
  return chain
}

const couponsNow = async (service: TestService) => (await periods(service)).current.notes.map(({ coupon }) => coupon)
const isNextSigned = async (service: TestService) => (await periods(service)).next.signed
const until = (read: () => Promise<unknown> | unknown) => expect.poll(read, { interval: 20 })

async function metric(service: TestService, line: string): Promise<number | undefined> {
  const { body } = await service.admin('/metrics')
  const found = body.split('\n').find((candidate) => candidate.startsWith(`${line} `))
  return found === undefined ? undefined : Number(found.slice(line.length + 1))
}

const fetches = (service: TestService, outcome: string) =>
  metric(service, `tallystick_treasury_fetches_total{outcome="${outcome}"}`)

describe('a day', () => {
  test('default: coupons follow the Treasury from the first start, and those of 2024-11-22 from their boundary', async () => {
    const { feed, service } = await startOnTreasury()
    expect(await couponsNow(service)).toEqual(thursdays)

    feed.publish([thursday, november22])
    // The first start had the newest rates for its period too.
    expect(await fetches(service, 'newest')).toBe(1)
    service.clock.hold(Date.parse(fetchTime))
    await until(() => fetches(service, 'newest')).toBe(2)
    expect(await isNextSigned(service)).toBe(false)
    service.clock.hold(Date.parse(signTime))
    await until(() => isNextSigned(service)).toBe(true)
    expect(await couponsNow(service)).toEqual(thursdays)
    service.clock.hold(Date.parse(evening))
    expect(await couponsNow(service)).toEqual(real)

    const { secret } = await createKey(service)
    const served = notesOf(await service.call('/notes', { headers: { 'x-api-key': secret } }))
    expect(served.data.map(({ coupon }) => coupon)).toEqual(real)
    expect(await metric(service, 'tallystick_treasury_source_age_business_days')).toBe(0)
    expect(await metric(service, 'tallystick_treasury_problem')).toBe(0)
  })

  test('default: notes and curves have their provenance', async () => {
    const { feed, service } = await startOnTreasury({ rows: [november22], at: evening, curve: { spreadBps: -100 } })
    const provenance = {
      source: 'treasury',
      sourceDate: '2024-11-22',
      basis: 'discount',
      spreadBps: -100,
      bills: [{ weeks: 4, cusip: '912797AA4' }, { weeks: 8 }, { weeks: 17 }],
      documentSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      url: expect.stringContaining(feed.url),
    }
    expect((await periods(service)).current.curve).toMatchObject({ source: 'treasury', provenance })
    const report = (await service.admin('/curve')).json()
    expect(report).toMatchObject({ source: 'treasury', history: [{ createdBy: 'treasury feed', provenance }] })
    expect(report.chains[0].current.curve.provenance).toMatchObject(provenance)
  })

  test('behavior: late rates are fetched once they are published', { tags: 'slow' }, async () => {
    const { feed, service } = await startOnTreasury({ at: fetchTime })
    await until(() => fetches(service, 'behind')).toBeGreaterThanOrEqual(1)
    service.clock.hold(Date.parse(signTime))
    await until(() => isNextSigned(service)).toBe(true)
    service.clock.hold(Date.parse(evening))
    expect(await couponsNow(service)).toEqual(thursdays)

    feed.publish([thursday, november22])
    service.clock.hold(Date.parse('2024-11-22T23:55:00-05:00'))
    await until(() => isNextSigned(service)).toBe(true)
    service.clock.hold(Date.parse('2024-11-23T00:00:00-05:00'))
    expect(await couponsNow(service)).toEqual(real)
  })

  test('behavior: a failed fetch is retried before the notes are signed', async () => {
    const { feed, service } = await startOnTreasury()
    feed.publish([thursday, november22])
    feed.behave((_, response) => response.writeHead(502).end())
    service.clock.hold(Date.parse(fetchTime))
    await until(() => fetches(service, 'status')).toBeGreaterThanOrEqual(2)
    feed.behave(undefined)
    await until(() => fetches(service, 'newest')).toBe(2)
    service.clock.hold(Date.parse(signTime))
    await until(() => isNextSigned(service)).toBe(true)
    service.clock.hold(Date.parse(evening))
    expect(await couponsNow(service)).toEqual(real)
  })

  test('behavior: works on the embedded database', { tags: 'slow' }, async () => {
    const { service } = await startOnTreasury({
      databaseUrl: await newDatabase('pglite'),
      rows: [november22],
      at: evening,
    })
    const [chain] = (await service.admin('/notes')).json().chains
    expect(chain.current.notes.map(({ coupon }: { coupon: string }) => coupon)).toEqual(real)
    expect(chain.current.curve.provenance).toMatchObject({ sourceDate: '2024-11-22', bills: [{ weeks: 4 }, {}, {}] })
  })

  test('behavior: a machine that slept until just before the boundary fetches before it signs', {
    tags: 'slow',
  }, async () => {
    const { feed, service } = await startOnTreasury()
    await until(() => couponsNow(service)).toEqual(thursdays)
    // Longer than many intervals of the issue scheduler.
    feed.behave((_, response) => setTimeout(() => sendFeed(response, [thursday, november22]), 400))
    service.clock.hold(Date.parse('2024-11-22T17:59:00-05:00'))
    await until(() => isNextSigned(service)).toBe(true)
    service.clock.hold(Date.parse(evening))
    expect(await couponsNow(service)).toEqual(real)
  })

  test('behavior: a restart on signed notes does not need the Treasury', { tags: 'slow' }, async () => {
    const databaseUrl = await newDatabase()
    const { feed, service } = await startOnTreasury({ databaseUrl })
    await service.stop()
    const before = feed.asked().length
    const again = await startOnTreasury({ databaseUrl, treasury: feed })
    expect(await couponsNow(again.service)).toEqual(thursdays)
    expect(feed.asked().length).toBe(before)
    expect(await metric(again.service, 'tallystick_treasury_source_age_business_days')).toBe(1)
  })

  test('behavior: of several replicas that fetch at the same time, one stores the curve', {
    tags: 'slow',
  }, async () => {
    const databaseUrl = await newDatabase()
    const { feed, service } = await startOnTreasury({ databaseUrl, rows: [thursday] })
    const others = await Promise.all([1, 2].map(() => startOnTreasury({ databaseUrl, treasury: feed })))
    feed.publish([thursday, november22])
    const all = [service, ...others.map((other) => other.service)]
    for (const { clock } of all) clock.hold(Date.parse(fetchTime))
    for (const one of all) await until(() => fetches(one, 'newest')).toBe(one === service ? 2 : 1)
    const curves = await service.database.query("select provenance->>'sourceDate' as date from curves order by id")
    expect(curves).toEqual([{ date: '2024-11-21' }, { date: '2024-11-22' }])
  })
})

describe('an outage', () => {
  test('behavior: the curve stays in force up to its maximum age; then nothing is signed, and every report has the reason', async () => {
    const { feed, service } = await startOnTreasury()
    feed.behave((_, response) => response.writeHead(503).end())
    // Thursday's rates are one business day old on Friday evening and on Sunday, two on Monday, three on Tuesday.
    for (const boundary of ['2024-11-22T18:00:00-05:00', '2024-11-25T00:00:00-05:00', '2024-11-25T18:00:00-05:00']) {
      service.clock.hold(Date.parse(boundary))
      await until(() => couponsNow(service)).toEqual(thursdays)
    }
    service.clock.hold(Date.parse('2024-11-26T00:00:00-05:00'))
    await until(async () => (await periods(service)).current.refusal).toMatchObject({
      reason: 'curve_stale',
      message: expect.stringMatching(
        /^the rates in force are of 2024-11-21, 3 business days old on 2024-11-26\. The limit is 2 .*status 503\. Set a curve with `tallystick curve set 7=<bps>/,
      ),
    })
    expect(await couponsNow(service)).toEqual([])
    expect(await metric(service, 'tallystick_treasury_problem')).toBe(1)
    expect(await fetches(service, 'status')).toBeGreaterThanOrEqual(1)
    expect(service.log()).toContain('The Treasury feed responded with status 503.')

    feed.publish([{ ...november22, date: '2024-11-25' }])
    feed.behave(undefined)
    await until(() => couponsNow(service)).toEqual(real)
    expect(await metric(service, 'tallystick_treasury_problem')).toBe(0)
  })

  const states: [string, string, (feed: FakeTreasury) => void][] = [
    ['down', 'unreachable', (feed) => feed.behave((_, response) => response.destroy())],
    ['slow', 'timeout', (feed) => feed.behave(() => undefined)],
    ['of the wrong shape', 'wrong_shape', (feed) => feed.behave((_, response) => response.end('<html/>'))],
    ['empty', 'empty', (feed) => feed.publish([])],
    ['all null', 'empty', (feed) => feed.publish([{ date: '2024-11-22' }, { date: '2024-11-21' }])],
    [
      'frozen',
      'stale',
      (feed) => feed.behave((_, response) => sendFeed(response, [{ ...november22, date: '2022-02-18' }])),
    ],
  ]
  test.each(states)(
    'error: a feed that is %s from the first start on gives no notes, and says why',
    { tags: 'slow' },
    async (_, failure, set) => {
      const feed = await startFakeTreasury(onTestFinished as Defer)
      set(feed)
      const curve = failure === 'timeout' ? { timeoutMs: 100 } : {}
      const { service } = await startOnTreasury({ treasury: feed, curve })
      const { current } = await periods(service)
      expect(current).toMatchObject({ signed: false, notes: [], refusal: { reason: 'no_curve' } })
      expect(current.refusal?.message).toContain('Treasury feed')
      expect(await fetches(service, failure)).toBeGreaterThanOrEqual(1)
      expect(await service.database.query('select 1 from note_sets')).toEqual([])
    },
  )

  test('behavior: shutdown does not wait for a hanging feed', { tags: 'slow' }, async () => {
    const { feed, service } = await startOnTreasury({ curve: { timeoutMs: 60_000 } })
    feed.behave(() => undefined)
    const before = feed.asked().length
    service.clock.hold(Date.parse(fetchTime))
    await until(() => feed.asked().length).toBeGreaterThan(before)
    const began = performance.now()
    await service.stop()
    expect(performance.now() - began).toBeLessThan(50_000)
  })
})

describe('rails', () => {
  const jumped: FakeRow = { ...november22, discount: { 4: '5.51', 8: '5.40', 17: '5.30' } }

  test('error: a move beyond the limit is in force but not signed, until an operator confirms it', async () => {
    const { feed, service } = await startOnTreasury()
    feed.publish([thursday, jumped])
    service.clock.hold(Date.parse(signTime))
    await until(async () => (await periods(service)).next.refusal).toMatchObject({ reason: 'move_too_large' })
    const { refusal } = (await periods(service)).next
    expect(refusal?.message).toContain('the 7-day coupon moves from 450 to 551 bps (+101)')
    expect(refusal?.message).toContain('`tallystick curve set 7=551 14=551 30=550')
    service.clock.hold(Date.parse(evening))
    expect(await couponsNow(service)).toEqual([])

    const confirmed = [...(refusal?.message ?? '').matchAll(/(\d+)=(\d+)/g)].map(([, tenor, bps]) => [
      tenor,
      Number(bps),
    ])
    await service.operator.setCurve({ points: Object.fromEntries(confirmed), confirm: true, by: 'test' })
    await until(() => couponsNow(service)).toEqual(['551', '551', '550', '539', '535', '530', '530'])
  })

  test.each([
    ['zero', -450, 'the 7-day coupon is 0 bps, outside 1 to 1000'],
    ['above the pool’s limit', 551, 'the 7-day coupon is 1001 bps, outside 1 to 1000'],
  ])('error: a coupon of %s is not signed', async (_, spreadBps, message) => {
    const { service } = await startOnTreasury({ curve: { spreadBps } })
    expect((await periods(service)).current).toMatchObject({
      signed: false,
      refusal: { reason: 'coupon_out_of_range', message: expect.stringContaining(message) },
    })
  })

  test('behavior: with a clock weeks ahead, the rates are too old', { tags: 'slow' }, async () => {
    const { service } = await startOnTreasury()
    service.clock.hold(Date.parse('2024-12-10T12:00:00-05:00'))
    await until(async () => (await periods(service)).current.refusal?.reason).toMatch(/^(clock_ahead|curve_stale)$/)
    expect(await couponsNow(service)).toEqual([])
  })
})

describe('revised rates', () => {
  const by = (bps: number): FakeRow => ({
    ...november22,
    discount: Object.fromEntries(
      Object.entries(november22.discount ?? {}).map(([weeks, rate]) => [weeks, (Number(rate) + bps / 100).toFixed(2)]),
    ),
  })

  test('error: a revised row does not change the coupons until an operator confirms it', async () => {
    const { feed, service } = await startOnTreasury({ rows: [november22], at: evening })
    expect(await couponsNow(service)).toEqual(real)
    feed.publish([by(-98)])
    service.clock.hold(Date.parse('2024-11-22T23:55:00-05:00'))
    await until(() => fetches(service, 'revised')).toBeGreaterThanOrEqual(1)
    await until(() => isNextSigned(service)).toBe(true)
    service.clock.hold(Date.parse('2024-11-23T00:00:00-05:00'))
    expect(await couponsNow(service)).toEqual(real)
    expect(await metric(service, 'tallystick_treasury_problem')).toBe(1)
    const { problem } = (await service.admin('/curve')).json()
    expect(problem).toBe(
      'The Treasury feed changed its row of 2024-11-22, from which notes were signed: 4 weeks from 4.53 % to 3.55 %, ' +
        '8 weeks from 4.47 % to 3.49 %, 17 weeks from 4.40 % to 3.42 %. The coupons are unchanged. If this is ' +
        'intended, confirm it with `tallystick curve set 7=355 14=355 30=355 60=349 90=345 180=342 360=342 --confirm`.',
    )
    expect(service.log()).toContain('changed its row of 2024-11-22')

    const points = Object.fromEntries(
      [...problem.matchAll(/(\d+)=(\d+)/g)].map(([, tenor, bps]) => [tenor, Number(bps)]),
    )
    await service.operator.setCurve({ points, confirm: true, by: 'test' })
    service.clock.hold(Date.parse('2024-11-23T17:55:00-05:00'))
    await until(() => isNextSigned(service)).toBe(true)
    service.clock.hold(Date.parse('2024-11-23T18:00:00-05:00'))
    expect((await couponsNow(service))[0]).toBe('355')
    await until(() => metric(service, 'tallystick_treasury_problem')).toBe(0)
  })

  test('behavior: equal rates in another notation are not a revision, and a newer row is used', {
    tags: 'slow',
  }, async () => {
    const { feed, service } = await startOnTreasury({ rows: [november22], at: evening })
    feed.publish([{ ...november22, discount: { 4: '4.530', 8: '4.47', 17: '4.4' } }])
    service.clock.hold(Date.parse('2024-11-22T23:55:00-05:00'))
    await until(() => isNextSigned(service)).toBe(true)
    expect(await fetches(service, 'revised')).toBe(0)
    feed.publish([by(-50), { ...by(-60), date: '2024-11-25' }])
    service.clock.hold(Date.parse('2024-11-25T17:55:00-05:00'))
    await until(() => isNextSigned(service)).toBe(true)
    service.clock.hold(Date.parse('2024-11-25T18:00:00-05:00'))
    expect((await couponsNow(service))[0]).toBe('393')
    expect(await fetches(service, 'revised')).toBe(0)
  })

  test('error: the weekly rail stops moves of 90 bps on three days', async () => {
    const { feed, service } = await startOnTreasury({ rows: [november22], at: evening })
    const rows = [november22]
    for (const [day, bps] of [
      ['25', -90],
      ['26', -180],
      ['27', -270],
    ] as const) {
      rows.push({ ...by(bps), date: `2024-11-${day}` })
      feed.publish(rows)
      service.clock.hold(Date.parse(`2024-11-${day}T17:55:00-05:00`))
      if (bps === -270) break
      await until(() => isNextSigned(service)).toBe(true)
      service.clock.hold(Date.parse(`2024-11-${day}T18:00:00-05:00`))
      await until(async () => (await couponsNow(service))[0]).toBe(String(453 + bps))
    }
    await until(async () => (await periods(service)).next.refusal).toMatchObject({
      reason: 'move_too_large',
      message: expect.stringMatching(
        /from 453 to 183 bps \(-270\) within 7 days\. .*`tallystick curve set 7=183 .*--confirm`/,
      ),
    })
  })
})

describe('columns', () => {
  test('error: a missing end raises an alarm, and Thursday’s coupons stay', async () => {
    const whole = { ...thursday, discount: { ...thursday.discount, 52: '4.16' } }
    const { feed, service } = await startOnTreasury({ rows: [whole] })
    const before = await couponsNow(service)
    expect(before.at(-1)).toBe('416')
    feed.publish([november22])
    service.clock.hold(Date.parse(signTime))
    await until(() => isNextSigned(service)).toBe(true)
    service.clock.hold(Date.parse(evening))
    expect(await couponsNow(service)).toEqual(before)
    expect(await fetches(service, 'incomplete')).toBeGreaterThanOrEqual(1)
    expect(await metric(service, 'tallystick_treasury_problem')).toBe(1)
    expect(await metric(service, 'tallystick_treasury_missing_bills')).toBe(1)
    expect(service.log()).toContain('lacks the 52-week bill')
  })

  test('behavior: a missing bill in between raises an alarm and is interpolated', async () => {
    const whole = { ...thursday, discount: { ...thursday.discount, 13: '4.41' } }
    const { feed, service } = await startOnTreasury({ rows: [whole] })
    feed.publish([whole, november22])
    service.clock.hold(Date.parse(signTime))
    await until(() => isNextSigned(service)).toBe(true)
    service.clock.hold(Date.parse(evening))
    expect(await couponsNow(service)).toEqual(real)
    expect((await periods(service)).current.curve?.provenance?.missingBills).toEqual([13])
    expect(await metric(service, 'tallystick_treasury_missing_bills')).toBe(1)
  })
})

describe('manual curves', () => {
  const byHand = { 7: 460, 14: 460, 30: 460, 60: 455, 90: 450, 180: 445, 360: 440 }
  const handmade = Object.values(byHand).map(String)

  test('behavior: a manual curve is in force from its boundary until newer rates are published', async () => {
    const { feed, service } = await startOnTreasury()
    const { curve } = await service.operator.setCurve({ points: byHand, by: 'test' })
    expect(curve?.effectiveFromNewYork).toBe('2024-11-22 18:00')
    feed.publish([thursday, november22])
    service.clock.hold(Date.parse(fetchTime))
    await until(() => fetches(service, 'newest')).toBe(2)
    for (const boundary of [evening, '2024-11-23T00:00:00-05:00', '2024-11-25T00:00:00-05:00']) {
      service.clock.hold(Date.parse(boundary))
      await until(() => couponsNow(service)).toEqual(handmade)
    }
    feed.publish([november22, { ...november22, date: '2024-11-25' }])
    service.clock.hold(Date.parse('2024-11-25T17:55:00-05:00'))
    await until(() => isNextSigned(service)).toBe(true)
    service.clock.hold(Date.parse('2024-11-25T18:00:00-05:00'))
    expect(await couponsNow(service)).toEqual(real)
  })

  test('behavior: rates corrected before the signing are used', { tags: 'slow' }, async () => {
    const { feed, service } = await startOnTreasury()
    feed.publish([thursday, { ...november22, discount: { 4: '9.53', 8: '9.47', 17: '9.40' } }])
    service.clock.hold(Date.parse(signTime))
    await until(async () => (await periods(service)).next.refusal?.reason).toBe('move_too_large')
    feed.publish([thursday, november22])
    await service.stop()
    const again = await startOnTreasury({
      databaseUrl: service.config.database.reveal(),
      treasury: feed,
      at: '2024-11-22T17:51:00-05:00',
    })
    await until(() => isNextSigned(again.service)).toBe(true)
    again.service.clock.hold(Date.parse(evening))
    expect(await couponsNow(again.service)).toEqual(real)
  })

  test('behavior: a chain keeps its own curve', { tags: 'slow' }, async () => {
    const { feed, service } = await startOnTreasury({
      config: {
        chains: [
          { id: 324, name: 'a', pool: '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781' },
          { id: 10, name: 'b', pool: '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781' },
        ],
      },
    })
    await service.operator.setCurve({ points: byHand, chainId: 10, by: 'test' })
    feed.publish([thursday, november22])
    service.clock.hold(Date.parse(signTime))
    await until(async () => (await service.operator.showNotes()).chains.map(({ next }) => next.signed)).toEqual([
      true,
      true,
    ])
    service.clock.hold(Date.parse(evening))
    const { chains } = await service.operator.showNotes()
    expect(chains.map(({ current }) => current.notes.map(({ coupon }) => coupon))).toEqual([real, handmade])
  })
})

test('behavior: a chain that refuses the rates does not keep the others from signing them', async () => {
  const pool = '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781'
  const narrow = { id: 10, name: 'b', pool, tenors: [7, 30], maxCouponBps: 450 }
  const { feed, service } = await startOnTreasury({ config: { chains: [narrow, { id: 324, name: 'a', pool }] } })
  const chains = async () => (await service.operator.showNotes()).chains
  const couponsOf = async () => (await chains()).map(({ current }) => current.notes.map(({ coupon }) => coupon))
  expect(await couponsOf()).toEqual([['450', '450'], thursdays])
  expect((await chains())[0]?.current.curve?.points).toEqual({ 7: 450, 30: 450 })
  feed.publish([thursday, november22])
  service.clock.hold(Date.parse(signTime))
  await until(async () => (await chains())[1]?.next.signed).toBe(true)
  await until(async () => (await chains())[0]?.next.refusal?.reason).toBe('coupon_out_of_range')
  service.clock.hold(Date.parse(evening))
  expect(await couponsOf()).toEqual([[], real])
})

test('error: a replica a day ahead stores no curve until its clock is corrected', async () => {
  const aDayLater = new Date(Date.parse(beforeFetch) + 86_400_000).toISOString()
  const databaseClock = { now: () => Date.parse(beforeFetch) }
  const { service } = await startOnTreasury({ at: aDayLater, databaseClock })
  expect(await fetches(service, 'clock_disputed')).toBeGreaterThanOrEqual(1)
  expect(await service.database.query('select 1 from curves')).toEqual([])
  expect((await service.admin('/curve')).json().problem).toMatch(/No rates are fetched or stored: .* 86400 s ahead/)
  expect(await metric(service, 'tallystick_treasury_problem')).toBe(1)
  service.clock.hold(Date.parse(beforeFetch))
  await until(() => couponsNow(service)).toEqual(thursdays)
  expect(await metric(service, 'tallystick_treasury_problem')).toBe(0)
})
