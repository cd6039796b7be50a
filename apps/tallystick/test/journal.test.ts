// @module-tag postgres

import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Finding } from '@tallystick/core'
import { decodeEntry, encodeDiscard, encodeEntry } from '@tallystick/issuer'
import { createOperator } from '@tallystick/service'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startFakeSigner } from '../../../packages/service/test/fake-web3signer.ts'
import {
  coupons,
  createKey,
  newDatabase,
  pool,
  type Setting,
  start,
  type TestService,
} from '../../../packages/service/test/harness.ts'
import { backUp } from './back-up.ts'
import { prepareSite, tallystick } from './process.ts'

const noon = '2026-11-15T12:00:00-05:00'
const evening = '2026-11-15T18:00:00-05:00'
const eveningStart = BigInt(Date.parse(evening) / 1000)
const raised = { 7: 440, 14: 436, 30: 433 }

/** A place for a journal that outlives the services on it. */
async function newJournal(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-journal-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return join(directory, 'journal.jsonl')
}

async function bodyOf(service: TestService, secret: string): Promise<string> {
  return (await service.call('/notes', { headers: { 'x-api-key': secret } })).body
}

const couponsIn = (body: string) => JSON.parse(body).data?.map(({ coupon }: { coupon: string }) => coupon)

async function readiness(service: TestService) {
  const { ready, findings } = (await service.admin('/readyz')).json()
  return { ready, books: findings.find(({ subject }: Finding) => subject === 'signed notes') }
}

async function differing(service: TestService): Promise<string[]> {
  const { body } = await service.admin('/metrics')
  return body.split('\n').filter((line) => /^tallystick_books_differ\{.* [1-9]/.test(line))
}

const reconcile = async (service: TestService) => (await service.admin('/notes/reconcile', { method: 'POST' })).json()

describe('two replicas with PostgreSQL restored to before the last curve change', () => {
  /** Both served 440 in the evening, then the database was restored: it has neither that curve nor those notes. */
  async function restored() {
    const databaseUrl = await newDatabase()
    const signer = await startFakeSigner(onTestFinished as never)
    const journals = [await newJournal(), await newJournal()] as const
    const setting = (index: 0 | 1): Setting => ({
      databaseUrl,
      at: noon,
      config: { signer: { ...signer.config, journal: journals[index] } },
    })
    const first = await start(setting(0))
    const { secret } = await createKey(first)
    await first.stop()
    const restore = await backUp(databaseUrl)

    const running = await start(setting(0))
    const other = await start(setting(1))
    await running.operator.setCurve({ points: raised, by: 'test' })
    for (const { clock } of [running, other]) clock.hold(Date.parse(evening))
    await expect.poll(async () => couponsIn(await bodyOf(running, secret))).toEqual(['440', '436', '433'])
    await expect.poll(() => bodyOf(other, secret)).toBe(await bodyOf(running, secret))
    await other.stop()
    const body = await bodyOf(running, secret)
    await restore()
    const restart = () => start({ ...setting(1), at: evening })
    return { running, restart, signer, secret, body, databaseUrl, journals }
  }

  test('behavior: nothing else is signed, both are not ready, and after reconcile both serve the signed notes', async () => {
    const { running, restart, signer, secret, body } = await restored()
    // The one that runs serves what it signed, and finds the difference by itself.
    await expect
      .poll(() => differing(running))
      .toEqual(['tallystick_books_differ{chain="324",kind="database_behind"} 1'])
    expect(await bodyOf(running, secret)).toBe(body)
    expect(await readiness(running)).toMatchObject({ ready: false, books: { severity: 'unready' } })

    const before = signer.requests()
    const again = await restart()
    expect((await again.call('/notes', { headers: { 'x-api-key': secret } })).status).toBe(500)
    expect(signer.requests()).toBe(before)
    const { current } = (await again.operator.showNotes()).chains[0] ?? {}
    expect(current).toMatchObject({ signed: false, refusal: { reason: 'journal_contradicted' } })
    expect(current?.refusal?.message).toContain('at 440 bps, not 369 bps')
    const { books } = await readiness(again)
    expect(books.message).toContain('Run `tallystick notes reconcile`')

    const report = await reconcile(again)
    const restoredNow = { chainId: 324, period: '2026-11-15, 18:00 to 24:00 New York' }
    expect(report).toEqual({
      restored: [{ ...restoredNow, coupons: { 7: '440', 14: '436', 30: '433' } }],
      present: 1,
      contradictions: [],
      problems: [],
    })
    await expect.poll(() => bodyOf(again, secret)).toBe(body)
    for (const replica of [running, again]) {
      await expect.poll(async () => (await readiness(replica)).ready).toBe(true)
      expect(await differing(replica)).toEqual([])
    }
    expect(signer.requests()).toBe(before)
    // One line for the difference and one for its end, however often it was looked at.
    expect(running.log().match(/signed notes differ/g)).toHaveLength(1)
    expect(running.log().match(/agree again/g)).toHaveLength(1)

    expect(await reconcile(running)).toEqual({ restored: [], present: 2, contradictions: [], problems: [] })
    const curves = await again.database.query('select points from curves order by id')
    expect(curves).toEqual([{ points: coupons }, { points: raised }])
    const audited = await again.database.query("select action, subject from audit where action = 'notes.restore'")
    expect(audited).toEqual([{ action: 'notes.restore', subject: 'chain 324, 2026-11-15, 18:00 to 24:00 New York' }])
    // The curve that came back with the notes is in force from then on.
    for (const { clock } of [running, again]) clock.hold(Date.parse('2026-11-16T00:00:00-05:00'))
    await expect.poll(async () => couponsIn(await bodyOf(again, secret))).toEqual(['440', '436', '433'])
    await expect.poll(() => bodyOf(running, secret)).toBe(await bodyOf(again, secret))
  })

  test('behavior: a curve set after the restore is in force from the first unsigned period', {
    tags: 'slow',
  }, async () => {
    const { running, restart, secret, body } = await restored()
    await running.operator.setCurve({ points: { 7: 400, 14: 399, 30: 398 }, by: 'test' })
    const again = await restart()
    await reconcile(again)
    await expect.poll(() => bodyOf(again, secret)).toBe(body)
    again.clock.hold(Date.parse('2026-11-16T00:00:00-05:00'))
    await expect.poll(async () => couponsIn(await bodyOf(again, secret))).toEqual(['400', '399', '398'])
  })

  test('error: a replica that lost its journal signs other terms; the other reports it and changes nothing', async () => {
    const { running, restart, secret, body, journals } = await restored()
    await rm(journals[1])
    const again = await restart()
    expect(couponsIn(await bodyOf(again, secret))).toEqual(['369', '365', '362'])

    await again.database.notify('tallystick_curves')
    const kinds = ['tallystick_books_differ{chain="324",kind="contradiction"} 1']
    await expect.poll(() => differing(running)).toEqual(kinds)
    expect((await readiness(running)).books.message).toContain('has 440 bps in the journal and 369 bps in the database')
    expect(await bodyOf(running, secret)).toBe(body)
    const report = await reconcile(running)
    expect(report).toMatchObject({
      restored: [],
      contradictions: [{ coupons: { 7: '440' }, stored: { 7: '369' }, endsAt: '2026-11-16 00:00 New York' }],
    })
    const stored = await again.database.query('select coupon_bps from notes where period_start = $1', [eveningStart])
    expect(stored).toEqual([{ coupon_bps: 369 }, { coupon_bps: 365 }, { coupon_bps: 362 }])
    // It ends with the period.
    running.clock.hold(Date.parse('2026-11-16T00:00:00-05:00'))
    await again.database.notify('tallystick_curves')
    await expect.poll(async () => (await readiness(running)).ready).toBe(true)
  })
})

describe('a commit that is lost', () => {
  /** A trigger that fails while the notes are stored, after they were journalled. */
  const failing = `create function fail() returns trigger language plpgsql as $$ begin
    if exists (select 1 from faults) then raise exception 'lost'; end if; return new; end $$`

  async function startFailing(fault: string) {
    const databaseUrl = await newDatabase()
    const service = await start({ databaseUrl, at: noon })
    await service.database.query('create table faults (id int)')
    await service.database.query(fault)
    await service.database.query('create trigger fail before insert on notes for each row execute function fail()')
    await service.database.query('insert into faults values (1)')
    service.clock.hold(Date.parse(evening))
    const journal = join(service.directory, '.tallystick/signer-journal.jsonl')
    await expect.poll(() => readFile(journal, 'utf8')).toContain(`"start":"${eveningStart}"`)
    return service
  }
  const heal = (service: TestService) => service.database.query('truncate faults')

  test.each([
    ['by an error', failing],
    [
      'with its connection',
      failing.replace("raise exception 'lost'", 'perform pg_terminate_backend(pg_backend_pid())'),
    ],
  ])('behavior: %s: the same terms are signed again', async (_, fault) => {
    const service = await startFailing(fault)
    const { secret } = await createKey(service)
    await heal(service)
    await expect.poll(async () => couponsIn(await bodyOf(service, secret))).toEqual(['369', '365', '362'])
    await expect.poll(async () => (await readiness(service)).ready).toBe(true)
  })

  test('behavior: a curve set meanwhile is in force from the next period, and the same terms are signed again', async () => {
    const service = await startFailing(failing)
    const { secret } = await createKey(service)
    const { curve } = await service.operator.setCurve({ points: raised, by: 'test' })
    expect(curve?.effectiveFromNewYork).toBe('2026-11-16 00:00')
    await heal(service)
    await expect.poll(async () => couponsIn(await bodyOf(service, secret))).toEqual(['369', '365', '362'])
    service.clock.hold(Date.parse('2026-11-16T00:00:00-05:00'))
    await expect.poll(async () => couponsIn(await bodyOf(service, secret))).toEqual(['440', '436', '433'])
  })
})

test('error: nothing is signed until the journal can be written', async () => {
  const journal = await newJournal()
  const signer = { kind: 'private-key', key: 'env:SIGNER_KEY', journal }
  const service = await start({ databaseUrl: await newDatabase(), at: noon, config: { signer } })
  const { secret } = await createKey(service)
  const before = await bodyOf(service, secret)
  await rename(journal, `${journal}.away`)
  service.clock.hold(Date.parse(evening) - 60_000)
  const next = async () => (await service.operator.showNotes()).chains[0]?.next
  await expect.poll(async () => (await next())?.refusal?.reason).toBe('journal_failed')
  expect((await next())?.signed).toBe(false)
  expect(await bodyOf(service, secret)).toBe(before)
  await rename(`${journal}.away`, journal)
  await expect.poll(async () => (await next())?.signed).toBe(true)
  expect((await readFile(journal, 'utf8')).trim().split('\n')).toHaveLength(2)
})

test('error: a second replica with the same journal does not start', async () => {
  const journal = await newJournal()
  const config = { signer: { kind: 'private-key', key: 'env:SIGNER_KEY', journal } }
  const databaseUrl = await newDatabase()
  await start({ databaseUrl, at: noon, config })
  await expect(start({ databaseUrl, at: noon, config })).rejects.toMatchObject({
    code: 'journal_unusable',
    message: expect.stringContaining(`is in use by process ${process.pid}`),
  })
})

test('behavior: stored signatures for the same terms replace those in memory', async () => {
  const databaseUrl = await newDatabase()
  const signer = await startFakeSigner(onTestFinished as never)
  const service = await start({ databaseUrl, at: noon, config: { signer: signer.config } })
  const { secret } = await createKey(service)
  const before = await bodyOf(service, secret)
  await service.database.query('delete from notes')
  await service.database.query('delete from note_sets')
  const other = await start({ databaseUrl, at: noon, config: { signer: signer.config } })
  const body = await bodyOf(other, secret)
  expect(couponsIn(body)).toEqual(couponsIn(before))
  expect(body).not.toBe(before)
  await service.database.notify('tallystick_curves')
  await expect.poll(() => bodyOf(service, secret)).toBe(body)
  expect((await readiness(service)).ready).toBe(true)
})

test('behavior: an embedded database restored from a copy is reconciled through the service', {
  tags: 'slow',
}, async () => {
  const databaseUrl = await newDatabase('pglite')
  const directory = databaseUrl.slice('file:'.length)
  const journal = await newJournal()
  const setting = { databaseUrl, at: noon, config: { signer: { kind: 'private-key', key: 'env:SIGNER_KEY', journal } } }
  const first = await start(setting)
  const { secret } = await createKey(first)
  await first.stop()
  await mkdir(`${directory}-copy`)
  await cp(directory, `${directory}-copy`, { recursive: true })

  const second = await start(setting)
  const headers = { 'content-type': 'application/json' }
  await second.admin('/curve', { method: 'POST', headers, body: JSON.stringify({ points: raised }) })
  second.clock.hold(Date.parse(evening))
  await expect.poll(async () => couponsIn(await bodyOf(second, secret))).toEqual(['440', '436', '433'])
  const body = await bodyOf(second, secret)
  await second.stop()
  await rm(directory, { recursive: true })
  await rename(`${directory}-copy`, directory)

  const third = await start({ ...setting, at: evening })
  expect((await third.call('/notes', { headers: { 'x-api-key': secret } })).status).toBe(500)
  expect((await readiness(third)).books.message).toContain('database_behind')
  expect(await reconcile(third)).toMatchObject({ restored: [{ coupons: { 7: '440' } }], contradictions: [] })
  await expect.poll(() => bodyOf(third, secret)).toBe(body)
  expect((await readiness(third)).ready).toBe(true)
})

test('default: without a service, the command reconciles, reports the result, and fails on a contradiction', async () => {
  const databaseUrl = await newDatabase()
  const journal = await newJournal()
  const config = { signer: { kind: 'private-key', key: 'env:SIGNER_KEY', journal } }
  const service = await start({ databaseUrl, config })
  const site = await prepareSite({ databaseUrl, config })
  const { stop, database } = service
  const held = await tallystick(site, 'notes', 'reconcile')
  expect(held).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('is in use by process') })
  const [{ sets } = { sets: 0 }] = await database.query<{ sets: number }>('select count(*)::int as sets from note_sets')
  await database.query('delete from notes')
  await database.query('delete from note_sets')
  await stop()

  const done = await tallystick(site, 'notes', 'reconcile')
  expect(done.stderr).toBe('')
  expect(done.stdout).toMatch(/^restored {2}chain 324, .* New York: 7=369 14=365 30=362$/m)
  expect(done.stdout).toContain(`Sets restored: ${sets}. Already in the database: 0.`)
  expect(done.exitCode).toBe(0)

  const beside = new pg.Client({ connectionString: databaseUrl })
  await beside.connect()
  onTestFinished(() => beside.end())
  await beside.query('update notes set coupon_bps = 1')
  const contradicted = await tallystick(site, 'notes', 'reconcile')
  expect(contradicted.exitCode).toBe(1)
  expect(contradicted.stdout).toContain('  signed, in this journal:  7=369 14=365 30=362\n')
  expect(contradicted.stdout).toContain('  signed, in the database:  7=1 14=1 30=1\n')
  expect(contradicted.stdout).toContain('Nothing was changed.')
})

test('behavior: a pending set is restored only if the curve in force contradicts it', async () => {
  const signed = await start({ databaseUrl: await newDatabase(), at: noon })
  const [entry] = [...(await readFile(signed.config.signer.journal, 'utf8')).trim().split('\n')]
    .map((line) => decodeEntry(Buffer.from(line)))
    .filter((decoded) => decoded !== undefined)
  const stored = entry as NonNullable<typeof entry>
  const pending = { ...stored, isPending: true } as const
  /** Reconciles a database without notes. Returns the coupons of what was restored. */
  const reconcileWith = async (curve: Readonly<Record<string, number>>, entries: readonly Buffer[]) => {
    const journal = await newJournal()
    await writeFile(journal, Buffer.concat(entries))
    // A failing signer, so that the service itself stores nothing.
    const broken = {
      kind: 'web3signer',
      url: 'http://127.0.0.1:1',
      address: stored.set.signer,
      journal: await newJournal(),
    }
    const service = await start({ databaseUrl: await newDatabase(), at: noon, curve, config: { signer: broken } })
    const { database, config, clock } = service
    const operator = createOperator({ database, config: { ...config, signer: { ...config.signer, journal } }, clock })
    return (await operator.reconcileNotes()).restored.map(({ coupons }) => coupons['7'])
  }
  const { chainId, period, notes } = stored.set
  const voided = encodeDiscard({
    ...{ chainId, domain: stored.domain, periodStart: period.start, by: 'preflight', at: 1n },
    maturities: notes.slice(0, 1).map(({ maturityTimestamp }) => maturityTimestamp),
  })
  const [pendingLine, storedLine] = [encodeEntry(pending), encodeEntry(stored)]
  expect(await reconcileWith(raised, [pendingLine])).toEqual(['369'])
  expect(await reconcileWith(raised, [pendingLine, voided])).toEqual([])
  expect(await reconcileWith(coupons, [pendingLine])).toEqual([])
  expect(await reconcileWith(coupons, [storedLine, pendingLine])).toEqual(['369'])
  expect(await reconcileWith(coupons, [pendingLine, storedLine])).toEqual(['369'])
})

test('error: invalid entries are not restored', async () => {
  const signed = await start({ databaseUrl: await newDatabase(), at: noon })
  const [, json = ''] = /^\w{16} (.*)$/.exec((await readFile(signed.config.signer.journal, 'utf8')).trim()) ?? []
  const service = await start({ databaseUrl: await newDatabase(), at: noon, curve: null })
  const { database, config, clock } = service
  /** Reconciles with an entry that somebody changed who could write the file. Returns what is said of it. */
  const forge = async (from: string | RegExp, to: string) => {
    const journal = await newJournal()
    const forged = json.replace(from, to)
    await writeFile(journal, `${createHash('sha256').update(forged).digest('hex').slice(0, 16)} ${forged}\n`)
    const signer = { ...config.signer, journal }
    const operator = createOperator({ database, config: { ...config, signer }, clock })
    const { restored, problems } = await operator.reconcileNotes()
    expect(restored).toEqual([])
    return problems.join()
  }
  expect(await forge('"coupon":"369"', '"coupon":"900"')).toContain(
    '7-day note has a digest that does not match its terms',
  )
  expect(await forge('"coupon":"369"', `"coupon":"${2n ** 256n - 1n}"`)).toContain('which the database cannot hold')
  expect(await forge(/"r":"0x..../, '"r":"0x0000')).toContain('7-day note is invalid')
  expect(await forge(/"signer":"\w+"/, `"signer":"${pool}"`)).toContain(`not by ${pool}`)
  expect(await database.query('select 1 from note_sets')).toEqual([])
})
