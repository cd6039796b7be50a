// @module-tag postgres

import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTime } from '@tallystick/base'
import { type Database, openDatabase } from '@tallystick/database'
import { createOperator, loadConfig, openServiceDatabase } from '@tallystick/service'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  coupons,
  createDeferrals,
  createKey,
  newDatabase,
  type TestService,
} from '../../../packages/service/test/harness.ts'
import { isContinued, origin, readEntries, readHead, startLogged } from '../../../packages/service/test/log-reader.ts'
import { backUp } from './back-up.ts'
import { launch, prepareSite, serveHere, tallystick } from './process.ts'

const deferrals = createDeferrals()
afterAll(deferrals.finish)
const evening = '2026-11-16T18:00:00-05:00'
const midnight = '2026-11-17T00:00:00-05:00'

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-log-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

async function alteredRows(service: TestService): Promise<string[]> {
  return (await service.admin('/log')).json().alteredRows
}

describe('two replicas on one PostgreSQL', () => {
  test('behavior: they race to log, and both show the same log with one set per period', async () => {
    const databaseUrl = await newDatabase()
    const config = { rails: { signAheadSeconds: 0 } }
    const first = await startLogged({ databaseUrl, config })
    const second = await startLogged({ databaseUrl, config })
    const { secret } = await createKey(first)
    const day = await readHead(first)
    for (const instant of [evening, midnight]) {
      for (const { clock } of [first, second]) clock.hold(Date.parse(instant))
      const ask = () =>
        Promise.all([first, second].map((one) => one.call('/notes', { headers: { 'x-api-key': secret } })))
      await expect.poll(async () => (await ask()).map(({ status }) => status)).toEqual([200, 200])
      const [one, other] = await ask()
      expect(one?.body).toBe(other?.body)
      const indexOf = (header: unknown) => /index=(\d+)/.exec(String(header))?.[1]
      expect(indexOf(one?.headers['x-tallystick-log'])).toBe(indexOf(other?.headers['x-tallystick-log']))
    }
    await expect.poll(async () => (await readHead(second)).size).toBe(5)
    expect((await second.call('/log/checkpoint')).body).toBe((await first.call('/log/checkpoint')).body)
    // Bytes are public once both clocks have reached the period, and the database's is measured to some milliseconds.
    first.clock.hold(Date.parse(midnight) + 2_000)
    const types = async () => (await readEntries(first)).map(({ type }) => type)
    await expect.poll(types).toEqual(['curve', 'signer', 'notes', 'notes', 'notes'])
    expect(await isContinued(second, day)).toBe(true)
  })

  test('behavior: a database restored under running replicas stops both, and reconcile on one starts both', async () => {
    const databaseUrl = await newDatabase()
    const directory = await newDirectory()
    const setting = (name: string) => ({
      databaseUrl,
      config: {
        signer: { kind: 'private-key', key: 'env:SIGNER_KEY', journal: join(directory, `${name}-signer`) },
        log: { journal: join(directory, `${name}-log`) },
      },
    })
    const prepared = await startLogged(setting('a'))
    await prepared.stop()
    const restore = await backUp(databaseUrl)
    const first = await startLogged(setting('a'))
    const second = await startLogged(setting('b'))
    for (const { clock } of [first, second]) clock.hold(Date.parse(evening))
    const sizes = () =>
      Promise.all([first, second].map(async (one) => (await readHead(one).catch(() => undefined))?.size))
    await expect.poll(sizes).toEqual([4, 4])
    const head = await readHead(first)
    await restore()
    await expect.poll(sizes).toEqual([undefined, undefined])
    for (const { clock } of [first, second]) clock.hold(Date.parse(midnight))
    await expect
      .poll(async () => (await first.admin('/notes')).json().chains[0].current.refusal?.reason)
      .toBe('log_restored')
    const report = (await second.admin('/notes/reconcile', { method: 'POST' })).json()
    expect(report.log).toEqual({ restored: 1, size: 4 })
    await expect.poll(sizes).toEqual([5, 5])
    for (const one of [first, second]) {
      expect(await isContinued(one, head)).toBe(true)
      expect(await alteredRows(one)).toEqual([])
    }
  })
})

describe('rows that were changed after the fact', () => {
  const changes = [
    ["update curves set points = jsonb_set(points, '{7}', '999')", 'entry 0: its row in the table curves was changed'],
    ["update curves set created_by = 'nobody'", 'entry 0: its row in the table curves was changed'],
    [
      "update log_signers set signer = '0x0000000000000000000000000000000000000001'",
      'entry 1: its row in the table log_signers was changed',
    ],
    ['delete from log_signers', 'entry 1: its row in the table log_signers is missing'],
    [
      'update notes set coupon_bps = coupon_bps + 1 where tenor_days = 7',
      'entry 2: its row in the tables note_sets and notes was changed',
    ],
    ["update notes set r = replace(r, 'a', 'b')", 'entry 2: its row in the tables note_sets and notes was changed'],
    ['delete from notes where tenor_days = 30', 'entry 2: its row in the tables note_sets and notes was changed'],
    [
      'update note_sets set issued_at = issued_at - 1',
      'entry 2: its row in the tables note_sets and notes was changed',
    ],
    [
      "update log_entries set entry = replace(entry, '369', '370') where index = 0",
      'entry 0: its bytes in the table log_entries were changed',
    ],
  ] as const

  test.each(changes)('behavior: %s is found', async (statement, message) => {
    const { service, undo } = await sharedService()
    expect(await alteredRows(service)).toEqual([])
    await service.database.query(statement)
    expect(await alteredRows(service)).toEqual([message])
    await undo()
  })

  test('behavior: the service itself finds a changed coupon, and that it was corrected', async () => {
    const { service, undo } = await sharedService()
    const [statement, message] = changes[4]
    await service.database.query(statement)
    const metrics = async () => (await service.admin('/metrics')).body
    // The service compares its rows every 1.2 s.
    await expect.poll(metrics).toContain('tallystick_log_altered_rows 1')
    expect(service.log()).toContain(message)
    await undo()
    await expect.poll(metrics).toContain('tallystick_log_altered_rows 0')
  })

  test('error: nothing is signed from a curve whose row was changed', async () => {
    const service = await startLogged({ databaseUrl: await newDatabase() })
    await service.database.query("update curves set points = jsonb_set(points, '{7}', '370')")
    service.clock.hold(Date.parse(evening))
    await expect
      .poll(async () => (await service.admin('/notes')).json().chains[0].current.refusal?.reason)
      .toBe('log_contradicted')
    expect((await readHead(service)).size).toBe(3)
  })

  test('error: a set whose row was changed is not served by the next start', async () => {
    const databaseUrl = await newDatabase()
    const service = await startLogged({ databaseUrl })
    await service.database.query('update note_sets set issued_at = issued_at - 60')
    await service.stop()
    const again = await startLogged({ databaseUrl })
    expect(again.log()).toContain('differs from entry 2 of the public log')
    expect((await again.admin('/readyz')).json().ready).toBe(false)
  })
})

describe('killed with SIGKILL', () => {
  test('behavior: between any two steps, the log goes on without a gap, a fork or a second set', {
    tags: 'slow',
  }, async () => {
    const databaseUrl = await newDatabase()
    const directory = await newDirectory()
    const log = { origin, key: 'env:LOG_KEY', journal: join(directory, 'log'), mirror: join(directory, 'mirror') }
    const site = await prepareSite({ databaseUrl, config: { log } })
    const config = loadConfig(site.configPath, { env: site.env, secrets: 'required' })
    const database = await openServiceDatabase(databaseUrl, () => undefined)
    onTestFinished(() => database.close())
    await createOperator({ database, config, clock: createTime() }).setCurve({ points: coupons })
    // Writers wait for these locks, one step after another: the curve's entry, its checkpoint, the set, its notes, the
    // signer's entry, the set's entry, its checkpoint.
    for (const step of ['log_entries', 'log_checkpoints', 'note_sets', 'notes', 'log_signers', 'log_checkpoints']) {
      await killWaitingFor(step, { databaseUrl, launch: () => launch(site, ['serve']) })
    }
    const service = await serveHere(site, onTestFinished as never)
    const [{ sets, entries, top, covered } = {}] = await database.query<Record<string, number>>(
      `select (select count(*) from note_sets)::int as sets, (select count(*) from log_entries)::int as entries,
              (select max(index) + 1 from log_entries)::int as top, (select max(size) from log_checkpoints)::int as covered`,
    )
    expect([entries, covered]).toEqual([top, top])
    expect(sets).toBeGreaterThanOrEqual(1)
    const logged = await database.query<{ type: string }>(
      "select entry::jsonb->>'type' as type from log_entries order by index",
    )
    expect(logged.map(({ type }) => type)).toEqual([
      'curve',
      'signer',
      ...Array.from({ length: sets as number }, () => 'notes'),
    ])
    await service.stop()
    const shown = await tallystick(site, 'log', 'show', '--json')
    expect([shown.exitCode, JSON.parse(shown.stdout)]).toMatchObject([0, { isRootValid: true, alteredRows: [] }])
  })
})

let shared: Promise<{ readonly service: TestService; readonly undo: () => Promise<void> }> | undefined

/** One service for all changes. Each is undone from a copy of the rows. */
function sharedService() {
  shared ??= (async () => {
    const service = await startLogged({ databaseUrl: await newDatabase('postgres', deferrals.defer) }, deferrals.defer)
    const tables = ['curves', 'log_signers', 'note_sets', 'notes', 'log_entries']
    for (const table of tables) await service.database.query(`create table ${table}_copy as select * from ${table}`)
    const statements = [
      'update curves c set points = k.points, created_by = k.created_by from curves_copy k where k.id = c.id',
      'update note_sets s set issued_at = k.issued_at from note_sets_copy k where k.log_index = s.log_index',
      'update log_entries e set entry = k.entry from log_entries_copy k where k.index = e.index',
      ...['log_signers', 'notes'].flatMap((table) => [
        `delete from ${table}`,
        `insert into ${table} select * from ${table}_copy`,
      ]),
    ]
    const undo = async () => {
      for (const statement of statements) await service.database.query(statement)
    }
    return { service, undo }
  })()
  return shared
}

/** Lets a process run into a lock on a table, and kills it there. */
async function killWaitingFor(
  table: string,
  { databaseUrl, launch: begin }: { readonly databaseUrl: string; readonly launch: () => ReturnType<typeof launch> },
): Promise<void> {
  const [locking, watching] = [await openDatabase(databaseUrl), await openDatabase(databaseUrl)]
  await locking.transaction(async (transaction) => {
    await transaction.query(`lock table ${table} in exclusive mode`)
    const child = begin()
    const ended = once(child, 'exit')
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await expect.poll(() => watching.query(waiting)).not.toEqual([])
    child.kill('SIGKILL')
    await ended
  })
  await noneWaits(watching)
  await Promise.all([locking.close(), watching.close()])
}

/** The server notices the death of a client when it next writes to it. */
async function noneWaits(database: Database): Promise<void> {
  const others = `select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and state = 'active'`
  await expect.poll(() => database.query(others)).toEqual([])
}
