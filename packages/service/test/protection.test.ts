// @module-tag postgres

import type { Finding } from '@tallystick/core'
import { openDatabase } from '@tallystick/database'
import { startPostgres } from '@tallystick/workbench/postgres'
import { describe, expect, onTestFinished, test } from 'vitest'
import { backUp } from '../../../apps/tallystick/test/back-up.ts'
import { startFakeSigner } from './fake-web3signer.ts'
import { createKey, newDatabase, newEmptyDatabase, type Setting, start, type TestService } from './harness.ts'

const noon = '2026-11-15T12:00:00-05:00'
const evening = '2026-11-15T18:00:00-05:00'
const midnight = '2026-11-16T00:00:00-05:00'
const raised = { 7: 440, 14: 436, 30: 433 }

const fakeSigner = () => startFakeSigner(onTestFinished as never)

const getNotes = (service: TestService, secret: string) => service.call('/notes', { headers: { 'x-api-key': secret } })

async function couponsOf(service: TestService, secret: string): Promise<string[] | undefined> {
  return (await getNotes(service, secret)).json().data?.map(({ coupon }: { coupon: string }) => coupon)
}

async function alarmsOf(service: TestService): Promise<string[]> {
  const { body } = await service.admin('/metrics')
  return body.split('\n').filter((line) => /^tallystick_(books_differ|signer_protection)\S* [1-9]/.test(line))
}

async function checkOf(service: TestService, wanted: string) {
  const { ready, findings } = (await service.admin('/readyz')).json()
  return { ready, ...findings.find(({ subject }: Finding) => subject === wanted) }
}

const currentOf = async (service: TestService) => (await service.operator.showNotes()).chains[0]?.current

/** Coupons that are claimed, by period, in the order of maturities. */
async function claimsIn(url: string): Promise<Record<string, number[]>> {
  const database = await openDatabase(url)
  const rows = await database.query<{ period_start: bigint; coupons: number[] }>(
    `select period_start, array_agg(coupon::int order by maturity) as coupons from signer_claims
     where digest is not null group by period_start`,
  )
  await database.close()
  return Object.fromEntries(rows.map((row) => [new Date(Number(row.period_start) * 1000).toISOString(), row.coupons]))
}

const iso = (at: string) => new Date(at).toISOString()

describe('a lost journal and a database restored to before the last curve change', () => {
  /** A replica serves 440 in the evening and runs. The database has neither that curve nor those notes any more. */
  async function restored(protection: string) {
    const databaseUrl = await newDatabase()
    const signer = await fakeSigner()
    const setting = (at: string): Setting => ({ databaseUrl, at, config: { signer: { ...signer.config, protection } } })
    const first = await start(setting(noon))
    const { secret } = await createKey(first)
    await first.stop()
    const restore = await backUp(databaseUrl)
    const running = await start(setting(noon))
    await running.operator.setCurve({ points: raised, by: 'test' })
    running.clock.hold(Date.parse(evening))
    await expect.poll(() => couponsOf(running, secret)).toEqual(['440', '436', '433'])
    await restore()
    return { running, secret, signer, startAnother: () => start(setting(evening)) }
  }

  test('behavior: another replica signs nothing else, names the coupons, and signs those after a curve with them', async () => {
    const protection = await newEmptyDatabase()
    const { running, secret, signer, startAnother } = await restored(protection)
    await running.stop()
    const before = signer.requests()
    const another = await startAnother()
    expect((await getNotes(another, secret)).status).toBe(500)
    expect(signer.requests()).toBe(before)
    expect((await currentOf(another))?.refusal).toMatchObject({
      reason: 'protection_contradicted',
      message: expect.stringContaining('the 7-day note has 440 bps, not 369 bps'),
    })
    expect(await alarmsOf(another)).toEqual(['tallystick_books_differ{chain="324",kind="protection_contradicted"} 1'])
    expect(await checkOf(another, 'signed notes')).toMatchObject({ ready: false, severity: 'unready' })

    // An attempt to sign that is under way keeps its curve: one set then is in force from the next period.
    const setCurve = async () => (await another.operator.setCurve({ points: raised, by: 'test' })).curve
    await expect.poll(async () => (await setCurve())?.effectiveFromNewYork).toBe('2026-11-15 18:00')
    await expect.poll(() => couponsOf(another, secret)).toEqual(['440', '436', '433'])
    await expect.poll(async () => (await checkOf(another, 'signer protection')).ready).toBe(true)
    expect(await alarmsOf(another)).toEqual([])
    expect((await claimsIn(protection))[iso(evening)]).toEqual([440, 436, 433])
  })

  test('behavior: a protection restored from an old backup gets back what a running replica signed', async () => {
    const protection = await newEmptyDatabase()
    const { running, secret, signer, startAnother } = await restored(protection)
    const owner = await openDatabase(protection)
    onTestFinished(() => owner.close())
    await owner.query('truncate signer_claims')
    await expect.poll(async () => (await claimsIn(protection))[iso(evening)]).toEqual([440, 436, 433])
    const before = signer.requests()
    const another = await startAnother()
    expect((await getNotes(another, secret)).status).toBe(500)
    expect(signer.requests()).toBe(before)
    expect(await couponsOf(running, secret)).toEqual(['440', '436', '433'])
  })
})

test('behavior: without the protection at a boundary, signed notes are served, nothing is signed, and it recovers', async () => {
  const server = await startPostgres()
  onTestFinished(server.stop)
  await server.createDatabase('claims')
  const signer = await fakeSigner()
  const config = { signer: { ...signer.config, protection: server.url('claims') } }
  const service = await start({ databaseUrl: await newDatabase(), at: noon, config })
  const { secret } = await createKey(service)
  service.clock.hold(Date.parse(evening) - 60_000)
  await expect.poll(async () => (await service.operator.showNotes()).chains[0]?.next.signed).toBe(true)
  const before = signer.requests()

  await server.halt('SIGQUIT')
  service.clock.hold(Date.parse(evening))
  await expect.poll(() => alarmsOf(service)).toEqual(['tallystick_signer_protection_unavailable 1'])
  await expect.poll(() => service.log()).toContain('signer protection unavailable; retrying')
  expect((await getNotes(service, secret)).status).toBe(200)
  expect(await checkOf(service, 'signer protection')).toMatchObject({ ready: true, severity: 'warn' })
  service.clock.hold(Date.parse(midnight))
  expect((await getNotes(service, secret)).json().code).toBe('notes_unavailable')
  await expect.poll(async () => (await currentOf(service))?.refusal?.reason).toBe('protection_failed')
  // A curve set meanwhile does not replace the one of a period that may be claimed.
  const { curve } = await service.operator.setCurve({ points: raised, by: 'test' })
  expect(curve?.effectiveFromNewYork).toBe('2026-11-16 18:00')
  // It starts with what is stored, and without the protection.
  await service.stop()
  const again = await start({ databaseUrl: service.config.database.reveal(), at: midnight, config })
  expect([signer.requests(), (await getNotes(again, secret)).status]).toEqual([before, 500])

  await server.resume()
  await expect.poll(() => couponsOf(again, secret)).toEqual(['369', '365', '362'])
  await expect.poll(() => alarmsOf(again)).toEqual([])
  expect((await claimsIn(server.url('claims')))[iso(midnight)]).toEqual([369, 365, 362])
})

test('behavior: a claim whose signature was never made keeps its curve, and another replica signs the same terms', async () => {
  const protection = await newEmptyDatabase()
  const signer = await fakeSigner()
  const databaseUrl = await newDatabase()
  const config = { signer: { ...signer.config, protection } }
  const service = await start({ databaseUrl, at: noon, config })
  const { secret } = await createKey(service)
  signer.behave(() => Promise.reject(new Error('ended')))
  service.clock.hold(Date.parse(evening))
  await expect.poll(async () => (await claimsIn(protection))[iso(evening)]).toEqual([369, 365, 362])
  const { curve } = await service.operator.setCurve({ points: raised, by: 'test' })
  expect(curve?.effectiveFromNewYork).toBe('2026-11-16 00:00')
  await service.stop()
  signer.behave(undefined)
  const again = await start({ databaseUrl, at: evening, config })
  expect(await couponsOf(again, secret)).toEqual(['369', '365', '362'])
  again.clock.hold(Date.parse(midnight))
  await expect.poll(() => couponsOf(again, secret)).toEqual(['440', '436', '433'])
})

test('behavior: a stored set that contradicts a claim is not published', async () => {
  const protection = await newEmptyDatabase()
  const signer = await fakeSigner()
  const config = { signer: { ...signer.config, protection } }
  await start({ databaseUrl: await newDatabase(), at: noon, config, curve: raised })
  // A replica without the protection, as in a wrong configuration, with another database.
  const databaseUrl = await newDatabase()
  const unprotected = await start({ databaseUrl, at: noon, config: { signer: signer.config } })
  const { secret } = await createKey(unprotected)
  expect(await couponsOf(unprotected, secret)).toEqual(['369', '365', '362'])
  await unprotected.stop()
  const service = await start({ databaseUrl, at: noon, config })
  expect((await getNotes(service, secret)).status).toBe(500)
  expect(await alarmsOf(service)).toEqual(['tallystick_books_differ{chain="324",kind="protection_contradicted"} 1'])
})

test('behavior: a discarded set can be signed with other terms', async () => {
  const protection = await newEmptyDatabase()
  const signer = await fakeSigner()
  const config = { signer: { ...signer.config, protection } }
  const service = await start({ databaseUrl: await newDatabase(), at: noon, config })
  const { secret } = await createKey(service)
  service.clock.hold(Date.parse(midnight))
  await expect.poll(async () => (await claimsIn(protection))[iso(midnight)]).toEqual([369, 365, 362])
  // The clock was wrong.
  service.clock.hold(Date.parse(evening))
  await expect.poll(() => couponsOf(service, secret)).toEqual(['369', '365', '362'])
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ chainId: 324, period: midnight })
  const answer = await service.admin('/notes/discard', { method: 'POST', headers, body })
  expect(answer.json()).toMatchObject({ discarded: { wasStored: true, wasJournalled: true } })
  await service.operator.setCurve({ points: raised, by: 'test' })
  service.clock.hold(Date.parse(midnight))
  await expect.poll(() => couponsOf(service, secret)).toEqual(['440', '436', '433'])
})
