// @module-tag postgres

import type { Finding } from '@tallystick/core'
import { type DatabaseEngine, databaseEngines } from '@tallystick/workbench/test-database'
import { beforeAll, describe, expect, test } from 'vitest'
import { adminToken, createDeferrals, createKey, newDatabase, signerKey, start, type TestService } from './harness.ts'

const noon = '2026-11-15T12:00:00-05:00'
const statusWith = async (service: TestService, secret: string) =>
  (await service.call('/notes', { headers: { 'x-api-key': secret } })).status
const post = (service: TestService, path: string, body?: object) =>
  service.admin(path, {
    method: 'POST',
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })

describe('keys on postgres', () => testEngine('postgres'))
// PGlite takes longer to start.
describe('keys on pglite', { tags: 'slow' }, () => testEngine('pglite'))

function testEngine(engine: DatabaseEngine): void {
  test('default: created, listed without the secret, rotated with grace, revoked, expired', async () => {
    const service = await start({ databaseUrl: await newDatabase(engine), at: noon })
    const { id, secret } = await createKey(service, { name: 'Wallet Inc.', rpm: 60 })
    expect(secret).toMatch(/^tsk_live_\w{36}$/)
    expect(await statusWith(service, secret)).toBe(200)

    const list = (await service.admin('/keys')).json()
    expect(list.keys).toEqual([
      {
        id,
        name: 'Wallet Inc.',
        kind: 'live',
        scopes: ['notes', 'data', 'rate'],
        rpm: 60,
        burst: null,
        quotaPerDay: null,
        quotaPerMonth: null,
        allow: null,
        status: 'active',
        createdAt: '2026-11-15T17:00:00Z',
        expiresAt: null,
        revokedAt: null,
        lastUsedAt: null,
        revision: expect.stringMatching(/^\d+$/),
      },
    ])

    const rotated = (await post(service, `/keys/${id}/rotate`, { graceSeconds: 3600 })).json()
    expect(rotated.secret).not.toBe(secret)
    expect(await statusWith(service, secret)).toBe(200)
    expect(await statusWith(service, rotated.secret)).toBe(200)
    service.clock.hold(Date.parse(noon) + 3600_000 - 1)
    expect(await statusWith(service, secret)).toBe(200)
    service.clock.hold(Date.parse(noon) + 3600_000)
    expect(await statusWith(service, secret)).toBe(403)
    expect(await statusWith(service, rotated.secret)).toBe(200)

    const again = (await post(service, `/keys/${id}/rotate`, { graceSeconds: 0 })).json()
    expect(await statusWith(service, rotated.secret)).toBe(403)
    expect(await statusWith(service, again.secret)).toBe(200)

    expect((await post(service, `/keys/${id}/revoke`)).json().key.status).toBe('revoked')
    expect(await statusWith(service, again.secret)).toBe(403)
    expect((await post(service, `/keys/${id}/revoke`)).status).toBe(200)
    const afterwards = await post(service, `/keys/${id}/rotate`, {})
    expect([afterwards.status, afterwards.json().code]).toEqual([409, 'key_not_active'])

    const expiring = await createKey(service, { expiresAt: '2026-11-15T18:30:00Z' })
    expect(await statusWith(service, expiring.secret)).toBe(200)
    service.clock.hold(Date.parse('2026-11-15T18:30:00Z') - 1)
    expect(await statusWith(service, expiring.secret)).toBe(200)
    service.clock.hold(Date.parse('2026-11-15T18:30:00Z'))
    expect(await statusWith(service, expiring.secret)).toBe(403)
    expect((await service.admin('/keys')).json().keys[1].status).toBe('expired')
  })
}

test.each(databaseEngines)('behavior: a quota holds across a restart, on %s, and can be changed', async (engine) => {
  const databaseUrl = await newDatabase(engine)
  const first = await start({ databaseUrl })
  const { id, secret } = await createKey(first, { quotaPerDay: 3, quotaPerMonth: 5 })
  for (const _request of [1, 2]) expect(await statusWith(first, secret)).toBe(200)
  await first.stop()
  const service = await start({ databaseUrl })
  const get = () => service.call('/notes', { headers: { 'x-api-key': secret } })
  expect(await statusWith(service, secret)).toBe(200)
  const refused = await get()
  expect([refused.status, refused.json().code]).toEqual([429, 'quota_exceeded'])
  expect(refused.headers['ratelimit-policy']).toBe('"day";q=3;w=86400, "month";q=5;w=2678400')
  expect(refused.headers['ratelimit']).toMatch(/^"day";r=0;t=\d+$/)
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)

  const quotasOf = async () =>
    (await service.admin('/keys/usage')).json().keys.find((key: { id: string }) => key.id === id).quotas
  await expect.poll(quotasOf).toEqual({ day: { used: 3, allowed: 3 }, month: { used: 3, allowed: 5 } })
  expect((await post(service, `/keys/${id}/update`, { quotaPerDay: null })).json().key.quotaPerDay).toBe(null)
  for (const _request of [4, 5]) await expect.poll(() => statusWith(service, secret)).toBe(200)
  expect((await get()).headers['ratelimit']).toMatch(/^"month";r=0;t=\d+$/)
})

test('behavior: the last use is stored at most once a minute and survives a restart', async () => {
  const databaseUrl = await newDatabase()
  const service = await start({ databaseUrl, at: noon })
  const { secret } = await createKey(service)
  await statusWith(service, secret)
  service.clock.hold(Date.parse(noon) + 30_000)
  await statusWith(service, secret)
  await service.stop()
  const after = await start({ databaseUrl, at: noon })
  expect((await after.admin('/keys')).json().keys[0].lastUsedAt).toBe('2026-11-15T17:00:00Z')
})

describe('one service', () => {
  let service: TestService
  beforeAll(async () => {
    const { defer, finish } = createDeferrals()
    service = await start({ databaseUrl: await newDatabase('postgres', defer), at: noon }, defer)
    return finish
  })

  describe('admin listener', () => {
    test('default: health, readiness and metrics', async () => {
      const { secret } = await createKey(service)
      await statusWith(service, secret)
      const health = (await service.admin('/healthz')).json()
      expect(health).toMatchObject({ status: 'ok', ready: true })
      expect(health.findings.filter(({ severity }: Finding) => severity !== 'ok')).toEqual([])
      expect((await service.admin('/readyz')).json()).toMatchObject({ ready: true })
      const metrics = (await service.admin('/metrics')).body
      expect(metrics).toContain('tallystick_http_requests_total{route="/notes",status="200"} 1')
      expect(metrics).toContain('tallystick_http_request_duration_seconds_count{route="/notes"} 1')
      expect(metrics).toContain('tallystick_boundary_seconds 21600')
      expect(metrics).toContain('tallystick_notes{chain="324"} 3')
      expect(metrics).toContain('tallystick_notes_age_seconds{chain="324"} 0')
      expect(metrics).toContain('tallystick_next_period_signed{chain="324"} 0')
    })

    test('error: rejects invalid requests with the reason and changes nothing', async () => {
      const bad: [object, string][] = [
        [{}, 'name'],
        [{ name: '' }, 'name'],
        [{ name: 'x'.repeat(101) }, 'name'],
        [{ name: 'two\nlines' }, 'control characters'],
        [{ name: 'nul\0' }, 'control characters'],
        [{ name: 'x', scopes: [] }, 'scopes'],
        [{ name: 'x', scopes: ['admin'] }, 'scopes'],
        [{ name: 'x', rpm: 0 }, 'rpm'],
        [{ name: 'x', rpm: 1.5 }, 'rpm'],
        [{ name: 'x', burst: 10_001 }, 'burst'],
        [{ name: 'x', quotaPerDay: 0 }, 'quotaPerDay'],
        [{ name: 'x', quotaPerMonth: 1e12 }, 'quotaPerMonth'],
        ...['', 'x', '10.0.0.0/33', '::/129', 'fe80::1%eth0', '::ffff:10.0.0.0/104', '10.0.0.1/8/8'].map(
          (network): [object, string] => [{ name: 'x', allow: ['10.0.0.1', network] }, 'allow.1'],
        ),
        [{ name: 'x', allow: [] }, 'allow'],
        [{ name: 'x', allow: Array.from({ length: 51 }, () => '10.0.0.1') }, 'allow'],
        [{ name: 'x', expiresAt: 'tomorrow' }, 'expiresAt'],
        [{ name: 'x', expiresAt: '2026-11-15T17:00:00Z' }, 'not in the future'],
        [{ name: 'x', kind: 'prod' }, 'kind'],
        [{ name: 'x', extra: 1 }, 'extra'],
      ]
      // The last use is stored some time after it.
      const list = async () =>
        (await service.admin('/keys')).json().keys.map((key: object) => ({ ...key, lastUsedAt: undefined }))
      const before = await list()
      for (const [body, message] of bad) {
        const answer = await post(service, '/keys', body)
        expect(answer.status).toBe(400)
        expect(answer.json()).toMatchObject({ code: 'invalid_key_request', message: expect.stringContaining(message) })
      }
      expect(await list()).toEqual(before)
      expect((await post(service, '/keys/key_nowhere/revoke')).status).toBe(404)
      for (const id of ['%00', '%ff', "';drop table api_keys;--", 'x'.repeat(90)]) {
        expect([404, 400]).toContain((await post(service, `/keys/${id}/revoke`)).status)
      }
      expect((await post(service, '/keys/key_nowhere/rotate', {})).json().code).toBe('key_not_found')
    })

    test('error: every route but /livez rejects a request without the token', async () => {
      const paths = ['/healthz', '/readyz', '/metrics', '/keys', '/curve', '/notes', '/nowhere']
      const wrong = ['', 'Bearer', 'Bearer wrong', adminToken, `bearer ${adminToken}`]
      const requests = wrong.flatMap((authorization) => paths.map((path) => ({ path, headers: { authorization } })))
      // At the same time, because from the sixth wrong token on each response takes a second.
      const answers = await Promise.all(requests.map(({ path, headers }) => service.admin(path, { headers })))
      for (const answer of answers) {
        expect([answer.status, answer.json().code]).toEqual([401, 'unauthorized'])
        expect(answer.headers['www-authenticate']).toBe('Bearer')
      }
    })
  })

  test('behavior: no secret is in any log line, error or table', async () => {
    const { id, secret } = await createKey(service)
    const rotated = (await post(service, `/keys/${id}/rotate`, {})).json().secret
    const bodies = [
      (await service.call(`/notes?chainid=${secret}`, { headers: { 'x-api-key': `${rotated}x` } })).body,
      (await service.call(`/${secret}`)).body,
      (await service.call('/notes', { headers: { authorization: `Bearer ${secret}` } })).body,
      (await service.admin('/keys')).body,
      (await service.admin('/keys', { headers: { authorization: 'Bearer wrong' } })).body,
      (await service.admin('/metrics')).body,
      (await post(service, `/keys/${secret}x/revoke`)).body.replace(`${secret}x`, 'what was asked for'),
    ]
    const tables = ['api_keys', 'api_key_secrets', 'curves', 'note_sets', 'notes', 'note_refusals', 'migrations']
    const rows = await Promise.all(
      tables.map((table) => service.database.query(`select t::text as row from ${table} t`)),
    )
    const haystack = [...bodies, JSON.stringify(rows), service.log()].join('\n')
    expect(haystack).toContain(id)
    for (const needle of [secret, rotated, adminToken, signerKey, signerKey.slice(2)]) {
      expect(haystack.includes(needle)).toBe(false)
    }
  })

  test('error: a key is rejected outside its networks, on every path, and a change is in force at once', async () => {
    const { id, secret } = await createKey(service, { allow: ['203.0.113.0/24', '2001:db8::/32'] })
    const refused = await service.call('/notes', { headers: { 'x-api-key': secret, 'x-forwarded-for': '203.0.113.7' } })
    expect([refused.status, refused.json().code]).toEqual([403, 'address_not_allowed'])
    expect(refused.body).not.toContain('127.0.0.1')
    const data = { 'x-api-key': secret, 'content-type': 'application/json' }
    expect((await service.call('/data', { method: 'POST', headers: data, body: '{}' })).status).toBe(403)
    await post(service, `/keys/${id}/update`, { allow: ['127.0.0.0/8'] })
    expect(await statusWith(service, secret)).toBe(200)
    expect((await post(service, `/keys/${id}/update`, {})).status).toBe(400)
    expect((await post(service, '/keys/key_nowhere/update', { rpm: 1 })).json().code).toBe('key_not_found')
    const { entries } = (await service.admin('/audit')).json()
    expect(entries[0]).toMatchObject({ action: 'key.update', subject: id, details: { allow: ['127.0.0.0/8'] } })
  })

  test('error: more requests within a second than the burst are rejected for a second', async () => {
    const { secret } = await createKey(service, { rpm: 100, burst: 3 })
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => service.call('/notes', { headers: { 'x-api-key': secret } })),
    )
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThanOrEqual(1)
    expect(refused[0]?.json()).toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('3 requests a second'),
    })
    expect(refused[0]?.headers).toMatchObject({ 'retry-after': '1', ratelimit: '"burst";r=0;t=1' })
    expect(answers[0]?.headers['ratelimit-policy']).toBe('"default";q=100;w=60, "burst";q=3;w=1')
    await expect.poll(() => statusWith(service, secret)).toBe(200)
  })

  test('behavior: a rotation does not reset the rate limit, and grace never extends an expiry', async () => {
    service.clock.hold(Date.parse(noon))
    const { id, secret } = await createKey(service, { rpm: 2 })
    await statusWith(service, secret)
    await statusWith(service, secret)
    const first = (await post(service, `/keys/${id}/rotate`, { graceSeconds: 60 })).json()
    expect(await statusWith(service, first.secret)).toBe(429)
    await post(service, `/keys/${id}/rotate`, { graceSeconds: 86_400 })
    service.clock.hold(Date.parse(noon) + 60_000)
    expect(await statusWith(service, secret)).toBe(403)
    expect(await statusWith(service, first.secret)).toBe(429)
  })

  test('behavior: keys stay in force while the database is unavailable', async () => {
    const { secret } = await createKey(service)
    await service.database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    )
    expect(await statusWith(service, secret)).toBe(200)
  })
})
