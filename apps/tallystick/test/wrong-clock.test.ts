// @module-tag postgres

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTime } from '@tallystick/base'
import type { Finding } from '@tallystick/core'
import { checkNotes } from '@tallystick/service'
import { findFreePort } from '@tallystick/workbench/free-port'
import { beforeAll, describe, expect, test } from 'vitest'
import { startDatabaseProxy } from '../../../packages/service/test/database-proxy.ts'
import { startFakeRpc } from '../../../packages/service/test/fake-rpc.ts'
import {
  chain324,
  createDeferrals,
  createKey,
  newDatabase,
  notesOf,
  start,
  type TestService,
} from '../../../packages/service/test/harness.ts'
import { prepareSite, tallystick } from './process.ts'

const boundaryMs = Date.parse('2026-11-15T18:00:00-05:00')
const noon = '2026-11-15T12:00:00-05:00'
const noonMs = Date.parse(noon)
const dayMs = 86_400_000
const deadRpc = 'http://127.0.0.1:1'

const retryAfter = (answer: Awaited<ReturnType<TestService['call']>>) => Number(answer.headers['retry-after'])
const validBefore = (answer: Awaited<ReturnType<TestService['call']>>) =>
  Number(notesOf(answer).data[0]?.signature_valid_before) * 1000

const raised = { 7: 440, 14: 436, 30: 433 }

function post(service: TestService, path: string, body: object) {
  const headers = { 'content-type': 'application/json' }
  return service.admin(path, { method: 'POST', headers, body: JSON.stringify(body) })
}

describe('one replica with notes on both sides of a boundary', () => {
  const databaseClock = createTime()
  let service: TestService
  let headers: Record<string, string>
  const { defer, finish } = createDeferrals()
  beforeAll(async () => {
    databaseClock.hold(boundaryMs - 300_000)
    const at = new Date(boundaryMs - 300_000).toISOString()
    service = await start({ databaseUrl: await newDatabase('postgres', defer), at, databaseClock }, defer)
    headers = { 'x-api-key': (await createKey(service)).secret }
    return finish
  })
  const setClocks = (localMs: number, trueMs: number) => {
    service.clock.hold(localMs)
    databaseClock.hold(trueMs)
  }
  const fetchNotes = () => service.call('/notes', { headers })
  const clockCheck = async () => {
    const answer = await service.admin('/readyz')
    return {
      status: answer.status,
      check: answer.json().findings.find(({ subject }: Finding) => subject === 'clock'),
    }
  }

  test('default: if the clocks agree, notes are served in the last and the first millisecond', async () => {
    setClocks(boundaryMs - 1, boundaryMs - 1)
    expect(validBefore(await fetchNotes())).toBe(boundaryMs)
    setClocks(boundaryMs, boundaryMs)
    expect(validBefore(await fetchNotes())).toBe(boundaryMs + 6 * 3_600_000)
    expect(await clockCheck()).toMatchObject({ status: 200, check: { severity: 'ok' } })
    expect((await service.admin('/metrics')).body).toContain('tallystick_clock_disputed 0')
  })

  test('error: with a clock 5 minutes behind, the old note is not served', async () => {
    setClocks(boundaryMs - 299_000, boundaryMs + 1_000)
    const answer = await fetchNotes()
    expect(answer.status).toBe(500)
    expect(retryAfter(answer)).toBe(299)
    expect(answer.json()).toMatchObject({ code: 'notes_unavailable', details: { reference: 'database' } })
    expect(answer.json().message).toContain('300 s behind the clock of the database')
    expect(await clockCheck()).toMatchObject({
      status: 503,
      check: {
        severity: 'unready',
        message: expect.stringMatching(/(300.[0-5]|299.[5-9]) s behind \(database\)/),
      },
    })
    const metrics = (await service.admin('/metrics')).body
    expect(metrics).toContain('tallystick_clock_disputed 1')
    expect(metrics).toContain('tallystick_notes_unavailable{chain="324"} 1')
    expect(metrics).toMatch(/tallystick_clock_offset_seconds\{reference="database"\} -(300|299\.[5-9])/)
    await expect.poll(service.log).toContain('clocks disagree; no notes are served')
  })

  test('error: with a clock 5 minutes ahead, the next period’s note is not served', async () => {
    setClocks(boundaryMs + 60_000, boundaryMs - 240_000)
    const answer = await fetchNotes()
    expect(answer.status).toBe(500)
    expect(retryAfter(answer)).toBeOneOf([240, 241])
    setClocks(boundaryMs + 301_000, boundaryMs + 1_000)
    expect(validBefore(await fetchNotes())).toBe(boundaryMs + 6 * 3_600_000)
    await expect.poll(service.log).toContain('clocks agree again; notes are served')
  })

  test('behavior: with a clock 5 minutes off within a period, notes are served and the offset is reported', async () => {
    setClocks(boundaryMs - 600_000, boundaryMs - 300_000)
    expect((await fetchNotes()).status).toBe(200)
    const answer = await service.admin('/readyz')
    expect(answer.status).toBe(200)
    const check = answer.json().findings.find(({ subject }: Finding) => subject === 'clock against the database')
    expect(check).toMatchObject({
      severity: 'warn',
      message: expect.stringMatching(/(300.0|299.[5-9]|300.[1-5]) s behind/),
    })
  })

  test('behavior: a cached answer is not served once the clocks disagree within its second', async () => {
    setClocks(boundaryMs - 1_500, boundaryMs - 1_500)
    expect((await fetchNotes()).status).toBe(200)
    setClocks(boundaryMs - 1_400, boundaryMs)
    expect((await fetchNotes()).status).toBe(500)
  })

  test('behavior: the fast path and the framework give the same answer', async () => {
    setClocks(boundaryMs - 299_000, boundaryMs + 1_000)
    const answers = await Promise.all(
      ['/notes', '/notes?chainid=324', '/notes?maturity=7', '/notes?'].map((path) => service.call(path, { headers })),
    )
    const seen = answers.map(({ status, headers: { 'retry-after': after }, json }) => [status, after, json().message])
    expect(new Set(seen.map((one) => JSON.stringify(one))).size).toBe(1)
    expect(seen[0]?.[0]).toBe(500)
  })

  test('behavior: /rate and the page work without fixed rates', async () => {
    setClocks(boundaryMs - 299_000, boundaryMs + 1_000)
    const rate = await service.call('/rate', { headers })
    expect(rate.status).toBe(200)
    expect(rate.json().chains[0]).toMatchObject({ chainid: '324', fixedRates: [] })
    expect((await service.call('/portal.json')).status).toBe(200)
  })
})

test('behavior: a step of the local clock is detected while the database is unreachable', async () => {
  const proxy = await startDatabaseProxy(await newDatabase())
  const databaseClock = createTime()
  databaseClock.hold(boundaryMs + 1_000)
  const at = new Date(boundaryMs + 1_000).toISOString()
  const service = await start({ databaseUrl: proxy.url, at, databaseClock })
  const headers = { 'x-api-key': (await createKey(service)).secret }
  const statusAt = async (localMs: number) => {
    service.clock.hold(localMs)
    return (await service.call('/notes', { headers })).status
  }
  proxy.setAway(true)
  expect(await statusAt(boundaryMs + 2_000)).toBe(200)
  expect(await statusAt(boundaryMs - 60_000)).toBe(500)
  expect(await statusAt(boundaryMs + 1_000)).toBe(200)
  proxy.setAway(false)
})

test('error: a replica a day ahead signs nothing', async () => {
  const service = await start({
    databaseUrl: await newDatabase(),
    at: new Date(noonMs + dayMs).toISOString(),
    databaseClock: { now: () => noonMs },
  })
  const { current } = (await service.operator.showNotes()).chains[0] ?? {}
  expect(current).toMatchObject({ signed: false, refusal: { reason: 'clock_ahead' } })
  expect(current?.refusal?.message).toContain('the local clock is 86400 s ahead of it')
  expect(await service.database.query('select 1 from note_sets')).toEqual([])
  for (const path of ['/curve', '/curve/proposals/1/approve']) {
    const refused = await post(service, path, { points: raised })
    expect([refused.status, refused.json().code]).toEqual([503, 'not_ready'])
    expect(refused.json().message).toMatch(
      /^The curve was not stored: .* 86400 s ahead of the clock of the database.*`tallystick doctor`/,
    )
  }
  expect(await service.database.query('select 1 from curves')).toHaveLength(1)
  service.clock.hold(noonMs)
  expect((await post(service, '/curve', { points: raised })).status).toBe(200)
})

test('error: with the database’s clock a day ahead, nothing is served and that clock is named', async () => {
  const rpc = [await startFakeRpc({ timestampSeconds: noonMs / 1000 })]
  const service = await start({
    databaseUrl: await newDatabase(),
    at: noon,
    databaseClock: { now: () => noonMs + dayMs },
    config: { chains: [{ ...chain324, rpc }] },
  })
  const headers = { 'x-api-key': (await createKey(service)).secret }
  const answer = await service.call('/notes', { headers })
  expect([answer.status, answer.headers['retry-after']]).toEqual([500, '300'])
  expect(answer.json().message).toContain('86400 s behind the clock of the database')
  const { findings } = (await service.admin('/readyz')).json()
  const clock = findings.find(({ subject }: Finding) => subject === 'clock')
  expect(clock.message).toContain('0.0 s ahead (chain 324)')
  expect((await service.operator.showNotes()).chains[0]?.current.refusal?.reason).toBe('clock_behind')
})

test('behavior: with an embedded database and no RPC answering, nothing is signed and stored notes are served', {
  tags: 'slow',
}, async () => {
  const databaseUrl = await newDatabase('pglite')
  const alone = await start({ databaseUrl, at: noon })
  expect(alone.log()).toContain('no second clock')
  const headers = { 'x-api-key': (await createKey(alone)).secret }
  await alone.stop()

  const restarted = await start({ databaseUrl, at: noon, config: { chains: [{ ...chain324, rpc: [deadRpc] }] } })
  expect((await restarted.call('/notes', { headers })).status).toBe(200)
  restarted.clock.hold(boundaryMs)
  expect((await restarted.call('/notes', { headers })).status).toBe(500)
  const { current } = (await restarted.admin('/notes')).json().chains[0]
  expect(current).toMatchObject({ signed: false, refusal: { reason: 'clock_unconfirmed' } })
  const refused = await post(restarted, '/curve', { points: raised })
  expect([refused.status, refused.json().code]).toEqual([503, 'not_ready'])
  expect(refused.json().message).toContain('No other clock could be read since the start')
})

test('behavior: with PostgreSQL, notes are issued without an RPC answering', async () => {
  const config = { chains: [{ ...chain324, rpc: [deadRpc] }] }
  const service = await start({ databaseUrl: await newDatabase(), at: noon, config })
  expect((await service.operator.showNotes()).chains[0]?.current.signed).toBe(true)
})

test('behavior: a set signed a day early by a wrong clock does not block the others', async () => {
  const databaseUrl = await newDatabase()
  const wrong = await start({ databaseUrl, at: new Date(noonMs + dayMs).toISOString() })
  await wrong.database.query('update curves set effective_from = 0')
  await wrong.stop()
  const right = await start({ databaseUrl, at: noon })
  const { chains, rogue } = await right.operator.showNotes()
  expect(chains[0]?.current.signed).toBe(true)
  expect(rogue.map(({ command }) => command)).toEqual([
    'tallystick notes discard --chain 324 --period 2026-11-16T05:00:00Z',
  ])
  const reports = { notes: await right.operator.showNotes(), curve: await right.operator.showCurve() }
  const context = { config: right.config, reports, isRunning: true, signers: new Map(), readiness: [] }
  expect(checkNotes(context).find(({ severity }) => severity === 'warn')?.remedy).toContain(rogue[0]?.command)

  const discard = (period: string) => post(right, '/notes/discard', { chainId: 324, period })
  const refused = await discard('2026-11-15T05:00:00Z')
  expect([refused.status, refused.json().code]).toEqual([409, 'rail_refused'])
  expect((await discard('2026-11-16T05:00:01Z')).status).toBe(404)
  expect((await discard('tomorrow')).status).toBe(400)
  expect((await discard('2026-11-16T05:00:00Z')).status).toBe(200)
  expect((await discard('2026-11-16T05:00:00Z')).status).toBe(404)
  expect((await right.operator.showNotes()).rogue).toEqual([])
  expect((await right.operator.showAudit()).entries[0]).toMatchObject({ action: 'notes.discard' })
  expect((await right.operator.showNotes()).chains[0]?.current.signed).toBe(true)
})

test('behavior: the replica that signed a day early discards the set and signs other coupons later', async () => {
  const service = await start({ databaseUrl: await newDatabase(), at: new Date(noonMs + dayMs).toISOString() })
  await service.database.query('update curves set effective_from = 0')
  const current = async () => (await service.operator.showNotes()).chains[0]?.current
  const couponsNow = async () => (await current())?.notes.map(({ coupon }) => coupon)
  service.clock.hold(noonMs)
  await expect.poll(async () => (await current())?.signed).toBe(true)

  const discarded = await post(service, '/notes/discard', { chainId: 324, period: '2026-11-16T05:00:00Z' })
  expect(discarded.json()).toEqual({
    discarded: {
      chainId: 324,
      period: '2026-11-16, 00:00 to 18:00 New York',
      start: '2026-11-16T05:00:00Z',
      wasStored: true,
      wasJournalled: true,
    },
  })
  expect((await post(service, '/curve', { points: raised })).status).toBe(200)
  // Now it is of the next period, which the journal and the database are compared for.
  service.clock.hold(boundaryMs)
  const unchanged = { restored: [], contradictions: [], problems: [] }
  expect((await service.admin('/notes/reconcile', { method: 'POST' })).json()).toMatchObject(unchanged)
  const { findings } = (await service.admin('/readyz')).json()
  expect(findings.find(({ subject }: Finding) => subject === 'signed notes')).toMatchObject({ severity: 'ok' })
  service.clock.hold(Date.parse('2026-11-16T00:00:00-05:00'))
  const expected = Object.values(raised).map(String)
  await expect.poll(couponsNow).toEqual(expected)
  const headers = { 'x-api-key': (await createKey(service)).secret }
  expect(notesOf(await service.call('/notes', { headers })).data.map(({ coupon }) => coupon)).toEqual(expected)
  expect((await service.admin('/notes/reconcile', { method: 'POST' })).json()).toMatchObject(unchanged)
  const late = await post(service, '/notes/discard', { chainId: 324, period: '2026-11-16T05:00:00Z' })
  expect(late.status).toBe(409)
})

test('behavior: the command discards from the journal a set that the database no longer has, once', async () => {
  const databaseUrl = await newDatabase()
  const admin = { port: await findFreePort(), token: 'env:ADMIN_TOKEN' }
  const site = await prepareSite({ databaseUrl, config: { admin } })
  const journal = join(site.directory, '.tallystick/signer-journal.jsonl')
  const signer = { kind: 'private-key', key: 'env:SIGNER_KEY', journal }
  // Far from the end of a period: close to it the next notes are signed too, and there are two sets to discard.
  const at = new Date((Math.floor(Date.now() / dayMs) + 3) * dayMs + 17 * 3_600_000).toISOString()
  const wrong = await start({ databaseUrl, at, config: { signer } })
  const { start: period } = (await wrong.operator.showNotes()).chains[0]?.current ?? {}
  for (const table of ['notes', 'note_sets']) await wrong.database.query(`delete from ${table}`)
  await wrong.stop()

  const discard = () => tallystick(site, 'notes', 'discard', '--chain', '324', '--period', period as string)
  const done = await discard()
  expect([done.exitCode, done.stderr]).toEqual([0, ''])
  expect(done.stdout).toMatch(/^Discarded from the signer journal: the notes of .* New York on chain 324\.\n$/)
  const lines = (await readFile(journal, 'utf8')).trim().split('\n')
  expect(lines).toHaveLength(2)
  expect(lines[1]).toMatch(/"kind":"discard",.*"by":"local:/)
  const again = await discard()
  expect(again.exitCode).not.toBe(0)
  expect(again.stderr).toContain('Nothing was discarded: chain 324 has no notes of')
  expect((await readFile(journal, 'utf8')).trim().split('\n')).toHaveLength(2)
})
