// @module-tag postgres

import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTime } from '@tallystick/base'
import { type Database, openDatabase } from '@tallystick/database'
import { createOperator, loadConfig, openServiceDatabase } from '@tallystick/service'
import { sendRequest } from '@tallystick/workbench/send-request'
import { waitOptions } from '@tallystick/workbench/wait-options'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { startFakeSigner } from '../../../packages/service/test/fake-web3signer.ts'
import {
  coupons,
  createKey,
  newDatabase,
  notesOf,
  type Setting,
  start,
} from '../../../packages/service/test/harness.ts'
import { launch, prepareSite, type Site, serve, serveHere } from './process.ts'

const defer = onTestFinished as never
const onlyOnce =
  'select count(*)::int as rows, count(distinct (chain_id, period_start, maturity))::int as notes from notes'

/**
 * Expects a status in one of 50 tries, 20 ms apart. A machine that stands still delays the tries and the replicas, which run
 * in this process, by the same time. So it does not fail the test, as a bound on real time would.
 */
async function expectWithinSecond(readStatus: () => Promise<number>, expected: number): Promise<void> {
  const statuses: number[] = []
  for (let tries = 0; tries < 50 && statuses.at(-1) !== expected; tries++) {
    await sleep(20)
    statuses.push(await readStatus())
  }
  expect(statuses.at(-1)).toBe(expected)
}

describe('two replicas on one PostgreSQL', () => {
  test('behavior: started together and raced over boundaries they serve the same bytes', async () => {
    const databaseUrl = await newDatabase()
    const signer = await startFakeSigner(defer)
    const at = '2026-11-15T17:59:59-05:00'
    // Nothing is signed ahead, so both sign at the boundary itself, with other nonces.
    const config = { signer: signer.config, rails: { signAheadSeconds: 0 } }
    const first = start({ databaseUrl, at, config })
    const replicas = [await first, await start({ databaseUrl, at, config })] as const
    const { secret } = await createKey(replicas[0])
    await expect
      .poll(async () => (await replicas[1].call('/notes', { headers: { 'x-api-key': secret } })).status)
      .toBe(200)

    for (const instant of ['2026-11-15T18:00:00-05:00', '2026-11-16T00:00:00-05:00', '2026-11-16T18:00:00-05:00']) {
      for (const { clock } of replicas) clock.hold(Date.parse(instant))
      const before = signer.requests()
      const ask = () =>
        Promise.all(
          [...replicas, ...replicas].map((replica) => replica.call('/notes', { headers: { 'x-api-key': secret } })),
        )
      let answers = await ask()
      // On a busy machine the race may take longer than a request waits for it.
      await vi.waitUntil(async () => {
        if (answers.every(({ status }) => status === 200)) return true
        answers = await ask()
        return false
      }, waitOptions)
      expect(new Set(answers.map(({ body }) => body)).size).toBe(1)
      expect(new Set(answers.map(({ headers }) => headers.etag)).size).toBe(1)
      expect(signer.requests() - before).toBeGreaterThanOrEqual(3)
    }
    expect(await replicas[0].database.query(onlyOnce)).toEqual([{ rows: 12, notes: 12 }])
    const sets = await replicas[0].database.query('select count(*)::int as n from note_sets')
    expect(sets).toEqual([{ n: 4 }])
  })

  test('behavior: replicas with other tenors in their configuration still publish one set, whole', async () => {
    const databaseUrl = await newDatabase()
    const at = '2026-11-15T12:00:00-05:00'
    const wide = await start({ databaseUrl, at, curve: { 7: 369, 14: 365, 30: 362 } })
    const narrow = await start({ databaseUrl, at, config: { tenors: [7, 14] } })
    for (const { clock } of [wide, narrow]) clock.hold(Date.parse('2026-11-15T18:00:00-05:00'))
    const { secret } = await createKey(wide)
    const get = async (replica: typeof wide) => {
      const answer = await replica.call('/notes', { headers: { 'x-api-key': secret } })
      return answer.status === 200 ? notesOf(answer).data : answer.status
    }
    const fromWide = await get(wide)
    await expect.poll(() => get(narrow)).toEqual(fromWide)
  })

  test('behavior: a key revoked through one is refused by the other within a second', async () => {
    const databaseUrl = await newDatabase()
    const replicas = [await start({ databaseUrl }), await start({ databaseUrl })] as const
    const { id, secret } = await createKey(replicas[0])
    const statusOn = async (index: 0 | 1) =>
      (await replicas[index].call('/notes', { headers: { 'x-api-key': secret } })).status
    expect(await statusOn(0)).toBe(200)
    await expect.poll(() => statusOn(1)).toBe(200)
    await replicas[0].admin(`/keys/${id}/revoke`, { method: 'POST' })
    expect(await statusOn(0)).toBe(403)
    await expectWithinSecond(() => statusOn(1), 403)
  })

  test('behavior: a revocation arrives within a second even when notifications do not', async () => {
    const databaseUrl = await newDatabase()
    const service = await start({ databaseUrl })
    const { id, secret } = await createKey(service)
    // Straight into the tables, as a replica whose notification got lost would have it.
    await service.database.transaction(async (transaction) => {
      const [row] = await transaction.query<{ value: bigint }>(
        'update api_key_revision set value = value + 1 returning value',
      )
      await transaction.query('update api_keys set revoked_at = 1, revision = $2 where id = $1', [id, row?.value])
    })
    const status = async () => (await service.call('/notes', { headers: { 'x-api-key': secret } })).status
    await expectWithinSecond(status, 403)
  })
})

describe('killed with SIGKILL', () => {
  /** Two starts serve the same bytes; if a boundary fell between them, which real time may do, the next two do. */
  async function expectSameAgain(prepared: Prepared, serveFirst: typeof servedHere) {
    const first = await serveFirst(prepared)
    const second = await servedHere(prepared)
    expect([first.status, second.status]).toEqual([200, 200])
    if (notesOf(first).message !== notesOf(second).message) return expectSameAgain(prepared, serveFirst)
    expect(second.body).toBe(first.body)
  }

  /** Whole sets of three, one for each period that came or came near meanwhile. */
  async function expectEachOnce(database: Database) {
    const [{ rows, notes, sets } = { rows: 0, notes: 0, sets: 0 }] = await database.query<Record<string, number>>(
      `select count(*)::int as rows, count(distinct (chain_id, period_start, maturity))::int as notes,
              (select count(*)::int from note_sets) as sets from notes`,
    )
    expect(sets).toBeGreaterThan(0)
    expect([rows, notes]).toEqual([3 * (sets as number), 3 * (sets as number)])
  }

  /** Serves with a good signer from a process that is killed afterwards, and returns the answer of /notes. */
  async function servedByProcess({ site, secret }: Prepared) {
    const running = await serve(site, defer)
    const answer = await getNotes(site, { baseUrl: running.baseUrl, secret })
    await running.kill('SIGKILL')
    return answer
  }

  /** Serves with a good signer from this process, and returns the answer of /notes. */
  async function servedHere({ site, secret }: Prepared) {
    const { baseUrl, stop } = await serveHere(site, defer)
    const answer = await getNotes(site, { baseUrl, secret })
    await stop()
    return answer
  }

  type Prepared = { readonly site: Site; readonly secret: string }

  /** Prepares a site with a curve and a key in its database, which is opened once for both. */
  async function prepareWithKey(setting: Setting): Promise<Prepared> {
    const site = await prepareSite(setting)
    const config = loadConfig(site.configPath, { env: site.env, secrets: 'required' })
    const database = await openServiceDatabase(setting.databaseUrl, () => undefined)
    const operator = createOperator({ database, config, clock: createTime() })
    await operator.setCurve({ points: coupons })
    const { secret } = await operator.createKey({ name: 'after' })
    await database.close()
    return { site, secret }
  }

  const getNotes = (site: Site, { baseUrl, secret }: { readonly baseUrl: string; readonly secret: string }) =>
    sendRequest(`${baseUrl}/notes`, { headers: { 'x-api-key': secret }, ca: site.ca })

  test('behavior: while the second of 3 signatures is asked for, the next start serves, each note once', () =>
    killAtSignature(2))

  // The last one is killed again after publication.
  test.each([1, 3])('behavior: the same while signature %i is asked for', { tags: 'slow' }, killAtSignature)

  async function killAtSignature(nth: number) {
    const databaseUrl = await newDatabase()
    const signer = await startFakeSigner(defer)
    const prepared = await prepareWithKey({ databaseUrl, config: { signer: signer.config } })
    const child = launch(prepared.site, ['serve'])
    signer.behave(async ({ count, sign }) => {
      if (count !== nth) return sign()
      child.kill('SIGKILL')
      return new Promise<string>(() => undefined)
    })
    await once(child, 'exit')
    signer.behave(undefined)
    const database = await openDatabase(databaseUrl)
    expect(await database.query('select 1 from note_sets')).toEqual([])

    await expectSameAgain(prepared, nth === 3 ? servedByProcess : servedHere)
    await expectEachOnce(database)
    await database.close()
  }

  test('behavior: in the middle of storing, nothing of it is left, and the next start stores it whole', {
    tags: 'slow',
  }, async () => {
    const databaseUrl = await newDatabase()
    const prepared = await prepareWithKey({ databaseUrl })
    const database = await openDatabase(databaseUrl)
    const watching = await openDatabase(databaseUrl)
    // Readers pass this lock, writers do not: the set's row is inserted, its notes wait.
    await database.transaction(async (transaction) => {
      await transaction.query('lock table notes in exclusive mode')
      const child = launch(prepared.site, ['serve'])
      const waiting =
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like 'insert into notes%'"
      await expect.poll(() => watching.query(waiting)).toHaveLength(1)
      child.kill('SIGKILL')
      await once(child, 'exit')
    })
    await expect
      .poll(() =>
        watching.query(
          "select 1 from pg_stat_activity where datname = current_database() and query like 'insert into notes%' and state <> 'idle'",
        ),
      )
      .toEqual([])
    expect(await watching.query('select 1 from note_sets')).toEqual([])
    const answer = await servedHere(prepared)
    expect(answer.status).toBe(200)
    await expectEachOnce(watching)
    await database.close()
    await watching.close()
  })

  test('behavior: on the embedded database, after publication: the next start serves the same bytes', {
    tags: 'slow',
  }, async () => {
    const prepared = await prepareWithKey({ databaseUrl: await newDatabase('pglite') })
    await expectSameAgain(prepared, servedByProcess)
  })
})
