// @module-tag server

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabase } from '@tallystick/database'
import { createLogKeyText } from '@tallystick/public-log'
import { createCertificateAuthority } from '@tallystick/workbench/certificate-authority'
import { findFreePort } from '@tallystick/workbench/free-port'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startFakeRpc } from '../../../packages/service/test/fake-rpc.ts'
import {
  adminToken,
  coupons,
  createDeferrals,
  newDatabase,
  newEmptyDatabase,
  prepare,
} from '../../../packages/service/test/harness.ts'
import {
  deadRpc,
  listBreaks,
  metaAnswer,
  migrated,
  nowSeconds,
  startServer,
  subgraphWith,
  withChain,
} from './doctor-breaks.ts'
import { failuresOf, issued, linesOf, visit } from './doctor-site.ts'
import { prepareSite, serve, serveHere, tallystick } from './process.ts'

let databaseUrl: string
beforeAll(async () => {
  const { defer, finish } = createDeferrals()
  databaseUrl = await newDatabase('postgres', defer)
  await migrated(databaseUrl, coupons)
  return finish
})

test('default: a correct setup is healthy, and unknown values are skipped', async () => {
  const url = await subgraphWith(metaAnswer(nowSeconds() - 10))
  const diagnosis = await visit({ databaseUrl, config: withChain({ subgraph: { urls: [url] } }) })
  expect([diagnosis.verdict, failuresOf(diagnosis)]).toEqual(['healthy', []])
  expect(linesOf(diagnosis, 'warn').map((line) => line.split(': ').slice(0, 2).join(': '))).toEqual([
    'certificate: chain',
    'chain 324: rpc',
  ])
  expect(linesOf(diagnosis, 'ok').join('\n')).toMatch(/^files: permissions: .* \(\d paths checked\)$/m)
  expect(linesOf(diagnosis, 'ok').join('\n')).toMatch(/^signer: signs: its signature recovers to 0x1a64/m)
  expect(linesOf(diagnosis, 'ok').join('\n')).toMatch(/the position query works, as of block 7/)
})

describe('error: names each fault', () => {
  test.each(listBreaks(() => databaseUrl))('%s', async (_, change, line) => {
    const env = { GRAPH_AUTH: 'some-graph-key' }
    const diagnosis = await visit({ databaseUrl, env, ...(await change()) })
    expect(diagnosis.verdict).not.toBe('healthy')
    const failures = failuresOf(diagnosis)
    expect(failures.filter((failure) => line.test(failure))).toHaveLength(1)
    expect(JSON.stringify(diagnosis)).not.toMatch(/hunter2|a-secret-of-the-provider/)
    // The subjects that have nothing to do with it were examined all the same.
    const subjects = new Set(diagnosis.findings.map(({ subject }) => subject))
    for (const subject of [
      'config',
      'files',
      'service',
      'database',
      'clock',
      'certificate',
      'signer',
      'journal',
      'notes',
    ])
      expect(subjects).toContain(subject)
    expect(subjects).toContain('chain 324')
  })
})

describe('error: a wrong configuration', () => {
  test('missing, or not JSON', async () => {
    const notJson = await visit({ databaseUrl, text: '{ "signer": ' })
    expect([notJson.verdict, failuresOf(notJson)]).toEqual([
      'misconfigured',
      [expect.stringMatching(/^config: file: .* is not JSON/)],
    ])
  })

  test('each fault has its own line', async () => {
    const config = { ...withChain({ pool: '0x12', domain: { version: 1 } }), tenor: [7] }
    const diagnosis = await visit({ databaseUrl, config })
    expect(diagnosis.verdict).toBe('misconfigured')
    for (const name of ['chains[0].pool', 'chains[0].domain.version', '(top level)']) {
      expect(failuresOf(diagnosis).some((line) => line.startsWith(`config: ${name}: `))).toBe(true)
    }
  })

  test('behavior: a missing secret does not stop the other checks', async () => {
    const config = { signer: { kind: 'private-key', key: 'env:NOT_SET' } }
    const diagnosis = await visit({ databaseUrl, config })
    expect(diagnosis.verdict).toBe('misconfigured')
    expect(failuresOf(diagnosis)).toEqual([
      'config: signer.key: the variable NOT_SET is not set',
      expect.stringMatching(/^signer: opens: /),
    ])
    expect(linesOf(diagnosis, 'ok').some((line) => line.startsWith('database: schema'))).toBe(true)
  })
})

test('behavior: one of two RPCs down is a warning, both are a failure', async () => {
  const good = await startFakeRpc({ timestampSeconds: nowSeconds() })
  const half = await visit({ databaseUrl, config: withChain({ rpc: [await deadRpc(), good] }) })
  expect(linesOf(half, 'warn').some((line) => line.includes('cannot be reached'))).toBe(true)
  const none = await visit({ databaseUrl, config: withChain({ rpc: [await deadRpc(), await deadRpc()] }) })
  expect(failuresOf(none).filter((line) => line.includes('cannot be reached'))).toHaveLength(2)
})

test('behavior: an empty database is a warning, and the log says that there are no tables', async () => {
  const log = { origin: 'notes.example/log', key: 'env:LOG_KEY' }
  const env = { LOG_KEY: createLogKeyText(log.origin) }
  const diagnosis = await visit({ databaseUrl: await newEmptyDatabase(), config: { log }, env })
  expect(linesOf(diagnosis, 'warn')).toContain('database: schema: it is empty')
  expect(linesOf(diagnosis, 'skipped')).toContain('log: log: the database has no tables yet')
  expect(linesOf(diagnosis, 'skipped')).toContain('audit: rows: the database has no tables yet')
})

test('behavior: a user with too few connections for a replica is a warning, and so is a database', async () => {
  const few = async (limited: string) => {
    const diagnosis = await visit({ databaseUrl: limited })
    return linesOf(diagnosis, 'warn').filter((line) => line.startsWith('database: connections'))
  }
  expect(await few(databaseUrl)).toEqual([])
  const limited = await newEmptyDatabase()
  const database = await openDatabase(limited)
  onTestFinished(() => database.close())
  await database.query(`alter database "${new URL(limited).pathname.slice(1)}" connection limit 21`)
  expect(await few(limited)).toEqual([
    'database: connections: 1 replica with up to 12 connections and 10 more need 22, this user may open 21',
  ])
})

test('behavior: a missing embedded database is not created', async () => {
  const { directory } = await prepare({ databaseUrl })
  const path = join(directory, 'not-there')
  const diagnosis = await visit({ databaseUrl: `file:${path}` })
  expect(linesOf(diagnosis, 'warn')).toContain(`database: reachable: there is no embedded database in ${path} yet`)
  await expect(readdir(path)).rejects.toMatchObject({ code: 'ENOENT' })
})

test('behavior: a certificate that expires within 14 days, and a self-signed one, are warnings', async () => {
  const soon = await visit({ databaseUrl, certificate: issued({ daysAgo: 790 }) })
  expect(linesOf(soon, 'warn').join('\n')).toMatch(/certificate: dates: it expires in (8|9) days/)
  const authority = createCertificateAuthority()
  const own = await visit({ databaseUrl, certificate: { cert: authority.cert, key: authority.key } })
  expect(linesOf(own, 'warn').join('\n')).toContain('certificate: chain: it is self-signed')
})

describe('the command', () => {
  const signedSite = async (port: number, engine: 'pglite' | 'postgres' = 'postgres') => {
    const admin = { port, token: 'env:ADMIN_TOKEN' }
    return prepareSite({ databaseUrl: await migrated(await newDatabase(engine), coupons), config: { admin } })
  }

  test('default: with and without a running service, as text and as JSON', { tags: 'slow' }, async () => {
    const site = await signedSite(await findFreePort(), 'pglite')
    const without = await tallystick(site, 'doctor')
    expect([without.exitCode, without.stderr]).toEqual([0, ''])
    expect(without.stdout).toMatch(/^✓ ok {4}database +reachable +embedded database .* answers in/m)
    expect(without.stdout).toMatch(/^✓ ok {4}journal +file +.* does not exist yet: the first start creates it$/m)
    expect(without.stdout).toMatch(/^! WARN {2}chain 324 .*\n +→ Set at least one URL in chains\[\]\.rpc\.$/m)
    const server = await serve(site, onTestFinished as never)
    const beside = await tallystick(site, 'doctor', '--json')
    const { ok, findings } = JSON.parse(beside.stdout)
    expect([beside.exitCode, ok]).toEqual([0, true])
    expect(findings).toContainEqual({
      subject: 'database',
      name: 'reachable',
      severity: 'ok',
      message: expect.stringContaining('is open in the running service: responds'),
    })
    // The service has the lock.
    expect(findings).toContainEqual({
      subject: 'journal',
      name: 'file',
      severity: 'ok',
      message: expect.stringMatching(/^\S+signer-journal\.jsonl is intact: \d signed sets?, the last of /),
    })
    const stopped = await server.kill('SIGTERM')
    expect(stopped.exitCode).toBe(0)
  })

  test('error: a service with another token, and a port of another process', async () => {
    const site = await signedSite(await findFreePort())
    await serveHere(site, onTestFinished as never)
    const wrong = await tallystick({ ...site, env: { ...site.env, ADMIN_TOKEN: 'another-token' } }, 'doctor')
    expect([wrong.exitCode, wrong.stdout]).toEqual([
      1,
      expect.stringMatching(/^✗ FAIL {2}service +admin token +the service on/m),
    ])
    expect(wrong.stdout).not.toContain(adminToken)
    const strange = new URL(await startServer(() => '<html>', 'text/html'))
    const other = await tallystick(await signedSite(Number(strange.port)), 'doctor')
    expect([other.exitCode, other.stdout]).toEqual([
      1,
      expect.stringMatching(/does not answer like the admin listener/),
    ])
  })

  test('error: exit code 3 for an unreadable configuration', async () => {
    const site = await signedSite(1)
    const { exitCode, stdout } = await tallystick(site, 'doctor', '--config', 'nowhere.json', '--json')
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([
      3,
      { ok: false, findings: [{ name: 'file', severity: 'fail' }] },
    ])
  })
})
