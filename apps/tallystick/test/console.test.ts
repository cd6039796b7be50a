// @module-tag server

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Finding } from '@tallystick/core'
import { addKeyUsage, listKeyUsage } from '@tallystick/keys'
import { findFreePort } from '@tallystick/workbench/free-port'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  coupons,
  createDeferrals,
  createKey,
  newDatabase,
  start,
  type TestService,
} from '../../../packages/service/test/harness.ts'
import { prepareSite, serveHere, tallystick, tallystickAsked } from './process.ts'

const at = '2026-11-14T12:00:00-05:00'
const tokens = {
  vi: 'token-of-vi-who-looks',
  bo: 'token-of-bo-with-curves',
  mo: 'token-of-mo-metrics',
  ho: 'token-of-ho-with-hooks',
}
const pageText = '<!doctype html><title>console</title>'
const rails = { maxMoveBps: 100, fourEyesAboveBps: 50 }

let service: TestService

beforeAll(async () => {
  const { defer, finish } = createDeferrals()
  const directory = mkdtempSync(join(tmpdir(), 'tallystick-console-'))
  defer(() => rmSync(directory, { recursive: true, force: true }))
  for (const folder of ['assets', 'console/assets']) mkdirSync(join(directory, folder), { recursive: true })
  writeFileSync(join(directory, 'index.html'), 'the page')
  writeFileSync(join(directory, 'console/index.html'), pageText)
  writeFileSync(join(directory, 'console/assets/console-ABC.js'), 'export {}')
  const env = { VI: tokens.vi, BO: tokens.bo, MO: tokens.mo, HO: tokens.ho }
  const named = [
    { name: 'vi', token: 'env:VI', roles: ['view'] },
    { name: 'bo', token: 'env:BO', roles: ['curve'] },
    { name: 'mo', token: 'env:MO', roles: ['metrics'] },
    { name: 'ho', token: 'env:HO', roles: ['view', 'hooks'] },
  ]
  const config = { admin: { port: 0, token: 'env:ADMIN_TOKEN', tokens: named }, rails }
  const databaseUrl = await newDatabase('postgres', defer)
  service = await start({ databaseUrl, at, env, config, portal: { directory } }, defer)
  return finish
})

function post(path: string, body: object, token?: string) {
  return service.admin(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  })
}

const as = (token: string, path: string) => service.admin(path, { headers: { authorization: `Bearer ${token}` } })

describe('the files of the console', () => {
  test('default: need no token, run no foreign code and are isolated from other origins', async () => {
    for (const path of ['/console', '/console/']) {
      const answer = await service.admin(path, { headers: { authorization: '' } })
      expect([answer.status, answer.body]).toEqual([200, pageText])
      expect(answer.headers).toMatchObject({
        'content-security-policy': expect.stringMatching(
          /^default-src 'none'; script-src 'self';.*frame-ancestors 'none'$/,
        ),
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-cache',
      })
    }
    const asset = await service.admin('/console/assets/console-ABC.js', { headers: { authorization: '' } })
    expect([asset.status, asset.headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable'])
    expect((await service.admin('/console/assets/..%2findex.html')).status).toBe(404)
  })

  test.each([
    '/console',
    '/console/',
    '/console/assets/console-ABC.js',
    '/assets/console-ABC.js',
    '/console/index.html',
  ])('error: the public listener has no %s', async (path) => {
    expect((await service.call(path)).status).toBe(404)
  })

  test.each([
    ['127.0.0.1:9464', 200],
    ['[::1]:9464', 200],
    ['localhost', 200],
    ['LOCALHOST:9464', 200],
    ['ops.localhost:9464', 200],
    ['rebound.example:9464', 400],
    ['127.0.0.1.rebound.example', 400],
    ['localhost.rebound.example', 400],
    ['notlocalhost', 400],
  ])('error: a name that may have been rebound: %s gets %i', async (host, status) => {
    for (const path of ['/console', '/console/assets/console-ABC.js']) {
      const answer = await service.admin(path, { headers: { host } })
      expect([path, answer.status]).toEqual([path, status])
      expect(answer.body.includes('not served under the name')).toBe(status === 400)
    }
  })
})

describe('tokens', () => {
  test('default: /whoami names the token and its roles, and nothing is stored by a browser', async () => {
    const answer = await service.admin('/whoami')
    expect(answer.json()).toEqual({ name: 'admin', roles: ['all'], isSandbox: false })
    expect(answer.headers['cache-control']).toBe('no-store')
    expect((await as(tokens.vi, '/whoami')).json()).toMatchObject({ name: 'vi', roles: ['view'] })
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
  })

  test('error: a wrong token gets one text for all, and no cookie is accepted instead', async () => {
    const wrong = await Promise.all(
      [
        { authorization: `Bearer ${tokens.vi}x` },
        { authorization: '' },
        { authorization: '', cookie: `token=${tokens.vi}` },
      ].map(async (headers) => {
        const { status, body } = await service.admin('/whoami', { headers })
        return [status, JSON.parse(body).message]
      }),
    )
    expect(wrong).toEqual(Array.from({ length: 3 }, () => [401, expect.stringMatching(/^Send an admin token/)]))
    expect(new Set(wrong.map(([, message]) => message)).size).toBe(1)
  })

  test('behavior: a viewer reads everything and changes nothing', async () => {
    const reads = [
      '/status',
      '/readyz',
      '/metrics',
      '/keys',
      '/keys/usage',
      '/curve',
      '/notes',
      '/hooks',
      '/index',
      '/audit',
    ]
    for (const path of reads) expect([path, (await as(tokens.vi, path)).status]).toEqual([path, 200])
    const before = (await service.admin('/audit')).body
    const changes = [
      '/keys',
      '/keys/key_0123456789ab/revoke',
      '/keys/key_0123456789ab/rotate',
      '/keys/key_0123456789ab/update',
      '/curve',
      '/curve/proposals/1/approve',
      '/notes/discard',
      '/notes/reconcile',
      '/hooks',
      '/hooks/hook_1/test',
      '/hooks/hook_1/remove',
      '/index/rebuild',
    ]
    for (const path of changes) {
      const answer = await post(path, {}, tokens.vi)
      expect([path, answer.status, answer.json().code]).toEqual([path, 403, 'insufficient_role'])
    }
    expect((await service.admin('/audit')).body).toBe(before)
    expect((await post('/curve/preview', { points: coupons }, tokens.vi)).status).toBe(200)
    expect((await post('/curve/preview', { points: coupons }, tokens.mo)).status).toBe(403)
    expect((await post('/index/check', { chainId: 324 }, tokens.vi)).json().message).toContain('no embedded index')
    expect((await post('/index/check', { chainId: 324 }, tokens.mo)).status).toBe(403)
  })
})

test('behavior: a viewer sees the host of a webhook, and neither path nor query, which may contain a token', async () => {
  const urls = ['https://receiver.example/hooks/path-token?key=query-token', 'https://other.example:8443']
  for (const url of urls) expect((await post('/hooks', { url, types: ['notes'] })).status).toBe(200)
  const seenBy = async (token: string) => {
    const answer = await as(token, '/hooks')
    return answer.json().hooks.map(({ url }: { url: string }) => url)
  }
  const admin = (await service.admin('/hooks')).json().hooks
  expect(admin.map(({ url }: { url: string }) => url).toSorted()).toEqual(urls.toSorted())
  expect(await seenBy(tokens.vi)).toEqual(
    admin.map(({ url }: { url: string }) =>
      url === urls[0] ? 'https://receiver.example/…?…' : 'https://other.example:8443/',
    ),
  )
  expect((await seenBy(tokens.ho)).toSorted()).toEqual(urls.toSorted())
  // Nothing else that a viewer reads has them.
  const reads = ['/status', '/readyz', '/metrics', '/hooks', '/audit', `/hooks/${admin[0].id}/deliveries`]
  for (const path of reads) expect((await as(tokens.vi, path)).body).not.toMatch(/path-token|query-token/)
  for (const { id } of admin) await post(`/hooks/${id}/remove`, {})
})

describe('usage of keys', () => {
  test('default: counts the requests of a key by day and endpoint, of every replica, also after its revocation', async () => {
    const { id, secret } = await createKey(service, { name: 'counted' })
    const usageOf = async (query = '') => {
      const report = (await service.admin(`/keys/usage${query}`)).json()
      return { days: report.days, key: report.keys.find((key: { id: string }) => key.id === id) }
    }
    expect((await usageOf()).key).toMatchObject({ name: 'counted', total: 0, lastUsedAt: null })
    for (let count = 0; count < 3; count++) await service.call('/notes', { headers: { 'x-api-key': secret } })
    await service.call('/rate', { headers: { 'x-api-key': secret } })
    const { days, key } = await usageOf()
    expect([days.length, days[0], days.at(-1)]).toEqual([30, '2026-10-16', '2026-11-14'])
    expect(key).toMatchObject({ total: 4, byScope: { notes: 3, data: 0, rate: 1 } })
    expect([key.requests.length, key.requests.at(-1)]).toEqual([30, 4])
    expect((await usageOf()).key.total).toBe(4)

    const today = Math.floor(Date.parse(at) / 86_400_000)
    const other = { keyId: id, scope: 'notes', requests: 10 } as const
    const usage = [0, 1, 29, 30, 90].map((age) => ({ ...other, hour: (today - age) * 24 }))
    await addKeyUsage(service.database, usage, today * 24)
    expect((await usageOf()).key).toMatchObject({ total: 34, byScope: { notes: 33, data: 0, rate: 1 } })
    expect((await usageOf('?days=2')).key.requests).toEqual([10, 14])
    expect((await usageOf('?days=90')).key.total).toBe(44)
    // Days that are no longer kept are deleted.
    expect((await listKeyUsage(service.database, today - 90)).filter(({ day }) => day === today - 90)).toEqual([])

    await service.call('/notes', { headers: { 'x-api-key': secret } })
    await post(`/keys/${id}/revoke`, {})
    expect((await usageOf('?days=1')).key.total).toBe(15)
  })

  test.each(['0', '91', '-1', '1.5', 'x', ''])('error: days=%s is rejected', async (days) => {
    const answer = await service.admin(`/keys/usage?days=${days}`)
    expect([answer.status, answer.json().code]).toEqual([400, 'invalid_parameter'])
  })
})

describe('preview of a curve', () => {
  const moved = (bps: number) => ({ 7: coupons[7] + bps, 14: coupons[14], 30: coupons[30] })
  const preview = async (body: object) => (await post('/curve/preview', body)).json()

  test('default: shows the change of each tenor, the ranges of the rails and the boundary', async () => {
    const report = await preview({ points: moved(20) })
    expect(report).toMatchObject({
      verdict: 'store',
      needsApproval: false,
      effectiveFrom: '2026-11-14T23:00:00Z',
      effectiveFromNewYork: expect.stringContaining('18:00'),
    })
    const [chain] = report.chains
    expect(chain).toMatchObject({ chainId: 324, name: 'zkSync Era', refusal: null, canConfirm: true, warning: null })
    expect(
      chain.tenors.map((tenor: Record<string, unknown>) => [tenor['beforeBps'], tenor['afterBps'], tenor['changeBps']]),
    ).toEqual([
      [369, 389, 20],
      [365, 365, 0],
      [362, 362, 0],
    ])
    expect(chain.tenors[0].bounds).toContainEqual({
      rail: 'rails.maxMoveBps',
      lowestBps: 269,
      highestBps: 469,
      canConfirm: true,
    })
  })

  test.each([
    [50, false, 'store', { curve: expect.anything() }],
    [51, false, 'propose', { proposal: expect.anything() }],
    [100, false, 'propose', { proposal: expect.anything() }],
    [101, false, 'confirm', { code: 'rail_refused' }],
    [101, true, 'propose', { proposal: expect.anything() }],
    [700, true, 'refuse', { code: 'rail_refused' }],
  ])(
    'behavior: a move of %i bps, confirmed %s, has the verdict %s, and setting it does just that',
    async (bps, confirm, verdict, result) => {
      const request = { points: moved(bps), confirm }
      const before = (await service.admin('/curve')).json()
      const report = await preview(request)
      expect(report.verdict).toBe(verdict)
      expect((await service.admin('/curve')).json()).toEqual(before)
      expect(
        (await post('/curve', { ...request, effectiveFrom: report.effectiveFrom }, tokens.bo)).json(),
      ).toMatchObject(result)
    },
  )

  test.each([
    [{}, 'points'],
    [{ points: {} }, '7 days has no coupon'],
    [{ points: { 7: 1.5, 14: 1, 30: 1 } }, 'not a positive whole number'],
    [{ points: { 8: 1 }, chainId: 324 }, 'not a configured tenor'],
    [{ points: coupons, chainId: 1 }, 'Chain 1 is not configured'],
    [{ points: coupons, more: 1 }, 'Nothing was changed'],
    [{ points: coupons, effectiveFrom: 'soon' }, 'effectiveFrom'],
  ])('error: %j is rejected', async (body, text) => {
    const answer = await post('/curve/preview', body)
    expect([answer.status, answer.json().code]).toEqual([400, 'invalid_curve'])
    expect(answer.json().message).toContain(text)
  })

  test('error: a curve is not stored for another boundary than that of its preview', async () => {
    const { history } = (await service.admin('/curve')).json()
    const answer = await post('/curve', { points: coupons, effectiveFrom: '2026-11-14T05:00:00Z' })
    expect([answer.status, answer.json().code]).toEqual([400, 'invalid_curve'])
    expect(answer.json().message).toContain('Preview it again.')
    expect((await service.admin('/curve')).json().history).toEqual(history)
  })

  test('error: a preview confirms no other curve, and none after the curve that it replaces has changed', async () => {
    const { digest } = await preview({ points: moved(8) })
    const history = async () => (await service.admin('/curve')).json().history
    const before = await history()
    const others = [
      { points: moved(0), confirm: true, preview: digest },
      { points: moved(8), chainId: 324, preview: digest },
      { points: moved(8), preview: '' },
    ]
    for (const other of others) {
      const answer = await post('/curve', other)
      expect([answer.status, answer.json().code]).toEqual([400, 'invalid_curve'])
      expect(answer.json().message).toContain('differs from the preview that you saw')
    }
    expect(await history()).toEqual(before)

    expect((await post('/curve', { points: moved(9) })).status).toBe(200)
    const late = await post('/curve', { points: moved(8), confirm: true, preview: digest })
    expect([late.status, late.json().code]).toEqual([400, 'invalid_curve'])
    expect((await history())[0].points).toEqual(moved(9))

    const again = await preview({ points: moved(8) })
    const stored = await post('/curve', { points: moved(8), preview: again.digest })
    expect(stored.json()).toMatchObject({ curve: { points: moved(8) } })
  })
})

test('default: /status has the periods and the chains, and words for what is wrong', async () => {
  const status = (await as(tokens.mo, '/status')).json()
  expect(status).toMatchObject({
    now: '2026-11-14T17:00:00Z',
    ready: true,
    boundary: '2026-11-14T23:00:00Z',
    chains: [{ chainId: 324, name: 'zkSync Era', notes: 3, isNextSigned: false, poolProblems: null, index: null }],
  })
  const waiting = status.findings.filter(({ message }: Finding) => message.startsWith('proposal'))
  expect(waiting).toContainEqual({
    severity: 'warn',
    subject: 'curve',
    message: expect.stringMatching(/^proposal \d+ of bo is not in force$/),
    remedy: expect.stringContaining('second person'),
  })
})

test('default: the command line shows status, usage and previews, and says what a stopped service cannot tell', async () => {
  const port = await findFreePort()
  const site = await prepareSite({
    databaseUrl: await newDatabase(),
    config: { admin: { port, token: 'env:ADMIN_TOKEN' } },
  })
  const points = Object.entries(coupons).map(([tenor, bps]) => `${tenor}=${bps}`)
  const stopped = await tallystick(site, 'status')
  expect([stopped.exitCode, stopped.stderr]).toEqual([4, expect.stringContaining('No service runs')])
  await tallystick(site, 'curve', 'set', ...points)
  await tallystick(site, 'keys', 'create', '--name', 'Wallet')
  const idle = await tallystick(site, 'keys', 'usage', '--days', '2')
  expect(idle.stdout).toMatch(
    /^Requests since \d{4}-\d\d-\d\d \(UTC\)\nID .*TODAY +TOTAL.*\nkey_\w+ +Wallet +0 +0 .*never\n$/,
  )
  await serveHere(site, onTestFinished as never)
  const status = await tallystick(site, 'status')
  expect([status.exitCode, status.stdout]).toEqual([
    0,
    expect.stringMatching(/^Service time .*, ready\n\nNow .*\n\nNo problems\./),
  ])
  const kept = await tallystick(site, 'curve', 'set', '--dry-run', '7=379', '14=365', '30=362')
  expect([kept.exitCode, kept.stdout]).toEqual([
    0,
    expect.stringMatching(/ 7 days +369 bps +379 bps +\+10 +269 to 469\n/),
  ])
  expect(kept.stdout).toContain('It would be stored. Nothing was stored.')
  const far = await tallystick(site, 'curve', 'set', '--dry-run', '7=500', '14=365', '30=362', '--json')
  expect([far.exitCode, JSON.parse(far.stdout).verdict]).toEqual([1, 'confirm'])
  expect(JSON.parse((await tallystick(site, 'curve', 'show', '--json')).stdout).history).toHaveLength(1)

  const next = ['curve', 'set', '7=371', '14=365', '30=362']
  const overtaken = await tallystickAsked(site, next, () =>
    tallystick(site, 'curve', 'set', '7=372', '14=365', '30=362', '--confirm'),
  )
  expect([overtaken.exitCode, overtaken.stderr]).toEqual([
    1,
    expect.stringContaining('another curve was set since then'),
  ])
  const stored = await tallystickAsked(site, next, async () => undefined)
  expect([stored.exitCode, stored.stdout]).toEqual([0, expect.stringContaining('is stored and in force from')])
  const [last, before] = JSON.parse((await tallystick(site, 'curve', 'show', '--json')).stdout).history
  expect([last.points[7], before.points[7]]).toEqual([371, 372])
})
