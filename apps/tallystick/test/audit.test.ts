// @module-tag postgres

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { auditedTransaction, listAudit } from '@tallystick/database'
import { openServiceDatabase } from '@tallystick/service'
import { findFreePort } from '@tallystick/workbench/free-port'
import { sendRequest } from '@tallystick/workbench/send-request'
import type { DatabaseEngine } from '@tallystick/workbench/test-database'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  adminToken,
  coupons,
  createDeferrals,
  type Defer,
  newDatabase,
  start,
  type TestService,
} from '../../../packages/service/test/harness.ts'
import { prepareSite, serveHere, tallystick } from './process.ts'

describe('the audit table on postgres', () => testEngine('postgres'))
// PGlite takes longer to start.
describe('the audit table on pglite', { tags: 'slow' }, () => testEngine('pglite'))

function testEngine(engine: DatabaseEngine): void {
  test('behavior: entries are stored in the transaction of their change and cannot be altered', async () => {
    const database = await openServiceDatabase(await newDatabase(engine), () => undefined)
    onTestFinished(() => database.close())
    const lines: unknown[] = []
    const auditor = {
      actor: 'ann',
      remark: 'ann@host',
      log: { info: (...line: unknown[]) => lines.push(line) } as never,
    }
    const change = { action: 'key.create', subject: 'key_1', details: { rpm: 600 } }
    await auditedTransaction(database, auditor, (_transaction, record) => record(change))
    const failed = auditedTransaction(database, auditor, async (_transaction, record) => {
      await record(change)
      throw new Error('rolled back')
    })
    await expect(failed).rejects.toThrow('rolled back')
    const entries = await listAudit(database, { limit: 10 })
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(entries).toEqual([{ id: 1n, at, actor: 'ann', remark: 'ann@host', ...change }])
    expect(lines).toEqual([[{ actor: 'ann', remark: 'ann@host', ...change }, 'audit']])
    for (const statement of [
      `update audit set actor = 'bob'`,
      'delete from audit where id = 1',
      'delete from audit where false',
      'truncate audit',
    ]) {
      await expect(database.query(statement)).rejects.toThrow()
    }
    expect(await listAudit(database, { limit: 10 })).toEqual(entries)
  })
}

const tokens = {
  ann: 'token-of-ann-with-all',
  kim: 'token-of-kim-with-keys',
  cy: 'token-of-cy-curves',
  mo: 'token-of-mo',
  hal: 'token-of-hal',
}

/** Members of `admin.tokens`, each with its file. */
function nameTokens(roles: Partial<Record<keyof typeof tokens, readonly string[]>>, defer: Defer) {
  const directory = mkdtempSync(join(tmpdir(), 'tallystick-tokens-'))
  defer(() => rmSync(directory, { recursive: true }))
  return Object.entries(roles).map(([name, own]) => {
    writeFileSync(join(directory, name), tokens[name as keyof typeof tokens])
    return { name, token: `file:${join(directory, name)}`, roles: own }
  })
}

describe('named admin tokens', () => {
  let service: TestService
  beforeAll(async () => {
    const { defer, finish } = createDeferrals()
    const named = nameTokens({ ann: ['all'], kim: ['keys'], cy: ['curve'], mo: ['metrics'], hal: ['hooks'] }, defer)
    const config = { admin: { port: 0, token: 'env:ADMIN_TOKEN', tokens: named } }
    service = await start({ databaseUrl: await newDatabase('postgres', defer), config }, defer)
    return finish
  })
  const as = (name: keyof typeof tokens, path: string, body?: object, headers?: Record<string, string>) =>
    service.admin(path, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: {
        authorization: `Bearer ${tokens[name]}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
    })

  test('behavior: wrong tokens are counted and recorded when the service stops', async () => {
    const databaseUrl = await newDatabase('postgres')
    const own = await start({ databaseUrl })
    for (const authorization of ['Bearer wrong', 'Bearer ', 'Basic wrong']) {
      expect((await own.admin('/keys', { headers: { authorization } })).status).toBe(401)
    }
    expect((await own.admin('/livez', { headers: { authorization: 'Bearer wrong' } })).status).toBe(200)
    expect((await own.admin('/metrics')).body).toMatch(/^tallystick_admin_failed_tokens_total 3$/m)
    await own.stop()
    const database = await openServiceDatabase(databaseUrl, () => undefined)
    onTestFinished(() => database.close())
    const [entry] = await listAudit(database, { limit: 1 })
    const failed = { actor: 'unknown', action: 'admin.token', subject: '127.0.0.1', details: { failures: 3 } }
    expect(entry).toMatchObject(failed)
  })

  test('behavior: each role permits its routes and no others', async () => {
    const routes: [string, object?][] = [
      ['/healthz'],
      ['/readyz'],
      ['/metrics'],
      ['/keys'],
      ['/keys', { name: 'x', rpm: 0 }],
      ['/keys/key_nowhere/revoke', {}],
      ['/keys/key_nowhere/rotate', {}],
      ['/keys/key_nowhere/update', { rpm: 1 }],
      ['/curve'],
      ['/curve', {}],
      ['/notes'],
      ['/hooks'],
      ['/hooks', {}],
      ['/hooks/hook_nowhere/test', {}],
      ['/hooks/hook_nowhere/remove', {}],
      ['/hooks/hook_nowhere/rotate', {}],
      ['/hooks/hook_nowhere/enable', {}],
      ['/hooks/hook_nowhere/deliveries'],
      ['/index'],
      ['/index/rebuild', {}],
      ['/index/check', {}],
      ['/audit'],
      ['/audit?limit=0'],
      ['/nowhere'],
    ]
    const opened = async (name: keyof typeof tokens) => {
      const statuses = await Promise.all(routes.map(async ([path, body]) => (await as(name, path, body)).status))
      return routes.flatMap(([path, body], index) =>
        statuses[index] === 403 ? [] : [`${body ? 'POST ' : ''}${path} ${statuses[index]}`],
      )
    }
    // The role permits it, whether the service is ready or not.
    const everyone = ['/healthz 200', expect.stringMatching(/^\/readyz (200|503)$/)]
    const keys = [
      '/keys 200',
      'POST /keys 400',
      'POST /keys/key_nowhere/revoke 404',
      'POST /keys/key_nowhere/rotate 404',
      'POST /keys/key_nowhere/update 404',
    ]
    const curve = ['/curve 200', 'POST /curve 400', '/notes 200']
    const hooks = [
      '/hooks 200',
      'POST /hooks 400',
      'POST /hooks/hook_nowhere/test 404',
      'POST /hooks/hook_nowhere/remove 404',
      'POST /hooks/hook_nowhere/rotate 404',
      'POST /hooks/hook_nowhere/enable 404',
      '/hooks/hook_nowhere/deliveries 404',
    ]
    expect(await opened('hal')).toEqual([...everyone, ...hooks, '/nowhere 404'])
    expect(await opened('mo')).toEqual([...everyone, '/metrics 200', '/nowhere 404'])
    expect(await opened('kim')).toEqual([...everyone, ...keys, '/nowhere 404'])
    expect(await opened('cy')).toEqual([...everyone, ...curve, '/nowhere 404'])
    const index = ['/index 200', 'POST /index/rebuild 400', 'POST /index/check 400']
    const rest = [...index, '/audit 200', '/audit?limit=0 400', '/nowhere 404']
    const all = [...everyone, '/metrics 200', ...keys, ...curve, ...hooks, ...rest]
    expect(await opened('ann')).toEqual(all)
    const refused = (await as('mo', '/keys')).json()
    expect(refused).toMatchObject({ code: 'insufficient_role', details: { token: 'mo', role: 'keys' } })
    expect(refused.message).toBe('This request needs the role "keys" or "view" or "all". The token "mo" has "metrics".')
    expect((await service.admin('/keys', { headers: { authorization: `Bearer ${tokens.mo}x` } })).status).toBe(401)
  })

  test('behavior: every change has an entry and a log line with the name of the token, and no secret', async () => {
    const by = { 'tallystick-by': encodeURIComponent('kïm@ops\n') }
    const { key, secret } = (await as('kim', '/keys', { name: 'Wallet', rpm: 60 }, by)).json()
    const rotated = (await as('ann', `/keys/${key.id}/rotate`, { graceSeconds: 0 })).json().secret
    await as('kim', `/keys/${key.id}/revoke`, {}, { 'tallystick-by': '%E0%A4%A' })
    await as('kim', `/keys/${key.id}/revoke`, {})
    await as('cy', '/curve', { points: coupons, by: 'the president' })
    const { entries } = (await as('ann', '/audit?limit=4')).json()
    expect(entries).toMatchObject([
      { actor: 'cy', remark: 'the president', action: 'curve.set', subject: 'curve 2', details: { points: coupons } },
      { actor: 'kim', remark: null, action: 'key.revoke', subject: key.id },
      { actor: 'ann', remark: null, action: 'key.rotate', subject: key.id, details: { graceSeconds: 0 } },
      { actor: 'kim', remark: 'kïm@ops', action: 'key.create', subject: key.id, details: { name: 'Wallet', rpm: 60 } },
    ])
    expect((await as('cy', '/curve')).json().history[0].createdBy).toBe('cy (the president)')
    const lines = service.log().split('\n')
    const audited = lines.filter((line) => line.includes('"msg":"audit"')).map((line) => JSON.parse(line))
    expect(audited.map(({ actor, action }) => `${actor} ${action}`)).toEqual([
      'kim key.create',
      'ann key.rotate',
      'kim key.revoke',
      'cy curve.set',
    ])
    const kept = JSON.stringify(entries) + service.log()
    for (const hidden of [secret, rotated, adminToken, ...Object.values(tokens)]) expect(kept).not.toContain(hidden)
  })
})

test('default: a command without a server is recorded as the local user, with a server as its token', async () => {
  const port = await findFreePort()
  const named = nameTokens({ kim: ['keys'] }, onTestFinished as never)
  const config = { admin: { port, token: 'env:ADMIN_TOKEN', tokens: named } }
  const site = await prepareSite({ databaseUrl: await newDatabase(), config })
  const points = Object.entries(coupons).map(([tenor, bps]) => `${tenor}=${bps}`)
  await tallystick(site, 'curve', 'set', ...points)
  await serveHere(site, onTestFinished as never)
  const own = { ...site, env: { ...site.env, TALLYSTICK_ADMIN_TOKEN: tokens.kim } }
  expect((await tallystick(own, 'keys', 'create', '--name', 'x')).exitCode).toBe(0)
  const refused = await tallystick(own, 'audit')
  expect([refused.exitCode, refused.stderr]).toEqual([
    1,
    expect.stringContaining('This request needs the role "view" or "all"'),
  ])
  const listed = await tallystick(site, 'audit', '--limit', '2')
  const user = userInfo().username
  expect(listed.stdout).toMatch(
    new RegExp(
      `^TIME .*\\n\\S+ +kim created the key x \\(tsk_live_….* ${user}@.*\\n.* The system user ${user} set curve \\d+: 7 days`,
    ),
  )
  expect(JSON.parse((await tallystick(site, 'audit', '--json')).stdout).entries).toHaveLength(2)
  const { key } = JSON.parse((await tallystick(own, 'keys', 'create', '--name', 'y', '--json')).stdout)
  const changed = await tallystick(
    own,
    'keys',
    'update',
    key.id,
    '--name',
    'Purse',
    '--scopes',
    'notes',
    '--expires',
    'never',
    '--per-day',
    'none',
  )
  expect(changed.stderr).toBe('')
  expect(changed.stdout).toMatch(
    /^Key key_\w+ \("Purse"\): scopes notes; 600 requests a minute; does not expire\. In force on every replica \(1\)\.\n$/,
  )
  const shown = await tallystick(own, 'keys', 'show', key.id)
  expect(shown.stdout).toMatch(
    /^Key key_\w+ \("Purse"\) is active: scopes notes; 600 .*\n.*\n\nNo requests in the last 48 hours\.\n$/,
  )
  const filtered = await tallystick(
    site,
    'audit',
    '--subject',
    key.id,
    '--action',
    'key.update',
    '--since',
    '2026-01-01',
  )
  expect(filtered.stdout).toMatch(
    /^TIME .*\n\S+ +kim changed the key y \(key_\w+\): now named Purse, may use notes, no limit per day, without an expiry .*\n$/,
  )
  const scraped = await sendRequest(`http://127.0.0.1:${port}/metrics`, {
    headers: { authorization: `Bearer ${tokens.kim}` },
  })
  expect(scraped.status).toBe(403)
})

test('behavior: a tenor that was left out for a period needs the approval too when it comes back', async () => {
  const named = nameTokens({ cy: ['curve'] }, onTestFinished as never)
  const rails = { fourEyesAboveBps: 10, signAheadSeconds: 0 }
  const config = { admin: { port: 0, token: 'env:ADMIN_TOKEN', tokens: named }, rails }
  const service = await start({ databaseUrl: await newDatabase(), at: '2026-11-15T12:00:00-05:00', config })
  const set = async (points: object) => {
    const headers = { authorization: `Bearer ${tokens.cy}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ points, chainId: 324, confirm: true })
    return (await service.admin('/curve', { method: 'POST', headers, body })).json()
  }
  const { 7: sevenDays, ...others } = coupons
  expect((await set(others)).curve.points).toEqual(others)
  service.clock.hold(Date.parse('2026-11-15T18:00:00-05:00'))
  const offered = async () => (await service.operator.showNotes()).chains[0]?.current.notes.length
  await expect.poll(offered).toBe(2)
  expect((await set({ ...others, 7: sevenDays + 11 })).proposal).toMatchObject({ id: '1', chainId: 324 })
  expect((await set({ ...others, 7: sevenDays + 10 })).curve.points).toEqual({ ...coupons, 7: sevenDays + 10 })
})

test('behavior: a move above rails.fourEyesAboveBps needs the approval of a second token', async () => {
  const named = nameTokens({ cy: ['curve'], ann: ['all'], kim: ['keys'] }, onTestFinished as never)
  const config = {
    admin: { port: 0, token: 'env:ADMIN_TOKEN', tokens: named },
    rails: { fourEyesAboveBps: 10, signAheadSeconds: 0 },
  }
  const service = await start({ databaseUrl: await newDatabase(), at: '2026-11-15T12:00:00-05:00', config })
  const post = async (name: keyof typeof tokens, path: string, body?: object) => {
    const authorization = `Bearer ${tokens[name]}`
    const headers = { authorization, ...(body && { 'content-type': 'application/json' }) }
    const answer = await service.admin(path, { method: 'POST', headers, ...(body && { body: JSON.stringify(body) }) })
    return { status: answer.status, ...answer.json() }
  }
  const propose = (name: keyof typeof tokens, move: number) =>
    post(name, '/curve', { points: { ...coupons, 14: coupons[14] + move }, by: 'me' })
  const approve = (name: keyof typeof tokens, id: string) => post(name, `/curve/proposals/${id}/approve`)
  const showCurve = async () => (await service.admin('/curve')).json()

  expect((await propose('cy', -10)).curve.id).toBe('2')
  const { proposal, curve } = await propose('cy', 11)
  expect([curve, proposal]).toEqual([undefined, expect.objectContaining({ id: '1', proposedBy: 'cy', chainId: null })])
  const shown = await showCurve()
  expect([shown.chains[0].next.curve.id, shown.proposals]).toEqual(['2', [proposal]])

  for (const [name, id, status] of [
    ['cy', '1', 409],
    ['kim', '1', 403],
    ['ann', '2', 409],
    ['ann', '0', 409],
    ['ann', '1%00', 409],
    ['ann', '9'.repeat(30), 409],
  ] as const) {
    expect([name, id, (await approve(name, id)).status]).toEqual([name, id, status])
  }
  expect((await approve('cy', '1')).message).toBe('Proposal 1 was made by "cy". Another person must approve it.')
  const both = await Promise.all([approve('ann', '1'), approve('ann', '1')])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  expect((await showCurve()).chains[0].next.curve).toMatchObject({
    id: '3',
    createdBy: 'cy, approved by ann',
    points: { ...coupons, 14: coupons[14] + 11 },
  })
  expect((await showCurve()).proposals).toEqual([])
  const { entries } = (await service.admin('/audit?limit=3')).json()
  const audited = entries.map(({ actor, action, subject }: Record<string, string>) => `${actor} ${action} ${subject}`)
  expect(audited).toEqual(['ann curve.set curve 3', 'ann curve.approve proposal 1', 'cy curve.propose proposal 1'])

  await propose('cy', 12)
  await propose('cy', 1)
  expect((await approve('ann', '2')).message).toMatch(/^Another curve was set after proposal 2\./)
  await propose('cy', 13)
  const local = service.operator.setCurve({ points: { ...coupons, 14: coupons[14] + 12 } })
  await expect(local).rejects.toMatchObject({
    code: 'proposal_refused',
    message: expect.stringContaining('two people'),
  })
  await expect(service.operator.approveCurve('3')).rejects.toMatchObject({ code: 'proposal_refused' })
  service.clock.hold(Date.parse('2026-11-16T00:00:00-05:00'))
  expect((await approve('ann', '3')).message).toMatch(/^Proposal 3 was for 2026-11-15 18:00 New York, which has passed/)
  expect((await showCurve()).proposals).toEqual([])
})
