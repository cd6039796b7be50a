// @module-tag postgres

import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitOptions } from '@tallystick/workbench/wait-options'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { backUp } from '../../../apps/tallystick/test/back-up.ts'
import { createDeferrals, createKey, type Defer, newDatabase, notesOf, type TestService } from './harness.ts'
import { isContinued, listPaths, readBytes, readEntries, readHead, startLogged } from './log-reader.ts'

const evening = '2026-11-16T18:00:00-05:00'

type Member = 'mirror' | 'journal'

/** Creates a place for journals, mirror and databases that outlives the services on it. */
async function newDirectory(defer: Defer = onTestFinished as Defer): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-log-'))
  defer(() => rm(directory, { recursive: true, force: true }))
  return directory
}

function siteIn(directory: string, { databaseUrl, members }: { databaseUrl: string; members: readonly Member[] }) {
  const log = Object.fromEntries(members.map((name) => [name, join(directory, name)]))
  const config = { signer: { kind: 'private-key', key: 'env:SIGNER_KEY', journal: join(directory, 'signer') }, log }
  return {
    config,
    serve: (at?: string, ...defer: Defer[]) =>
      startLogged({ databaseUrl, config, ...(at && { at }) }, ...(defer as [Defer?])),
  }
}

async function reconcile(service: TestService) {
  return (await service.admin('/notes/reconcile', { method: 'POST' })).json()
}

async function statusOf(service: TestService, secret: string) {
  return (await service.call('/notes', { headers: { 'x-api-key': secret } })).status
}

/** Serves the day, backs up the database, and serves the evening with another curve. */
async function serveDay(defer: Defer) {
  const directory = await newDirectory(defer)
  const databaseUrl = await newDatabase('pglite', defer)
  const site = siteIn(directory, { databaseUrl, members: ['journal', 'mirror'] })
  const first = await site.serve(undefined, defer)
  const { secret } = await createKey(first)
  await first.stop()
  await mkdir(join(directory, 'database'))
  await cp(databaseUrl.replace(/^file:/, ''), join(directory, 'database'), { recursive: true })
  const second = await site.serve(undefined, defer)
  await second.admin('/curve', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ points: { 7: 377, 14: 376, 30: 375 } }),
  })
  second.clock.hold(Date.parse(evening))
  await vi.waitUntil(async () => (await readHead(second)).size === 5, waitOptions)
  await vi.waitUntil(async () => (await statusOf(second, secret)) === 200, waitOptions)
  const published = { head: await readHead(second), entries: await readEntries(second) }
  await vi.waitUntil(() => existsSync(join(directory, 'mirror', 'tile', 'entries', '000.p', '5')), waitOptions)
  await second.stop()
  return { directory, secret, published }
}

describe('a database restored from a backup', () => {
  let day: Awaited<ReturnType<typeof serveDay>>
  beforeAll(async () => {
    const { defer, finish } = createDeferrals()
    day = await serveDay(defer)
    return finish
  })

  /** Copies the site of the evening, with some of what was published, and with the database of the day. */
  async function restoreDay(members: readonly Member[]) {
    const directory = await newDirectory()
    await cp(day.directory, directory, { recursive: true })
    for (const name of ['mirror', 'journal'] as const) {
      if (!members.includes(name)) await rm(join(directory, name), { recursive: true })
    }
    const site = siteIn(directory, { databaseUrl: `file:${join(directory, 'database')}`, members })
    return { site, secret: day.secret, published: day.published }
  }

  test.each([[['mirror'] as const], [['journal', 'mirror'] as const]])(
    'behavior: with %j nothing is signed until reconcile has copied the log back, and the log goes on',
    async (members) => {
      const { site, secret, published } = await restoreDay(members)
      // The signer journal would refuse other coupons too. Without it only the log knows that the evening was signed.
      await rm(site.config.signer.journal)
      if (!(members as readonly string[]).includes('journal')) expect(Object.keys(site.config.log)).toEqual(['mirror'])
      const service = await site.serve(evening)
      expect(service.log()).toContain('the database has 3 entries of the public log, but 5 were published')
      expect(await statusOf(service, secret)).toBe(500)
      expect((await service.call('/log/checkpoint')).json().code).toBe('not_ready')
      const { refusal } = (await service.admin('/notes')).json().chains[0].current
      expect(refusal.reason).toBe('log_restored')

      expect((await reconcile(service)).log).toEqual({ restored: 2, size: 5 })
      await expect.poll(() => statusOf(service, secret)).toBe(200)
      expect((await readEntries(service)).slice(0, 5)).toEqual(published.entries)
      expect(await isContinued(service, published.head)).toBe(true)
      expect((await service.admin('/log')).json()).toMatchObject({ isRootValid: true, alteredRows: [] })
      expect((await reconcile(service)).log).toMatchObject({ restored: 0 })
    },
  )

  test('behavior: notes that are stored and logged are served meanwhile', async () => {
    const { site, secret } = await restoreDay(['journal'])
    const service = await site.serve()
    expect(await statusOf(service, secret)).toBe(200)
    const ready = await service.admin('/readyz')
    expect(ready.status).toBe(503)
    expect(ready.json().reasons).toContainEqual(expect.stringMatching(/^public log: .*Was it restored/))
  })

  test('behavior: a curve that the operator set meanwhile stays in force', async () => {
    const { site, secret } = await restoreDay(['journal'])
    await rm(site.config.signer.journal)
    const service = await site.serve()
    // The restored database does not know that the evening is signed from another curve.
    const points = { 7: 359, 14: 358, 30: 357 }
    const headers = { 'content-type': 'application/json' }
    service.clock.hold(Date.parse('2026-11-16T11:00:00-05:00'))
    const set = await service.admin('/curve', { method: 'POST', headers, body: JSON.stringify({ points }) })
    expect(set.json().curve.effectiveFromNewYork).toBe('2026-11-16 18:00')
    expect((await reconcile(service)).log).toMatchObject({ restored: 2 })
    service.clock.hold(Date.parse(evening))
    const couponsNow = async () =>
      notesOf(await service.call('/notes', { headers: { 'x-api-key': secret } })).data.map(({ coupon }) => coupon)
    await expect.poll(couponsNow).toEqual(['377', '376', '375'])
    service.clock.hold(Date.parse('2026-11-17T00:00:00-05:00'))
    await expect.poll(() => statusOf(service, secret)).toBe(200)
    expect(await couponsNow()).toEqual(['359', '358', '357'])
  })

  test('error: a log that was signed twice is not repaired, and the message says so', async () => {
    const { site } = await restoreDay(['journal'])
    const journal = await readFile(site.config.log['journal'] as string)
    await rm(site.config.log['journal'] as string)
    await rm(site.config.signer.journal)
    // Without its journals the replica cannot know, and signs the evening again with the old curve.
    const forked = await site.serve(evening)
    await expect.poll(async () => (await readHead(forked)).size).toBe(4)
    await forked.stop()
    await writeFile(site.config.log['journal'] as string, journal)
    const service = await site.serve(evening)
    expect(service.log()).toContain(
      'entry 3 of the public log in the database is not the one that this replica published',
    )
    const { log } = await reconcile(service)
    expect(log.problem).toContain('entry 3 of the public log was signed twice with different content')
    expect(log.restored).toBe(0)
  })
})

describe('two versions of the log', () => {
  test('error: a mirror of another version keeps the alarm, and no checkpoint is signed', async () => {
    const directory = await newDirectory()
    const other = siteIn(directory, { databaseUrl: await newDatabase(), members: ['mirror'] })
    await (await other.serve()).stop()
    const databaseUrl = await newDatabase()
    const first = await siteIn(await newDirectory(), { databaseUrl, members: ['journal'] }).serve()
    await first.stop()
    const members = ['journal', 'mirror'] as const
    await rm(other.config.signer.journal)
    const service = await siteIn(directory, { databaseUrl, members }).serve()
    const problem = 'the mirror (log.mirror) has another version of the public log'
    expect(service.log()).toContain(problem)
    const before = await countCheckpoints(service)
    service.clock.hold(Date.parse(evening))
    const refusal = async () => (await service.admin('/notes')).json().chains[0].current.refusal?.reason
    await expect.poll(refusal).toBe('log_contradicted')
    // A curve is logged by the next refresh, unless there is a problem.
    await service.operator.setCurve({ points: { 7: 377, 14: 376, 30: 375 } })
    await service.admin('/notes/reconcile', { method: 'POST' })
    expect((await service.admin('/readyz')).json().findings).toContainEqual(
      expect.objectContaining({
        subject: 'public log',
        severity: 'unready',
        message: expect.stringContaining(problem),
      }),
    )
    expect(await countCheckpoints(service)).toEqual(before)
    expect(await readFile(join(directory, 'journal'), 'utf8')).toBe('')
  })

  test.each(['with', 'without'])(
    'error: a replica serves no set %s a checkpoint of its own under the index of an entry that it published',
    async (checkpoint) => {
      const databaseUrl = await newDatabase()
      const site = siteIn(await newDirectory(), { databaseUrl, members: ['journal'] })
      const early = await site.serve()
      const { secret } = await createKey(early)
      await early.stop()
      const restore = await backUp(databaseUrl)
      const service = await site.serve()
      for (const bps of [377, 378]) await service.operator.setCurve({ points: { 7: bps, 14: bps, 30: bps } })
      await expect.poll(async () => (await readHead(service)).size).toBe(5)
      await restore()
      const other = siteIn(await newDirectory(), { databaseUrl, members: ['journal'] })
      const forked = await other.serve(evening)
      await expect.poll(async () => (await readHead(forked)).size).toBe(4)
      if (checkpoint === 'without') await forked.database.query('delete from log_checkpoints where size = 4')
      await forked.stop()
      service.clock.hold(Date.parse(evening))
      await expect.poll(service.log).toContain('"reason":"log_contradicted"')
      await expect.poll(service.log).toContain('entry 3 of the public log in the database is not the one')
      expect(await statusOf(service, secret)).toBe(500)
      expect((await service.call('/log/checkpoint')).json().code).toBe('not_ready')
    },
  )
})

async function countCheckpoints(service: TestService) {
  return service.database.query('select count(*)::int as count from log_checkpoints')
}

describe('the mirror', () => {
  test('behavior: it has every tile and bundle that the service has, and the next period only at its first second', async () => {
    const site = siteIn(await newDirectory(), { databaseUrl: await newDatabase(), members: ['mirror'] })
    const service = await site.serve('2026-11-16T17:55:00-05:00')
    const { secret } = await createKey(service)
    await expect.poll(async () => (await readHead(service)).size).toBe(4)
    const mirror = site.config.log['mirror'] as string
    const readMirror = (path: string) => readFile(join(mirror, path)).catch(() => undefined)
    await expect.poll(async () => (await readMirror('checkpoint'))?.toString()).toContain('\n4\n')
    expect((await readMirror('checkpoint'))?.toString()).toBe((await service.call('/log/checkpoint')).body)
    expect((await readMirror('key'))?.toString()).toBe((await service.call('/log/key')).body)
    expect(await readMirror('tile/0/000.p/4')).toEqual(
      Buffer.from((await readBytes(service, '/log/tile/0/000.p/4')).bytes),
    )
    expect(await readMirror('tile/entries/000.p/4')).toBeUndefined()

    service.clock.hold(Date.parse(evening))
    await expect.poll(() => readMirror('tile/entries/000.p/4')).toBeDefined()
    expect(await readMirror('tile/entries/000.p/4')).toEqual(
      Buffer.from((await readBytes(service, '/log/tile/entries/000.p/4')).bytes),
    )
    expect(await statusOf(service, secret)).toBe(200)
    expect((await readdir(mirror, { recursive: true })).filter((name) => name.endsWith('.tmp'))).toEqual([])
    expect(listPaths(4).length).toBe(8)
  })

  test('behavior: a mirror that cannot be written raises the alarm, and the service goes on', {
    tags: 'slow',
  }, async () => {
    const site = siteIn(await newDirectory(), { databaseUrl: await newDatabase(), members: ['mirror'] })
    const mirror = site.config.log['mirror'] as string
    const service = await site.serve()
    // The last file of the day. A write after it would create the directory again.
    await expect.poll(() => existsSync(join(mirror, 'tile', 'entries', '000.p', '3'))).toBe(true)
    await rename(mirror, `${mirror}-away`)
    await writeFile(mirror, 'a file, not a directory')
    service.clock.hold(Date.parse(evening))
    await expect.poll(async () => (await service.admin('/metrics')).body).toContain('tallystick_log_mirror_behind 1')
    await expect.poll(async () => (await readHead(service)).size).toBe(4)
    await service.stop()
    await expect(site.serve()).rejects.toThrow('cannot be read (ENOTDIR). Set log.mirror to a directory')
  })
})
