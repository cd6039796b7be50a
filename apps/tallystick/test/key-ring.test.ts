// @module-tag postgres

import { systemTime } from '@tallystick/base'
import { type Database, openDatabase } from '@tallystick/database'
import {
  createLeases,
  createSharedLimits,
  type KeyRing,
  listKeyUsage,
  type NewKey,
  noPosition,
  openKeyRing,
  readKeyChanges,
  revokeKey,
  startKeyUsageRecorder,
  createKey as storeKey,
} from '@tallystick/keys'
import { openServiceDatabase } from '@tallystick/service'
import { findFreePort } from '@tallystick/workbench/free-port'
import pg from 'pg'
import pino from 'pino'
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { createManualTime } from '../../../packages/base/test/test-time.ts'
import {
  createDeferrals,
  createKey,
  newDatabase,
  start,
  type TestService,
} from '../../../packages/service/test/harness.ts'
import { prepareSite, tallystick } from './process.ts'

const auditor = { actor: 'test' }
const nowSeconds = 1_800_000_000n
const nowMs = Number(nowSeconds) * 1000
const add = (database: Database, rpm: number | null = null) => {
  const limits = { rpm, burst: null, quotaPerDay: null, quotaPerMonth: null, allow: null }
  const key: NewKey = { name: 'test', kind: 'live', scopes: ['notes'], ...limits, expiresAt: null }
  return storeKey(database, { key, nowSeconds, auditor })
}
const revisionOf = async (database: Database) =>
  (await database.query<{ value: bigint }>('select value from api_key_revision'))[0]?.value as bigint

async function onServer(...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: inject('databases').postgresUrl })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

async function openRing(database: Database): Promise<KeyRing> {
  const log = pino({ level: 'silent' })
  const { keeper } = createLeases({ database, id: 'test', log, time: systemTime })
  // The embedded engine counts minutes in this process.
  const createLimit = createSharedLimits(keeper, { engine: 'pglite' })
  const ring = await openKeyRing({ database, time: systemTime, log, createLimit })
  onTestFinished(() => ring.close())
  return ring
}

async function open(url: string): Promise<Database> {
  const database = await openDatabase(url)
  onTestFinished(() => database.close())
  return database
}

/** A database with three keys, a copy of it as it is then, and what puts the copy in its place. */
async function prepareRestore() {
  const url = await newDatabase()
  const live = new URL(url).pathname.slice(1)
  const first = await openServiceDatabase(url, () => undefined)
  const keys = { kept: await add(first, 2), revoked: await add(first), other: await add(first) }
  await first.close()
  await onServer(`create database ${live}_backup template ${live}`)
  const backupUrl = url.replace(live, `${live}_backup`)
  onTestFinished(() => onServer(`drop database if exists ${live}_lost with (force)`))
  const swap = () =>
    onServer(
      `alter database ${live} allow_connections false`,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${live}'`,
      `alter database ${live} rename to ${live}_lost`,
      `alter database ${live}_backup rename to ${live}`,
    )
  return { url, backupUrl, swap, ...keys }
}

describe('a key ring whose database is restored', () => {
  test.each([
    ['below that of the ring', -1n],
    ['at that of the ring', 0n],
    ['past that of the ring', 2n],
  ])('behavior: reloads all keys of the restored database, its revision %s', async (_name, ahead) => {
    const { url, backupUrl, swap, kept, revoked } = await prepareRestore()
    const database = await open(url)
    const ring = await openRing(database)
    const lost = await add(database)
    await add(database)
    await add(database)
    await ring.refresh()
    for (const { secret } of [kept, revoked, lost]) expect(ring.find(secret, nowMs)).toBeDefined()
    for (const _use of [1, 2]) expect(ring.find(kept.secret, nowMs)?.limit?.take(nowMs).allowed).toBe(true)

    const backup = await openDatabase(backupUrl)
    await revokeKey(backup, { id: revoked.key.id, nowSeconds, auditor })
    while ((await revisionOf(backup)) < ring.position.revision + ahead) await add(backup)
    expect((await revisionOf(backup)) - ring.position.revision).toBe(ahead)
    await backup.close()
    await swap()
    const isKeptMissed: boolean[] = []
    await expect
      .poll(
        () => {
          isKeptMissed.push(ring.find(kept.secret, nowMs) === undefined)
          return [revoked, lost].map(({ secret }) => ring.find(secret, nowMs))
        },
        { interval: 20 },
      )
      .toEqual([undefined, undefined])
    expect(isKeptMissed).not.toContain(true)
    expect(ring.find(kept.secret, nowMs)?.limit?.take(nowMs).allowed).toBe(false)
    expect(ring.size).toBe(4 + Number(ahead))
  })

  test('behavior: keys that were deleted by hand are rejected', async () => {
    const url = await newDatabase()
    const database = await openServiceDatabase(url, () => undefined)
    onTestFinished(() => database.close())
    const [kept, deleted] = [await add(database), await add(database)]
    const ring = await openRing(database)
    await database.query('delete from api_key_secrets where key_id = $1', [deleted.key.id])
    await database.query('delete from api_keys where id = $1', [deleted.key.id])
    await ring.refresh()
    expect(ring.find(deleted.secret, nowMs)).toBeUndefined()
    expect(ring.find(kept.secret, nowMs)?.id).toBe(kept.key.id)
  })

  test('behavior: a poll without a change reads no key, and is cheap on tables that were never analysed', async () => {
    const database = await openServiceDatabase(await newDatabase(), () => undefined)
    onTestFinished(() => database.close())
    await add(database)
    const { head } = (await readKeyChanges(database, noPosition)) ?? {}
    const texts: string[] = []
    const query: Database['query'] = (text, ...rest) => {
      texts.push(text)
      return database.query(text, ...rest)
    }
    expect(await readKeyChanges({ query }, head ?? noPosition)).toBeUndefined()
    expect(texts).toHaveLength(1)
    const [row] = await database.query<Record<string, unknown>>(`explain (format json) ${texts[0]}`)
    const plan = JSON.stringify(row)
    const relations = [...plan.matchAll(/"Relation Name":"(\w+)"/g)].map(([, name]) => name).sort()
    expect(relations).toEqual(['api_key_changes', 'api_key_revision'])
    expect(Number(/"Total Cost":([\d.]+)/.exec(plan)?.[1])).toBeLessThan(100)
    await add(database)
    expect((await readKeyChanges({ query }, head ?? noPosition))?.keys).toHaveLength(1)
  })

  test('behavior: an unbroken history is followed by its changes only', async () => {
    const database = await openServiceDatabase(await newDatabase(), () => undefined)
    onTestFinished(() => database.close())
    await add(database)
    const ring = await openRing(database)
    const known = await add(database)
    await ring.refresh()
    // A key that changed without a revision shows whether a refresh reads more than the changes.
    await database.query('update api_keys set revoked_at = 1 where id = $1', [known.key.id])
    await add(database)
    await ring.refresh()
    expect(ring.find(known.secret, nowMs)).toBeDefined()
    expect(ring.position.revision).toBe(await revisionOf(database))
  })
})

describe('replicas', () => {
  let replicas: readonly [TestService, TestService]
  let databaseUrl: string
  beforeAll(async () => {
    const { defer, finish } = createDeferrals()
    databaseUrl = await newDatabase('postgres', defer)
    replicas = [await start({ databaseUrl }, defer), await start({ databaseUrl }, defer)]
    return finish
  })
  const change = (path: string, body: object) =>
    replicas[0].admin(`/keys/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    })
  const statusesOf = (secret: string) =>
    Promise.all(
      replicas.map(async (replica) => (await replica.call('/notes', { headers: { 'x-api-key': secret } })).status),
    )

  test('behavior: a confirmed change is in force on every replica', async () => {
    const { id, secret } = await createKey(replicas[0])
    const rotated = (await change(`${id}/rotate`, { graceSeconds: 0, waitMs: 10_000 })).json()
    expect(rotated.replicas).toEqual({ confirmed: [expect.any(String), expect.any(String)], unconfirmed: [] })
    expect(await statusesOf(secret)).toEqual([403, 403])
    expect(await statusesOf(rotated.secret)).toEqual([200, 200])
    const revoked = (await change(`${id}/revoke`, { waitMs: 10_000 })).json()
    expect(revoked.replicas.confirmed).toHaveLength(2)
    expect(await statusesOf(rotated.secret)).toEqual([403, 403])
  })

  test('behavior: a secret rotated without grace is rejected by a replica whose clock is behind', async () => {
    const { id, secret } = await createKey(replicas[0])
    replicas[1].clock.hold(Date.now() - 3_600_000)
    onTestFinished(() => replicas[1].clock.run())
    const { replicas: report } = (await change(`${id}/rotate`, { graceSeconds: 0, waitMs: 10_000 })).json()
    expect(report.unconfirmed).toEqual([])
    expect((await replicas[1].call('/notes', { headers: { 'x-api-key': secret } })).status).toBe(403)
  })

  test('behavior: a replica that does not confirm is reported; one not seen lately is not waited for', async () => {
    const { database } = replicas[0]
    const { id } = await createKey(replicas[0])
    const rows = `insert into replicas (id, name, seen_at, key_revision, key_change)
      select gen_random_uuid(), $1, clock_timestamp() - make_interval(secs => $2), $3, gen_random_uuid()`
    await database.query(rows, ['away:1', 60, 0])
    onTestFinished(async () => {
      await database.query(`delete from replicas where name like 'away:%'`)
    })
    const started = performance.now()
    const told = (await change(`${id}/revoke`, { waitMs: 10_000 })).json()
    expect(performance.now() - started).toBeLessThan(9_000)
    expect(told.replicas.confirmed).toHaveLength(2)
    expect(told.replicas.unconfirmed).toEqual([{ name: 'away:1', secondsSinceSeen: expect.any(Number) }])
    // A higher revision of another history is no confirmation.
    await database.query(rows, ['away:2', 0, 1_000])
    const { unconfirmed } = (await change(`${id}/revoke`, { waitMs: 200 })).json().replicas
    expect(unconfirmed.map(({ name }: { name: string }) => name)).toEqual(['away:1', 'away:2'])

    // The command does not wait for it.
    await database.query(`update replicas set seen_at = seen_at - interval '60 s' where name = 'away:2'`)
    const site = await prepareSite({
      databaseUrl,
      config: { admin: { port: await findFreePort(), token: 'env:ADMIN_TOKEN' } },
    })
    const text = await tallystick(site, 'keys', 'revoke', id)
    expect([text.exitCode, text.stdout]).toEqual([
      5,
      expect.stringMatching(/NOT CONFIRMED by 2 of 4 replicas: away:1 \(/),
    ])
    await database.query(`delete from replicas where name like 'away:%'`)
    const all = await tallystick(site, 'keys', 'revoke', id)
    expect([all.exitCode, all.stdout]).toEqual([
      0,
      expect.stringContaining('is revoked. Rejected by every replica (2).'),
    ])
    await replicas[1].stop()
    const { confirmed } = (await change(`${id}/revoke`, {})).json().replicas
    expect(confirmed).toHaveLength(1)
  })
})

test('behavior: a request counts on the UTC day it was made, however late it is stored', async () => {
  const database = await openServiceDatabase(await newDatabase(), () => undefined)
  onTestFinished(() => database.close())
  const { secret } = await add(database)
  const keyRing = await openRing(database)
  const day = 20_833
  const midnightMs = (day + 1) * 86_400_000
  const time = createManualTime(midnightMs + 10_000)
  const recorder = startKeyUsageRecorder({ database, keyRing, time, log: pino({ level: 'silent' }) })
  onTestFinished(() => recorder.stop())
  const use = (atMs: number) => {
    const key = keyRing.find(secret, atMs)
    if (key) key.uses.notes += 1
  }
  const list = async () => (await listKeyUsage(database, 0)).map(({ day, requests }) => [day, requests])
  use(midnightMs - 1_000)
  await recorder.store()
  expect(await list()).toEqual([[day, 1]])
  // A request that waited, or a clock that was set back, adds to the day before.
  for (const atMs of [midnightMs - 1, midnightMs - 1, midnightMs, midnightMs - 1, midnightMs]) use(atMs)
  await recorder.store()
  await recorder.store()
  expect(await list()).toEqual([
    [day, 4],
    [day + 1, 2],
  ])
})
