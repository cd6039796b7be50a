// @module-tag server

import type { RequestListener } from 'node:http'
import { checkPlausibility, fetchSofr } from '@tallystick/issuer'
import { startLocalServer } from '@tallystick/workbench/start-local-server'
import { describe, expect, onTestFinished, test } from 'vitest'
import { november22, startFakeTreasury } from './fake-treasury.ts'
import { type Defer, newDatabase, start } from './harness.ts'

/** The New York Fed's answer, or whatever a test sends in its place. */
async function startSofr(listener: RequestListener): Promise<string> {
  const server = await startLocalServer(listener)
  onTestFinished(server.stop)
  return `${server.url}/sofr/last/1.json`
}

const answer = (percentRate: unknown, effectiveDate: unknown = '2024-11-21') =>
  JSON.stringify({ refRates: [{ effectiveDate, type: 'SOFR', percentRate, volumeInBillions: 2200 }] })
const respond =
  (body: string): RequestListener =>
  (_, response) =>
    response.setHeader('content-type', 'application/json').end(body)
const { signal } = new AbortController()

describe('the feed', () => {
  test('default: the newest date and its rate', async () => {
    const rates = [
      { effectiveDate: '2024-11-20', percentRate: 4.59 },
      { effectiveDate: '2024-11-21', percentRate: 4.57 },
    ]
    const url = await startSofr(respond(JSON.stringify({ refRates: rates })))
    expect(await fetchSofr(url, { timeoutMs: 5_000, signal })).toEqual({ date: '2024-11-21', percent: 4.57 })
  })

  test.each<[string, string, RequestListener]>([
    ['HTML', 'wrong_shape', respond('<!doctype html><title>Maintenance</title>')],
    ['no rates', 'wrong_shape', respond('{"refRates":[]}')],
    ['null', 'wrong_shape', respond('null')],
    ['a text for a rate', 'wrong_shape', respond(answer('4.57'))],
    ['NaN', 'wrong_shape', respond(answer(1).replace('"percentRate":1', '"percentRate":NaN'))],
    ['a number beyond all', 'wrong_shape', respond(answer(1).replace('"percentRate":1', '"percentRate":1e999'))],
    ['a huge rate', 'wrong_shape', respond(answer(457))],
    ['a rate far below zero', 'wrong_shape', respond(answer(-5.01))],
    ['a date that is none', 'wrong_shape', respond(answer(4.57, '2024-11-31'))],
    ['65 KiB', 'too_large', respond(`${answer(4.57)}${' '.repeat(65 * 1024)}`)],
    ['bytes that are no text', 'malformed', (_, response) => response.end(Buffer.from([0xff, 0xfe, 0x00]))],
    ['a redirect', 'redirected', (_, response) => response.writeHead(302, { location: '/elsewhere' }).end()],
    ['an error', 'status', (_, response) => response.writeHead(503).end()],
    ['nothing', 'timeout', () => undefined],
    ['a closed connection', 'unreachable', (_, response) => response.destroy()],
  ])('error: %s is not a rate', async (_, failure, listener) => {
    const url = await startSofr(listener)
    const timeoutMs = failure === 'timeout' ? 100 : 5_000
    await expect(fetchSofr(url, { timeoutMs, signal })).rejects.toMatchObject({ name: 'TreasuryFeedError', failure })
  })
})

describe('the band', () => {
  const bill = (weeks: number, bps: string) => ({ weeks, days: weeks * 7, cusip: null, maturityDate: null, bps })
  const curveOf = (...bills: ReturnType<typeof bill>[]) =>
    ({ points: { 7: 453 }, provenance: { sourceDate: '2024-11-22', bills } }) as never
  const config = { source: 'sofr', url: '', bandBps: 50, maxAgeBusinessDays: 5 } as const
  const sofr = { date: '2024-11-21', percent: 4.5 }

  test.each([
    ['at the upper end', curveOf(bill(4, '500')), undefined],
    ['at the lower end', curveOf(bill(4, '400')), undefined],
    ['above', curveOf(bill(4, '500.0001')), 'off_sofr'],
    ['below', curveOf(bill(4, '399')), 'off_sofr'],
    ['a second short bill outside', curveOf(bill(4, '450'), bill(8, '501')), 'off_sofr'],
    ['only longer bills outside', curveOf(bill(4, '450'), bill(13, '600')), undefined],
    ['no short bill, the shortest outside', curveOf(bill(13, '600'), bill(26, '450')), 'off_sofr'],
  ])('behavior: %s', (_, curve, failure) => {
    const check = () => checkPlausibility(curve, { sofr, config })
    if (failure) expect(check).toThrow(expect.objectContaining({ failure }))
    else expect(check()).toBeUndefined()
  })

  test.each([
    ['old', '2024-11-14'],
    ['of a day to come', '2024-12-03'],
  ])('behavior: a SOFR that is too %s is not compared', (_, date) => {
    expect(checkPlausibility(curveOf(bill(4, '900')), { sofr: { ...sofr, date }, config })).toContain('not compared')
  })
})

describe('the service', () => {
  async function startCompared(listener: RequestListener) {
    const feed = await startFakeTreasury(onTestFinished as Defer)
    feed.publish([november22])
    const plausibility = { source: 'sofr', bandBps: 50, url: await startSofr(listener) }
    const curve = { source: 'treasury', basis: 'discount', spreadBps: 0, url: feed.url, timeoutMs: 2_000, plausibility }
    const service = await start({
      databaseUrl: await newDatabase(),
      at: '2024-11-22T18:00:00-05:00',
      curve: null,
      config: { curve },
    })
    const current = async () => (await service.operator.showNotes()).chains[0]?.current
    return { service, current, metrics: async () => (await service.admin('/metrics')).body }
  }

  test('default: rates within the band are used', async () => {
    const { current, metrics } = await startCompared(respond(answer(4.57)))
    expect((await current())?.notes[0]?.coupon).toBe('453')
    expect(await metrics()).toContain('tallystick_treasury_uncompared 0')
  })

  test('error: rates outside the band are not used, and every report has the reason', async () => {
    let sofr = 4.02
    const { service, current, metrics } = await startCompared((request, response) =>
      respond(answer(sofr))(request, response),
    )
    expect(await current()).toMatchObject({ signed: false, refusal: { reason: 'no_curve' } })
    expect((await current())?.refusal?.message).toContain(
      'the 4-week bill is at 453 bps, 51.0 from SOFR of 2024-11-21 (4.02 %). The band is 50',
    )
    expect(await metrics()).toContain('tallystick_treasury_problem 1')
    expect(await metrics()).toMatch(/tallystick_treasury_fetches_total\{outcome="off_sofr"\} [1-9]/)
    expect((await service.admin('/curve')).json().problem).toMatch(/`tallystick curve set 7=453 .* --confirm`/)
    sofr = 4.03
    await expect.poll(async () => (await current())?.signed).toBe(true)
  })

  test('behavior: an unavailable SOFR does not stop the notes and is reported', async () => {
    const { service, current, metrics } = await startCompared(respond('<html/>'))
    expect((await current())?.notes[0]?.coupon).toBe('453')
    expect(await metrics()).toContain('tallystick_treasury_uncompared 1')
    expect(await metrics()).toContain('tallystick_treasury_problem 0')
    expect(service.log()).toContain('The Treasury’s rates are not compared with it.')
  })
})
