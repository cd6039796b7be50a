// @module-tag postgres

import { addKeyUsage } from '@tallystick/keys'
import { beforeAll, expect, test } from 'vitest'
import { createDeferrals, createKey, newDatabase, start, type TestService } from './harness.ts'

const noon = '2026-11-15T17:00:00Z'
const admin = { port: 0, token: 'env:ADMIN_TOKEN', tokens: [{ name: 'vi', token: 'env:VIEW_TOKEN', roles: ['view'] }] }
const viewToken = 'a-token-that-only-reads'
let service: TestService
let replica: TestService

beforeAll(async () => {
  const { defer, finish } = createDeferrals()
  const setting = { databaseUrl: await newDatabase('postgres', defer), at: noon, env: { VIEW_TOKEN: viewToken } }
  service = await start({ ...setting, config: { admin } }, defer)
  replica = await start({ ...setting, config: { admin } }, defer)
  return finish
})

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  service.admin(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })
const asViewer = { authorization: `Bearer ${viewToken}` }
const statusOn = async (on: TestService, { secret, path = '/notes' }: { secret: string; path?: string }) =>
  (await on.call(path, { headers: { 'x-api-key': secret } })).status
const lastChange = async () => (await service.admin('/audit?limit=1')).json().entries[0]

test('default: name, scopes, limits and expiry of a key are changed in place, on every replica, and audited', async () => {
  const { id, secret } = await createKey(service, { name: 'Wallet' })
  await expect.poll(() => statusOn(replica, { secret, path: '/rate' })).toBe(200)
  const { revision } = (await service.admin(`/keys/${id}`)).json().key
  const changes = {
    name: ' Purse ',
    scopes: ['notes', 'notes'],
    rpm: 60,
    quotaPerDay: 5,
    expiresAt: '2026-11-15T18:00:00Z',
  }
  const answer = (await post(`/keys/${id}/update`, { ...changes, revision, waitMs: 5_000 })).json()
  expect(answer.key).toMatchObject({
    ...{ name: 'Purse', scopes: ['notes'], rpm: 60, quotaPerDay: 5, burst: null, allow: null, status: 'active' },
    expiresAt: '2026-11-15T18:00:00Z',
  })
  expect(answer.replicas).toMatchObject({ confirmed: expect.any(Array), unconfirmed: [] })
  expect(answer.replicas.confirmed).toHaveLength(2)
  for (const on of [service, replica]) {
    expect([await statusOn(on, { secret }), await statusOn(on, { secret, path: '/rate' })]).toEqual([200, 403])
  }
  expect(await lastChange()).toMatchObject({
    action: 'key.update',
    subject: id,
    details: { name: 'Wallet', newName: 'Purse', scopes: ['notes'], rpm: 60, expiresAt: '1794765600' },
  })
  replica.clock.hold(Date.parse('2026-11-15T18:00:00Z'))
  expect(await statusOn(replica, { secret })).toBe(403)
  replica.clock.hold(Date.parse(noon))
  expect((await post(`/keys/${id}/update`, { expiresAt: null })).json().key.expiresAt).toBe(null)
})

test('error: of two people who change a key at once, the second is told and changes nothing', async () => {
  const { id } = await createKey(service, { name: 'Contested' })
  const { revision } = (await service.admin(`/keys/${id}`)).json().key
  const answers = await Promise.all([10, 20, 30].map((rpm) => post(`/keys/${id}/update`, { rpm, revision })))
  const won = answers.filter(({ status }) => status === 200)
  expect(won).toHaveLength(1)
  for (const answer of answers.filter(({ status }) => status !== 200)) {
    expect([answer.status, answer.json().code]).toEqual([409, 'key_changed'])
  }
  const { key } = (await service.admin(`/keys/${id}`)).json()
  expect(key.rpm).toBe(won[0]?.json().key.rpm)
  // A use of the key is not a change of it.
  expect((await post(`/keys/${id}/update`, { rpm: 40, revision: key.revision })).status).toBe(200)
  await post(`/keys/${id}/rotate`, {})
  expect((await post(`/keys/${id}/update`, { rpm: 50, revision: key.revision })).json().code).toBe('key_changed')
})

test('error: a viewer changes nothing, and a change that is not valid is refused as a whole', async () => {
  const { id } = await createKey(service, { name: 'Strict', rpm: 7 })
  expect((await post(`/keys/${id}/update`, { rpm: 1 }, asViewer)).json().code).toBe('insufficient_role')
  expect((await service.admin(`/keys/${id}`, { headers: asViewer })).json().key.name).toBe('Strict')
  const bad: object[] = [
    ...[{}, { revision: '1' }, { waitMs: 1 }, { rpm: 9, name: '' }, { rpm: 9, name: 'a\nb' }, { rpm: 9, scopes: [] }],
    ...[
      { rpm: 9, scopes: ['admin'] },
      { rpm: 9, expiresAt: noon },
      { rpm: 9, expiresAt: 'soon' },
      { rpm: 9, kind: 'test' },
    ],
    ...[
      { rpm: 9, revision: 1 },
      { rpm: 9, revision: 'x' },
      { rpm: 9, revision: '9'.repeat(40) },
      { rpm: 9, id: 'x' },
    ],
  ]
  for (const body of bad) {
    const answer = await post(`/keys/${id}/update`, body)
    expect([body, answer.status, answer.json().code]).toEqual([body, 400, 'invalid_key_request'])
  }
  expect((await service.admin(`/keys/${id}`)).json().key).toMatchObject({ name: 'Strict', rpm: 7 })
  for (const wrong of ['key_nowhere', '%00', "';--"]) {
    expect((await service.admin(`/keys/${wrong}`)).json().code).toBe('key_not_found')
  }
})

test('default: a key has its use by hour and endpoint, of every replica', async () => {
  const { id, secret } = await createKey(service, { quotaPerDay: 100 })
  const report = async () => (await service.admin(`/keys/${id}`)).json()
  const { hours, byScope } = await report()
  expect([hours.length, hours[0], hours.at(-1)]).toEqual([48, '2026-11-13T18:00:00Z', '2026-11-15T17:00:00Z'])
  expect(byScope).toEqual({ notes: Array(48).fill(0), data: Array(48).fill(0), rate: Array(48).fill(0) })
  for (const path of ['/notes', '/notes', '/rate']) await statusOn(service, { secret, path })
  service.clock.hold(Date.parse(noon) + 3_600_000)
  await statusOn(service, { secret })
  const thisHour = Date.parse(noon) / 3_600_000 + 1
  const other = { keyId: id, scope: 'data', requests: 10 } as const
  const ages = [0, 47, 48, 100].map((age) => ({ ...other, hour: thisHour - age }))
  await addKeyUsage(service.database, ages, thisHour)
  const next = await report()
  expect(next.hours.at(-1)).toBe('2026-11-15T18:00:00Z')
  expect(next.byScope.notes.slice(-3)).toEqual([0, 2, 1])
  expect(next.byScope.rate.slice(-3)).toEqual([0, 1, 0])
  expect([next.byScope.data[0], next.byScope.data.at(-1)]).toEqual([10, 10])
  expect(next.quotas.day).toMatchObject({ allowed: 100 })
  // The days have all of them. Hours that are no longer kept are deleted.
  const { keys } = (await service.admin('/keys/usage?days=90')).json()
  expect(keys.find((key: { id: string }) => key.id === id).total).toBe(44)
  const [kept] = await service.database.query('select min(hour) as first from api_key_hours where key_id = $1', [id])
  expect(kept).toEqual({ first: thisHour - 47 })
  service.clock.hold(Date.parse(noon))
})

test('default: the audit is filtered by who, what and when, and has failed sign-ins of this minute', async () => {
  const { id } = await createKey(service, { name: 'Audited' })
  await post(`/keys/${id}/revoke`, {}, { 'tallystick-by': 'Alice%20A' })
  const list = async (query: string) => (await service.admin(`/audit?${query}`)).json().entries
  const actions = async (query: string) => (await list(query)).map(({ action }: { action: string }) => action)
  expect(await actions(`subject=${id}`)).toEqual(['key.revoke', 'key.create'])
  expect(await actions(`subject=${id}&action=key`)).toEqual(['key.revoke', 'key.create'])
  expect(await actions(`subject=${id}&action=key.create`)).toEqual(['key.create'])
  expect(await actions(`subject=${id}&action=ke`)).toEqual([])
  expect(await actions(`subject=${id}&by=alice`)).toEqual(['key.revoke'])
  expect(await actions(`subject=${id}&by=ADMIN`)).toEqual(['key.revoke', 'key.create'])
  expect(await actions(`subject=${id}&by=%25`)).toEqual([])
  const [revoked, created] = await list(`subject=${id}`)
  expect(await actions(`subject=${id}&since=${revoked.at}`)).toEqual(['key.revoke'])
  expect(await actions(`subject=${id}&until=${revoked.at}`)).toEqual(['key.create'])
  expect(created.details.secret).toMatch(/^tsk_live_…\w{4}$/)
  for (const query of ['action=K', "action=key'", 'since=today', 'by=', 'actor=x', 'limit=0', 'limit=x', 'by=%00']) {
    expect([query, (await service.admin(`/audit?${query}`)).status]).toEqual([query, 400])
  }
  const wrong = { headers: { authorization: 'Bearer not-a-token' } }
  for (const on of [service, replica, replica]) await on.admin('/status', wrong)
  const signIns = await list('action=admin.token')
  expect(signIns).toMatchObject([{ actor: 'unknown', subject: '127.0.0.1', details: { failures: 1 } }])
  expect(await list('action=admin.token')).toEqual(signIns)
  // The other replica writes its own, at its next look or within a minute.
  await replica.admin('/audit?action=admin.token')
  expect((await list('action=admin.token'))[0].details).toEqual({ failures: 2 })
  expect(JSON.stringify(await list('action=admin.token'))).not.toContain('not-a-token')
})
