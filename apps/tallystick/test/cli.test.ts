// @module-tag server

import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Database, migrate, openDatabase } from '@tallystick/database'
import { apiMigrations, openDatabaseToRead, openServiceDatabase } from '@tallystick/service'
import { findFreePort } from '@tallystick/workbench/free-port'
import { sendRequest } from '@tallystick/workbench/send-request'
import { databaseEngines } from '@tallystick/workbench/test-database'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  adminToken,
  chain324,
  coupons,
  newDatabase,
  newEmptyDatabase,
  signerAddress,
  signerKey,
} from '../../../packages/service/test/harness.ts'
import type { CheckedNote } from '../src/commands/notes/verify-notes.ts'
import {
  launch,
  prepareSite,
  type Site,
  serve,
  serveHere,
  tallystick,
  tallystickAsked,
  tallystickProcess,
} from './process.ts'

const defer = onTestFinished as never
const points = Object.entries(coupons).map(([tenor, bps]) => `${tenor}=${bps}`)

async function newSite(databaseUrl: string): Promise<Site> {
  const admin = { port: await findFreePort(), token: 'env:ADMIN_TOKEN' }
  return prepareSite({ databaseUrl, config: { admin } })
}

// Nothing listens there: for commands that do not get to their database.
const noDatabase = 'postgres://u:hunter2@127.0.0.1:1/x'

describe.each(databaseEngines)('on %s', (engine) => {
  test('default: all commands work without a server and with one', {
    tags: engine === 'pglite' ? 'slow' : [],
  }, async () => {
    const site = await newSite(await newEmptyDatabase(engine))
    // One engine is enough for processes, which take almost 1 s each.
    const run = engine === 'postgres' ? tallystickProcess : tallystick
    const set = await run(site, 'curve', 'set', ...points)
    expect([set.exitCode, set.stderr]).toEqual([0, ''])
    expect(set.stdout).toMatch(
      /^Curve 1 is stored and in force from \d{4}-\d\d-\d\d (00|18):00 New York\.\n {5}7 days {4}369 bps/,
    )
    const created = JSON.parse((await run(site, 'keys', 'create', '--name', 'Wallet', '--json')).stdout)
    expect(created.secret).toMatch(/^tsk_live_\w{36}$/)

    const server = await serve(site, defer)
    const notes = await sendRequest(`${server.baseUrl}/notes`, {
      headers: { 'x-api-key': created.secret },
      ca: site.ca,
    })
    expect(notes.status).toBe(200)
    const options = ['--scopes', 'notes', '--rpm', 'unlimited', '--expires', '2927-01-01']
    const beside = await tallystick(site, 'keys', 'create', '--name', 'Bank', ...options)
    expect(beside.stdout).toMatch(
      /^Key key_\w{12} for "Bank": scopes notes; no rate limit; expires 2927-01-01T00:00:00Z\.\n\n {2}tsk_live_\w{36}\n/,
    )
    const list = await tallystick(site, 'keys', 'list')
    expect(list.stdout).toMatch(
      /^ID +NAME +KIND +STATUS +SCOPES +RPM +CREATED +EXPIRES +LAST USED\nkey_\w{12} +Wallet +live +active +notes,data,rate +600 /,
    )
    expect(list.stdout).not.toContain('tsk_')

    const revoked = await tallystick(site, 'keys', 'revoke', created.key.id, '--json')
    expect(JSON.parse(revoked.stdout)).toMatchObject({
      key: { status: 'revoked' },
      replicas: { confirmed: [expect.any(String)], unconfirmed: [] },
    })
    const refused = await sendRequest(`${server.baseUrl}/notes`, {
      headers: { 'x-api-key': created.secret },
      ca: site.ca,
    })
    expect(refused.status).toBe(403)

    const shown = await tallystick(site, 'notes', 'show')
    expect(shown.stdout).toMatch(new RegExp(`by ${signerAddress}\nTENOR +COUPON +MATURITY \\(NEW YORK\\) +UTC`))
    const file = join(site.directory, 'notes.json')
    writeFileSync(file, notes.body)
    const verified = await run(site, 'notes', 'verify', file)
    expect([verified.exitCode, verified.stdout.match(/genuine +usable, [\d hmins]+ left/g)?.length]).toEqual([0, 3])

    const stopped = await server.kill('SIGTERM')
    expect(stopped.exitCode).toBe(0)
    for (const secret of [created.secret, adminToken, signerKey.slice(2)]) expect(server.output()).not.toContain(secret)
  })
})

test('behavior: on a terminal, keys revoke asks, and anything but yes keeps the key', async () => {
  const site = await newSite(await newDatabase())
  const { key } = JSON.parse((await tallystick(site, 'keys', 'create', '--name', 'Wallet', '--json')).stdout)
  const statusOf = async () => JSON.parse((await tallystick(site, 'keys', 'list', '--json')).stdout).keys[0].status
  const nothing = async () => undefined
  const declined = await tallystickAsked(site, ['keys', 'revoke', key.id], nothing, '')
  expect([declined.exitCode, declined.stdout, declined.stderr]).toEqual([
    1,
    expect.stringContaining(`Revoke "Wallet" (${key.id})?`),
    expect.stringContaining('The key was not revoked.'),
  ])
  expect(await statusOf()).toBe('active')
  const confirmed = await tallystickAsked(site, ['keys', 'revoke', key.id], nothing)
  expect([confirmed.exitCode, confirmed.stdout]).toEqual([0, expect.stringContaining('is revoked')])
  expect(await statusOf()).toBe('revoked')
  const unasked = await tallystickAsked(site, ['keys', 'revoke', key.id, '--yes'], nothing)
  expect([unasked.exitCode, unasked.stdout]).toEqual([0, expect.not.stringContaining('[y/N]')])
})

test('error: an altered note, another signer and a file without notes have different errors', async () => {
  const site = await newSite(await newDatabase())
  await tallystick(site, 'curve', 'set', ...points)
  const server = await serveHere(site, defer)
  const { secret } = JSON.parse((await tallystick(site, 'keys', 'create', '--name', 'x', '--json')).stdout)
  const notes = await sendRequest(`${server.baseUrl}/notes`, { headers: { 'x-api-key': secret }, ca: site.ca })
  const file = join(site.directory, 'notes.json')
  const [note] = notes.json().data
  writeFileSync(file, JSON.stringify({ ...note, coupon: '900' }))
  const altered = await tallystick(site, 'notes', 'verify', file, '--json')
  expect(altered.exitCode).toBe(1)
  expect(JSON.parse(altered.stdout).notes[0]).toMatchObject({
    genuine: false,
    reason: expect.stringContaining('signed by'),
  })

  writeFileSync(file, JSON.stringify([note]))
  const other = await tallystick(
    site,
    'notes',
    'verify',
    file,
    '--signer',
    '0x0000000000000000000000000000000000000001',
  )
  expect([other.exitCode, other.stdout.includes('NOT GENUINE')]).toEqual([1, true])
  writeFileSync(file, '{"hello":1}')
  const none = await tallystick(site, 'notes', 'verify', file, '--json')
  expect([none.exitCode, JSON.parse(none.stderr).code]).toEqual([1, 'invalid_note_file'])
})

test('default: a chain has its own tenors, curve and signer', async () => {
  const own = {
    name: 'Other',
    pool: chain324.pool,
    tenors: [7, 60],
    signer: { kind: 'private-key', key: 'file:other' },
  }
  const admin = { port: await findFreePort(), token: 'env:ADMIN_TOKEN' }
  const site = await prepareSite({ databaseUrl: await newDatabase(), config: { admin, chains: [chain324] } })
  const config = JSON.parse(readFileSync(site.configPath, 'utf8'))
  writeFileSync(join(site.directory, 'other'), `0x${'02'.repeat(32)}`, { mode: 0o600 })
  writeFileSync(site.configPath, JSON.stringify({ ...config, chains: [chain324, { id: 8453, ...own }] }))
  const few = await tallystick(site, 'curve', 'set', ...points)
  expect([few.exitCode, few.stderr]).toEqual([1, expect.stringMatching(/60 days has no coupon.*\(--chain <id>\)/)])
  const other = await tallystick(site, 'curve', 'set', '7=369', '--chain', '8453', '--json')
  expect([other.exitCode, JSON.parse(other.stdout).curve]).toMatchObject([0, { chainId: 8453, points: { 7: 369 } }])
  expect((await tallystick(site, 'curve', 'set', '14=365', '30=362', '--chain', '324')).exitCode).toBe(0)

  const server = await serveHere(site, defer)
  const shown = await tallystick(site, 'curve', 'show')
  expect(shown.stdout).toMatch(/^Chain 324\n {2}now .* \(signed\): curve 2, without 7 days\n/m)
  expect(shown.stdout).toMatch(/^Chain 8453\n {2}now .* \(signed\): curve 1, without 60 days\n/m)
  const { secret } = JSON.parse((await tallystick(site, 'keys', 'create', '--name', 'x', '--json')).stdout)
  const notes = await sendRequest(`${server.baseUrl}/notes`, { headers: { 'x-api-key': secret }, ca: site.ca })
  const file = join(site.directory, 'notes.json')
  writeFileSync(file, notes.body)
  const verified = await tallystick(site, 'notes', 'verify', file, '--json')
  const genuine = JSON.parse(verified.stdout).notes.map((note: CheckedNote) => [note.chainId, note.genuine])
  expect(genuine).toEqual([
    [324, true],
    [324, true],
    [8453, true],
  ])
  const [note] = JSON.parse((await tallystick(site, 'notes', 'show', '--json')).stdout).chains[1].current.notes
  expect(Date.parse(note.times.maturity) / 1000).toBe(Number(note.maturity_timestamp))
})

describe('exit codes', () => {
  test('error: wrong usage exits with 2 and refers to --help', async () => {
    const site = await newSite(noDatabase)
    const wrong = [
      ['keys', 'create'],
      ['keys', 'create', '--name', 'x', '--rpm', '0'],
      ['keys', 'create', '--name', 'x', '--expires', '2027-02-30'],
      ['keys', 'rotate', 'x', '--grace', '1 day'],
      ['curve', 'set', '7=x'],
      ['curve', 'set', '7=1', '7=2'],
      ['nonsense'],
      ['serve', '--nonsense'],
    ]
    for (const commandLine of wrong) {
      const run = commandLine[0] === 'nonsense' ? tallystickProcess : tallystick
      const { exitCode, stderr } = await run(site, ...commandLine)
      expect([commandLine, exitCode]).toEqual([commandLine, 2])
      expect(stderr).toContain('(use --help for more information)')
    }
  })

  test('error: a rejected request exits with 1 and says what to do', async () => {
    const site = await newSite(await newDatabase())
    const missing = await tallystickProcess(site, 'curve', 'set', '7=369')
    expect([missing.exitCode, missing.stderr]).toEqual([1, expect.stringContaining('14 days has no coupon')])
    const unknown = await tallystick(site, 'keys', 'revoke', 'key_nowhere', '--json')
    expect([unknown.exitCode, JSON.parse(unknown.stderr).code]).toEqual([1, 'key_not_found'])
    const scope = await tallystick(site, 'keys', 'create', '--name', 'x', '--scopes', 'admin')
    expect([scope.exitCode, scope.stderr]).toEqual([1, expect.stringContaining('scopes')])
  })

  test('error: an invalid configuration exits with 3 and lists every fault, before anything listens', async () => {
    const site = await newSite(noDatabase)
    const config = JSON.parse(readFileSync(site.configPath, 'utf8'))
    config.chains[0].pool = '0x12'
    config.listen.tls.cert = 'nowhere.pem'
    config.tenor = [7]
    writeFileSync(site.configPath, JSON.stringify(config))
    const { exitCode, stderr, stdout } = await tallystickProcess({ ...site, env: { SIGNER_KEY: signerKey } }, 'serve')
    expect([exitCode, stdout]).toEqual([3, ''])
    for (const fault of [
      'chains[0].pool:',
      'listen.tls.cert:',
      'admin.token: the variable ADMIN_TOKEN is not set',
      'tenor',
    ]) {
      expect(stderr).toContain(fault)
    }
    const nowhere = await tallystick(site, 'keys', 'list', '--config', 'nowhere.json')
    expect([nowhere.exitCode, nowhere.stderr]).toEqual([
      3,
      expect.stringMatching(/no configuration file .*nowhere\.json\. Write one with `tallystick init`/),
    ])
    const badKey = await newSite(await newDatabase())
    const bad = await tallystick({ ...badKey, env: { ADMIN_TOKEN: 'x', SIGNER_KEY: '0xdeadbeefdeadbeef' } }, 'serve')
    expect([bad.exitCode, bad.stderr.includes('deadbeef')]).toEqual([3, false])
  })

  test('error: an unreachable server or database exits with 4', async () => {
    const site = await newSite(noDatabase)
    for (const finished of [tallystick(site, 'keys', 'list'), tallystickProcess(site, 'serve')]) {
      const { exitCode, stderr } = await finished
      expect([exitCode, stderr]).toEqual([4, expect.stringContaining('cannot be used (ECONNREFUSED)')])
      expect(stderr).not.toContain('hunter2')
    }
  })

  test('error: a wrong admin token and an absent server have different errors', async () => {
    const site = await newSite(await newDatabase())
    await serveHere(site, defer)
    const wrong = await tallystick({ ...site, env: { ...site.env, ADMIN_TOKEN: 'wrong' } }, 'keys', 'list')
    expect([wrong.exitCode, wrong.stderr]).toEqual([
      1,
      expect.stringContaining('Check that the variable or file of admin.token is set'),
    ])
  })
})

test('error: a second process on the embedded database is rejected and changes nothing', { tags: 'slow' }, async () => {
  const site = await newSite(await newDatabase('pglite'))
  await serveHere(site, defer)
  const config = JSON.parse(readFileSync(site.configPath, 'utf8'))
  const beside = { ...site, configPath: join(site.directory, 'beside.json') }
  config.admin.port = await findFreePort()
  writeFileSync(beside.configPath, JSON.stringify(config))
  const second = await tallystickProcess(beside, 'serve')
  expect([second.exitCode, second.stderr]).toEqual([1, expect.stringContaining('is in use by process')])
})

describe('a read-only command', () => {
  const applied = (database: Database) => database.query('select name from migrations order by position')

  test('error: rejects a schema of another version and does not change it', async () => {
    const url = await newEmptyDatabase()
    const database = await openDatabase(url)
    onTestFinished(() => database.close())
    await expect(openDatabaseToRead(url)).rejects.toMatchObject({
      code: 'database_outdated',
      message: expect.stringMatching(/has no tables of this service yet\. The first start/),
    })
    expect(await database.query(`select to_regclass('migrations')::text as name`)).toEqual([{ name: null }])

    await migrate(database, { scope: 'api', migrations: apiMigrations.slice(0, -1) })
    const before = await applied(database)
    await expect(openDatabaseToRead(url)).rejects.toMatchObject({
      code: 'database_outdated',
      message: expect.stringContaining(`the migrations ${apiMigrations.at(-1)?.name} are not applied`),
    })
    expect(await applied(database)).toEqual(before)

    await migrate(database, { scope: 'api', migrations: apiMigrations })
    await (await openDatabaseToRead(url)).close()
    await database.query(`insert into migrations (scope, position, name) values ('api', 1000, 'of tomorrow')`)
    await expect(openDatabaseToRead(url)).rejects.toMatchObject({ code: 'database_too_new' })
  })

  test('error: creates no embedded database', async () => {
    const { directory } = await newSite(noDatabase)
    await expect(openDatabaseToRead(`file:${directory}/nowhere`)).rejects.toMatchObject({ code: 'database_outdated' })
    expect(existsSync(join(directory, 'nowhere'))).toBe(false)
  })

  test('behavior: exits silently when the reader of its output exits', async () => {
    const site = await newSite(await newEmptyDatabase())
    const fresh = await tallystick(site, 'keys', 'list')
    expect([fresh.exitCode, fresh.stderr]).toEqual([1, expect.stringContaining('has no tables of this service yet')])
    const database = await openServiceDatabase(
      JSON.parse(readFileSync(site.configPath, 'utf8')).database,
      () => undefined,
    )
    await database.close()
    const child = launch(site, ['keys', 'list'])
    child.stdout?.destroy()
    const errors: string[] = []
    child.stderr?.on('data', (chunk) => errors.push(String(chunk)))
    const [exitCode] = await once(child, 'close')
    expect([exitCode, errors.join('')]).toEqual([0, ''])
  })
})

test('default: every command has --help', async () => {
  const site = await newSite(noDatabase)
  const commands = [
    [],
    ['serve'],
    ['keys'],
    ['keys', 'rotate'],
    ['audit'],
    ['curve', 'set'],
    ['notes', 'verify'],
    ['doctor'],
  ]
  for (const command of commands) {
    const { exitCode, stdout } = await tallystick(site, ...command, '--help')
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^Usage: tallystick/)])
    if (command[1] === 'rotate') expect(stdout).toContain('(default: 24h)')
  }
})
