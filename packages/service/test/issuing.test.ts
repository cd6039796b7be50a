// @module-tag postgres

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeNote, verifyNote } from '@tallystick/core'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { checkNotes } from '../src/health/check-notes.ts'
import { startFakeRpc } from './fake-rpc.ts'
import { type Behaviour, type FakeSigner, startFakeSigner } from './fake-web3signer.ts'
import {
  chain324,
  coupons,
  createDeferrals,
  createKey,
  type Defer,
  newDatabase,
  notesOf,
  pool,
  type Setting,
  start,
  type TestService,
} from './harness.ts'

const noon = '2026-11-15T12:00:00-05:00'
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

async function startWithSigner(setting: Partial<Setting>, defer: Defer = onTestFinished as Defer) {
  const signer = await startFakeSigner(defer)
  const { config, databaseUrl, ...rest } = setting
  const service = await start(
    {
      databaseUrl: databaseUrl ?? (await newDatabase('postgres', defer)),
      at: noon,
      ...rest,
      config: { signer: signer.config, ...config },
    },
    defer,
  )
  return { signer, service }
}

async function notesNow(service: TestService) {
  return (await service.operator.showNotes()).chains[0]?.current
}

/** A refusal is to be seen in the log, the metric and `notes show`, and nothing was signed. */
async function expectRefused(service: TestService, signer: FakeSigner, reason: string, message: string) {
  const { current } = (await service.operator.showNotes()).chains[0] ?? {}
  expect(current).toMatchObject({ signed: false, refusal: { reason, message: expect.stringContaining(message) } })
  expect(service.log()).toContain(`"reason":"${reason}"`)
  expect(service.log()).toContain(message)
  const metrics = (await service.admin('/metrics')).body
  expect(metrics).toContain(`tallystick_rail_refusals_total{chain="324",reason="${reason}"} 1`)
  expect(signer.requests()).toBe(0)
  expect(await service.database.query('select 1 from note_sets where period_start = 1794718800')).toEqual([])
}

describe('rails', () => {
  test('error: no curve', async () => {
    const { service, signer } = await startWithSigner({ curve: null })
    await expectRefused(service, signer, 'no_curve', 'tallystick curve set 7=<bps> 14=<bps> 30=<bps>')
  })

  test('behavior: the first curve is in force at once, and notes are issued from it', async () => {
    const { service } = await startWithSigner({ curve: null })
    const { curve } = await service.operator.setCurve({ points: coupons })
    expect(curve?.effectiveFromNewYork).toBe('2026-11-15 00:00')
    const isSigned = async () => (await service.operator.showNotes()).chains[0]?.current.signed
    await expect.poll(isSigned).toBe(true)
  })

  test('error: a coupon above the pool’s limit', async () => {
    // The limit was lowered after the curve was set: at its setting it would have been refused.
    const databaseUrl = await newDatabase()
    const wide = await start({ databaseUrl, at: '2026-11-14T12:00:00-05:00' })
    await wide.stop()
    const config = { chains: [{ ...chain324, maxCouponBps: 368 }] }
    const { service, signer } = await startWithSigner({ databaseUrl, config })
    await expectRefused(service, signer, 'coupon_out_of_range', 'the 7-day coupon is 369 bps, outside 1 to 368')
  })

  test('error: a move beyond the limit, until that curve is confirmed', async () => {
    const databaseUrl = await newDatabase()
    const wide = await start({ databaseUrl, at: '2026-11-14T12:00:00-05:00', config: { rails: { maxMoveBps: 500 } } })
    await wide.operator.setCurve({ points: { ...coupons, 14: 465 } })
    await wide.stop()
    const { service, signer } = await startWithSigner({ databaseUrl, config: { rails: { maxMoveBps: 99 } } })
    await expectRefused(service, signer, 'move_too_large', 'the 14-day coupon moves from 365 to 465 bps (+100)')

    await service.operator.setCurve({ points: { ...coupons, 14: 465 }, confirm: true })
    const isSigned = async () => (await service.operator.showNotes()).chains[0]?.current.signed
    await expect.poll(isSigned).toBe(true)
  })

  test('error: a maturity that is too short', async () => {
    const { service, signer } = await startWithSigner({
      config: { tenors: [2, 7], chains: [chain324] },
      curve: { 2: 300, 7: 369 },
    })
    await expectRefused(service, signer, 'maturity_too_short', 'the 2-day note matures 108000 s after the period ends')
  })

  test('error: a clock that was set back', async () => {
    const databaseUrl = await newDatabase()
    const later = await start({ databaseUrl, at: '2026-11-16T12:00:00-05:00' })
    await later.database.query('update curves set effective_from = 0')
    await later.stop()
    const databaseClock = { now: () => Date.parse('2026-11-16T12:00:00-05:00') }
    const { service, signer } = await startWithSigner({ databaseUrl, databaseClock })
    await expectRefused(service, signer, 'clock_behind', 'the local clock is 86400 s behind it')
  })

  test('error: a clock that jumped ahead by weeks, until the curve is set again', async () => {
    const databaseUrl = await newDatabase()
    const earlier = await start({ databaseUrl, at: '2026-11-01T12:00:00-05:00' })
    await earlier.stop()
    const { service, signer } = await startWithSigner({ databaseUrl })
    await expectRefused(service, signer, 'clock_ahead', 'more than 7 days before this one')
    await service.operator.setCurve({ points: coupons })
    const isSigned = async () => (await service.operator.showNotes()).chains[0]?.current.signed
    await expect.poll(isSigned).toBe(true)
  })

  test.each([
    ['ahead of the clock', 61, 'the clock is 61 s behind the newest block'],
    ['far behind the clock', -901, 'the clock is 901 s ahead of the newest block'],
  ])('error: a chain whose time is %s', async (_, offsetSeconds, message) => {
    const rpc = await startFakeRpc({ timestampSeconds: Date.parse(noon) / 1000 + offsetSeconds })
    const { service, signer } = await startWithSigner({ config: { chains: [{ ...chain324, rpc: [rpc] }] } })
    await expectRefused(service, signer, 'clock_off_chain', message)
  })

  test('behavior: the time of another chain is ignored', async () => {
    const rpc = await startFakeRpc({ timestampSeconds: Date.parse(noon) / 1000 + 5_000, chainId: 1 })
    const { service } = await startWithSigner({ config: { chains: [{ ...chain324, rpc: [rpc] }] } })
    expect((await service.operator.showNotes()).chains[0]?.current.signed).toBe(true)
  })
})

describe('an invalid signature is not published', () => {
  const behaviours: [string, string, Behaviour][] = [
    ['another key', 'wrong_key', async () => `0x${'22'.repeat(31)}01${'11'.repeat(32)}1b`],
    ['the high s', 'malformed', async ({ sign }) => highS(await sign())],
    ['v 0 or 1', 'malformed', async ({ sign }) => `${(await sign()).slice(0, -2)}00`],
    ['64 bytes', 'malformed', async ({ sign }) => (await sign()).slice(0, -2)],
    ['garbage', 'malformed', async () => 'not a signature'],
  ]
  let shared: Awaited<ReturnType<typeof startWithSigner>>
  // Each case has a period of its own.
  let boundary = Date.parse('2026-11-15T18:00:00-05:00')
  beforeAll(async () => {
    const { defer, finish } = createDeferrals()
    shared = await startWithSigner({}, defer)
    return finish
  })

  test.each(behaviours)('error: %s', async (_, failure, behaviour) => {
    const { service, signer } = shared
    const countFailures = async () => {
      const { body } = await service.admin('/metrics')
      return Number(body.split(`tallystick_signer_failures_total{failure="${failure}"} `)[1]?.split('\n')[0] ?? 0)
    }
    const before = await countFailures()
    signer.behave(behaviour)
    service.clock.hold(boundary)
    const current = async () => (await service.operator.showNotes()).chains[0]?.current
    await expect.poll(current).toMatchObject({ signed: false, notes: [], refusal: { reason: 'signer_failed' } })
    expect(await countFailures()).toBeGreaterThan(before)
    const stored = 'select 1 from note_sets where period_start >= $1'
    expect(await service.database.query(stored, [boundary / 1000])).toEqual([])
    signer.behave(undefined)
    await expect.poll(async () => (await current())?.signed).toBe(true)
    boundary += 86_400_000
  })

  test('error: one invalid signature refuses the whole set', async () => {
    const signer = await startFakeSigner(onTestFinished as never)
    signer.behave(async ({ count, sign }) => (count % 3 === 2 ? highS(await sign()) : sign()))
    const service = await start({ databaseUrl: await newDatabase(), at: noon, config: { signer: signer.config } })
    expect(await service.database.query('select 1 from notes')).toEqual([])
  })
})

describe('curve', () => {
  test('behavior: a new curve does not change signed periods and is in force from the first unsigned one', async () => {
    const { service } = await startWithSigner({ at: '2026-11-15T17:55:00-05:00' })
    const { curve } = await service.operator.setCurve({ points: { 7: 370, 14: 366, 30: 363 } })
    // 00:00 to 18:00 is running and 18:00 to 24:00 is signed ahead.
    expect(curve?.effectiveFromNewYork).toBe('2026-11-16 00:00')
    const couponsNow = async () =>
      (await service.operator.showNotes()).chains[0]?.current.notes.map((note) => note.coupon)
    expect(await couponsNow()).toEqual(['369', '365', '362'])
    service.clock.hold(Date.parse('2026-11-15T18:00:00-05:00'))
    expect(await couponsNow()).toEqual(['369', '365', '362'])
    service.clock.hold(Date.parse('2026-11-16T00:00:00-05:00'))
    await expect.poll(couponsNow).toEqual(['370', '366', '363'])
  })

  test('behavior: a curve set while a period is being signed does not change its set', async () => {
    const { signer, service } = await startWithSigner({})
    let set: ReturnType<TestService['operator']['setCurve']> | undefined
    signer.behave(async ({ sign }) => {
      set ??= service.operator.setCurve({ points: { 7: 370, 14: 366, 30: 363 } })
      await set
      return sign()
    })
    const couponsNow = async () => (await notesNow(service))?.notes.map((note) => note.coupon)
    service.clock.hold(Date.parse('2026-11-15T18:00:00-05:00'))
    await expect.poll(couponsNow).toEqual(['369', '365', '362'])
    expect((await set)?.curve?.effectiveFromNewYork).toBe('2026-11-16 00:00')
    service.clock.hold(Date.parse('2026-11-16T00:00:00-05:00'))
    await expect.poll(couponsNow).toEqual(['370', '366', '363'])
    expect(await service.database.query('select * from curve_claims')).toEqual([])
  })

  test('behavior: while the signer fails, a curve can still be set for the period', async () => {
    const { signer, service } = await startWithSigner({})
    signer.behave(async () => 'not a signature')
    service.clock.hold(Date.parse('2026-11-15T18:00:00-05:00'))
    await expect.poll(() => notesNow(service)).toMatchObject({ refusal: { reason: 'signer_failed' } })
    const setCurve = () => service.operator.setCurve({ points: { 7: 370, 14: 366, 30: 363 } })
    // An attempt that is running claims the period for an instant.
    const isForPeriod = async () => (await setCurve()).curve?.effectiveFromNewYork === '2026-11-15 18:00'
    await expect.poll(isForPeriod).toBe(true)
    signer.behave(undefined)
    await expect
      .poll(async () => (await notesNow(service))?.notes.map((note) => note.coupon))
      .toEqual(['370', '366', '363'])
  })

  describe('that is invalid', () => {
    let service: TestService
    beforeAll(async () => {
      const { defer, finish } = createDeferrals()
      service = (await startWithSigner({}, defer)).service
      return finish
    })

    test.each([
      [{ 7: 369, 14: 365 }, 'invalid_curve', '30 days has no coupon'],
      [{ ...coupons, 60: 1 }, 'invalid_curve', '60 days is not a configured tenor'],
      [{ ...coupons, 7: 0 }, 'invalid_curve', 'coupon is 0,'],
      [{ ...coupons, 7: 3.5 }, 'invalid_curve', 'coupon is 3.5,'],
      [{ ...coupons, 7: -1 }, 'invalid_curve', 'coupon is -1,'],
      [{ ...coupons, 7: 2 ** 60 }, 'invalid_curve', 'not a positive whole number'],
      [{ ...coupons, 7: 1001 }, 'rail_refused', 'outside 1 to 1000'],
      [{ ...coupons, 7: 470 }, 'rail_refused', 'moves from 369 to 470 bps (+101)'],
      [{ ...coupons, 7: 268 }, 'rail_refused', 'moves from 369 to 268 bps (-101)'],
      [{ '07': 369, 14: 365, 30: 362 }, 'invalid_curve', 'points'],
    ])('error: rejects %j and changes nothing', async (points, code, message) => {
      await expect(service.operator.setCurve({ points })).rejects.toMatchObject({
        code,
        message: expect.stringContaining(message),
      })
      expect(await service.database.query('select count(*)::int as n from curves')).toEqual([{ n: 1 }])
    })
  })

  test('behavior: --confirm allows a large move, but not a coupon above the pool’s limit', async () => {
    const { service } = await startWithSigner({})
    await service.operator.setCurve({ points: { ...coupons, 7: 900 }, confirm: true })
    const tooHigh = service.operator.setCurve({ points: { ...coupons, 7: 1001 }, confirm: true })
    await expect(tooHigh).rejects.toMatchObject({ code: 'rail_refused' })
  })
})

test('behavior: a newly configured tenor needs a curve that has it', async () => {
  const databaseUrl = await newDatabase()
  const before = await start({ databaseUrl, at: '2026-11-14T12:00:00-05:00' })
  await before.stop()
  const { service } = await startWithSigner({ databaseUrl, config: { tenors: [7, 14, 30, 60] } })
  const { current } = (await service.operator.showNotes()).chains[0] ?? {}
  expect(current?.notes.map((note) => note.tenorDays)).toEqual([7, 14, 30])
})

test('error: invalid stored notes are not served', async () => {
  const databaseUrl = await newDatabase()
  const before = await start({ databaseUrl, at: noon })
  await before.database.query('update notes set coupon_bps = 900 where tenor_days = 14')
  await before.stop()
  const service = await start({ databaseUrl, at: noon })
  expect(service.log()).toContain('stored_set_invalid')
  expect((await service.admin('/readyz')).status).toBe(503)
})

function highS(signature: string): string {
  const s = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0')
  return signature.slice(0, 66) + s + (signature.endsWith('1b') ? '1c' : '1b')
}

test('behavior: a refusal is logged once per period, however many attempts fail', async () => {
  const { service, signer } = await startWithSigner({ curve: null, at: '2026-11-15T17:55:00-05:00' })
  signer.behave(async () => '0x')
  await service.operator.setCurve({ points: coupons })
  const count = async (series: string) =>
    Number((await service.admin('/metrics')).body.split(`${series} `)[1]?.split('\n')[0])
  const tries = () => count('tallystick_signer_failures_total{failure="malformed"}')
  await expect.poll(tries).toBeGreaterThanOrEqual(4)
  expect(await count('tallystick_rail_refusals_total{chain="324",reason="signer_failed"}')).toBe(2)
})

test('behavior: a deleted set of a leaked key is signed again before its period, and nothing is withheld', async () => {
  const databaseUrl = await newDatabase()
  const at = '2026-11-15T17:55:00-05:00'
  const leaked = await start({ databaseUrl, at })
  const old = (await leaked.operator.showNotes()).chains[0]?.next.signer
  await leaked.stop()
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-signer-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  await writeFile(join(directory, 'key'), `0x${'02'.repeat(32)}`)
  const signer = { kind: 'private-key', key: `file:${join(directory, 'key')}` }
  const service = await start({ databaseUrl, at, config: { rails: { earlierSigner: 'withhold' }, signer } })
  const next = async () => (await service.operator.showNotes()).chains[0]?.next
  expect(await next()).toMatchObject({ signer: old, refusal: { reason: 'earlier_signer' } })
  const from = Date.parse(at) / 1000
  await service.database.query('delete from notes where period_start > $1', [from])
  await service.database.query('delete from note_sets where period_start > $1', [from])
  await expect.poll(next).toMatchObject({ signed: true, refusal: null })
  expect((await next())?.signer).not.toBe(old)
})

test('behavior: after a key leak the old signer’s notes are withheld, and the new signer signs the next period', async () => {
  const databaseUrl = await newDatabase()
  const leaked = await start({ databaseUrl, at: noon })
  const before = (await leaked.operator.showNotes()).chains[0]?.current
  expect(before?.signed).toBe(true)
  await leaked.stop()
  const key = `0x${'02'.repeat(32)}` as const
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-signer-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  await writeFile(join(directory, 'key'), key)
  const signer = { kind: 'private-key', key: `file:${join(directory, 'key')}` }
  const service = await start({ databaseUrl, at: noon, config: { rails: { earlierSigner: 'withhold' }, signer } })
  const { secret } = await createKey(service)
  const get = () => service.call('/notes', { headers: { 'x-api-key': secret } })
  const withheld = await get()
  expect([withheld.status, withheld.json().code]).toEqual([500, 'notes_unavailable'])
  expect(service.log()).toContain('"reason":"earlier_signer"')
  expect((await service.admin('/metrics')).body).toContain('tallystick_notes_unavailable{chain="324"} 1')
  expect((await service.admin('/notes')).json().chains[0].current).toMatchObject({
    signed: true,
    refusal: { reason: 'earlier_signer', message: expect.stringContaining(before?.signer as string) },
  })
  const reports = { notes: await service.operator.showNotes(), curve: await service.operator.showCurve() }
  const context = { config: service.config, reports, isRunning: true, signers: new Map(), readiness: [] }
  expect(checkNotes(context)).toMatchObject([
    { severity: 'fail', message: expect.stringMatching(/^no notes of .* are served: /) },
  ])
  service.clock.hold(Date.parse('2026-11-15T18:00:00-05:00'))
  const [note] = notesOf(await get()).data
  const domain = { name: 'NoteSignatureVerifier', version: '1', verifyingContract: pool } as const
  const { address } = privateKeyToAccount(key)
  expect(await verifyNote(decodeNote(note), { domain, signer: address })).toEqual({ valid: true, signer: address })
})
