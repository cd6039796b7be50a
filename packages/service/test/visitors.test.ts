// @module-tag server

import { createHmac } from 'node:crypto'
import { type Database, openDatabase } from '@tallystick/database'
import { namespaceOf } from '@tallystick/gateway'
import { openSubgraph, protocolSchema } from '@tallystick/subgraph'
import { type Answer, type SendOptions, sendRequest } from '@tallystick/workbench/send-request'
import { waitOptions } from '@tallystick/workbench/wait-options'
import { beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { atMost } from '../../base/test/test-time.ts'
import { startFakeSubgraph } from './fake-subgraph.ts'
import { chain324, createDeferrals, createKey, newDatabase, pool, start, type TestService } from './harness.ts'

const { defer, finish } = createDeferrals()
const at = '2026-11-13T12:00:00-05:00'
const atMs = Date.parse(at)
const origin = 'https://notes.example'
/** What a browser sends with the requests of the page, through a proxy that passes on the host. */
const page = { host: 'notes.example', origin, 'sec-fetch-site': 'same-origin', 'x-forwarded-proto': 'https' }
const requestsPerMinute = 40
const wallet = `0x${'11'.repeat(20)}`
let databaseUrl: string
let database: Database
let replicas: readonly [TestService, TestService]
let setting: Parameters<typeof start>[0]
/** Time of the limits. It stands still, so that no minute of a limit ends in a test. */
let virtualMs = 0
let address = ''
let addresses = 0

beforeAll(async () => {
  databaseUrl = await newDatabase('postgres', defer)
  const fake = await startFakeSubgraph({ answer: () => ({ positionInfos: [{ tokenId: '8' }] }) }, defer)
  database = await openDatabase(databaseUrl)
  defer(() => database.close())
  const namespace = namespaceOf({ id: 324, domain: { verifyingContract: pool } })
  const subgraph = await openSubgraph({ database, schema: protocolSchema, namespace })
  const amounts = { activePrincipal: '1', totalPrincipal: '1', totalIncome: '0', totalFees: '0' }
  const account = { activePositions: 3, denylisted: false, denylistedBy: [], ...amounts }
  await subgraph.commit({ number: 7, hash: '0x07', parentHash: '0x06', timestamp: Math.floor(atMs / 1000) }, [
    { entity: 'Account', id: wallet, set: account },
  ])
  const config = {
    listen: { host: '127.0.0.1', port: 0, proxy: { trust: ['127.0.0.1'] } },
    portal: { visitors: { requestsPerMinute } },
    // Nothing listens at its RPC, so the index does not change.
    chains: [
      { ...chain324, rpc: ['http://127.0.0.1:1'], subgraph: { embedded: { positions: pool } } },
      { id: 10, name: 'Other', pool, subgraph: { urls: [fake.url] } },
    ],
    data: { hedgeMs: null, pollMs: 60_000 },
  }
  const time = { monotonic: () => virtualMs, waits: { limits: atMost(5), 'visitor secrets': atMost(20) } }
  const limits = { databaseShiftMs: () => atMs + virtualMs - Date.now(), onSettled: () => undefined }
  setting = { databaseUrl, at, config, time, limits }
  replicas = [await start(setting, defer), await start(setting, defer)]
  // The first keeps a share for the second from its next minute on.
  virtualMs = 120_000
  await vi.waitFor(async () => expect((await visit(replicas[1])).status).toBe(200), waitOptions)
  return finish
})

/** Each test is a client of its own. */
beforeEach(() => {
  addresses += 1
  address = `203.0.113.${addresses}`
})

const send = ({ baseUrl }: TestService, path: string, { headers, ...options }: SendOptions = {}): Promise<Answer> =>
  sendRequest(baseUrl + path, { ...options, headers: { ...page, 'x-forwarded-for': address, ...headers } })
const visit = (service: TestService, headers: SendOptions['headers'] = {}) =>
  send(service, '/portal/visit', { method: 'POST', headers })
const takeToken = async (service: TestService): Promise<string> => (await visit(service)).json().token
const use = (service: TestService, token: string, path = '/notes', options: SendOptions = {}) =>
  send(service, path, { ...options, headers: { 'x-tallystick-visitor': token, ...options.headers } })
const ask = (service: TestService, token: string, query: string, chains: readonly number[] = [324, 10]) =>
  use(service, token, '/data', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { chains } }),
  })
const codeOf = ({ status, json }: Answer) => [status, status === 200 ? undefined : json().code]

/** Signs a token as the service does, by the secret that is in the database. */
async function forge(
  more: { readonly expiresAt?: number; readonly secret?: Uint8Array; readonly origin?: string } = {},
) {
  const [row] = await database.query<{ id: string; secret: Uint8Array }>('select id, secret from visitor_secrets')
  const { expiresAt = atMs / 1000 + 60, secret = row!.secret, origin: bound = origin } = more
  const signed = `tallystick visitor\n${expiresAt}\n${bound}`
  return `v1.${row!.id}.${expiresAt}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}

test('default: the page gets a token for ten minutes, and every replica answers what the page asks', async () => {
  const [first, second] = replicas
  const answer = await visit(first)
  expect(answer.status).toBe(200)
  expect(answer.headers['cache-control']).toBe('no-store')
  const { token, expiresInSeconds } = answer.json()
  expect([expiresInSeconds, token]).toEqual([600, expect.stringMatching(/^v1\./)])
  for (const service of [second, first]) {
    for (const path of ['/notes', '/notes?chainid=324', '/rate', '/history/notes', '/history/rate']) {
      expect([path, ...codeOf(await use(service, token, path))]).toEqual([path, 200, undefined])
    }
  }
  const info = await send(first, '/portal.json')
  expect(info.json().visitors).toBe(true)
  for (const { log } of replicas) expect(log()).not.toContain(token.slice(-43))
})

test('default: a visitor’s query is answered from embedded and remote subgraphs, each chain with its block', async () => {
  const token = await takeToken(replicas[0])
  const query = `query ($id: ID!) { account(id: $id) { activePositions } }`
  const body = JSON.stringify({ query, variables: { id: wallet, chains: [324] } })
  const headers = { 'content-type': 'application/json' }
  const own = await use(replicas[0], token, '/data', { method: 'POST', headers, body })
  expect(own.json()).toEqual([{ chain: 324, data: { account: { activePositions: 3 } } }])
  const both = await ask(replicas[0], token, '{ positionInfos { tokenId } }')
  expect(both.json()).toEqual([
    { chain: 324, data: { positionInfos: [] } },
    { chain: 10, data: { positionInfos: [{ tokenId: '8' }] } },
  ])
  expect(both.headers['x-tallystick-chains']).toMatch(
    /^324;block=7;lag=0;source=embedded, 10;block=100;.*source=remote$/,
  )
  // With a key the answer is the same.
  const { secret } = await createKey(replicas[0])
  const keyed = await send(replicas[0], '/data', { method: 'POST', headers: { ...headers, 'x-api-key': secret }, body })
  expect(keyed.json()).toEqual(own.json())
})

test('error: a visitor’s query that is wrong, or too long, is rejected in words', async () => {
  const token = await takeToken(replicas[0])
  const unknown = await ask(replicas[0], token, '{ nothing }', [324])
  expect(unknown.json()).toEqual([
    { chain: 324, data: null, errors: [expect.objectContaining({ message: expect.stringContaining('nothing') })] },
  ])
  expect(codeOf(await ask(replicas[0], token, '{ nothing }', []))).toEqual([400, 'invalid_chains'])
  expect(codeOf(await ask(replicas[0], token, 'mutation { x }', [10]))).toEqual([400, 'query_rejected'])
  const long = `{ positionInfos { tokenId ${' '.repeat(4_000)} } }`
  expect(codeOf(await ask(replicas[0], token, long))).toEqual([403, 'visitor_not_allowed'])
})

test('error: what the page does not do needs a key', async () => {
  const token = await takeToken(replicas[0])
  const body = JSON.stringify({ query: '{ pools { id } }', variables: { chains: [324] } })
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
  expect(codeOf(await use(replicas[0], token, '/events'))).toEqual([403, 'visitor_not_allowed'])
  expect(codeOf(await use(replicas[0], token, '/graphql', post))).toEqual([403, 'visitor_not_allowed'])
  expect(codeOf(await use(replicas[0], token, '/data/324', post))[0]).toBe(403)
  expect(codeOf(await use(replicas[0], token, '/notes', { method: 'DELETE' }))).toEqual([403, 'invalid_api_key'])
})

test('error: a token is not a key, and never helps a bad key', async () => {
  const token = await takeToken(replicas[0])
  const asKey = await send(replicas[0], '/notes', { headers: { 'x-api-key': token } })
  expect(codeOf(asKey)).toEqual([403, 'invalid_api_key'])
  const both = await use(replicas[0], token, '/notes', { headers: { 'x-api-key': 'tsk_live_wrong' } })
  expect(codeOf(both)).toEqual([403, 'invalid_api_key'])
  const { secret } = await createKey(replicas[0])
  expect(codeOf(await use(replicas[0], secret))).toEqual([403, 'visitor_token_invalid'])
  expect(codeOf(await use(replicas[0], 'wrong', '/notes', { headers: { 'x-api-key': secret } }))[0]).toBe(200)
  for (const { log } of replicas) expect(log()).not.toContain(secret)
})

test('error: a forged or damaged token is refused, all of them with one text', async () => {
  const good = await forge()
  expect(codeOf(await use(replicas[0], good))[0]).toBe(200)
  const [version, id, expiry, signature] = good.split('.') as [string, string, string, string]
  const header = Buffer.from('{"alg":"none"}').toString('base64url')
  const forged = [
    await forge({ secret: new Uint8Array(32) }),
    await forge({ origin: 'https://evil.example' }),
    // A clock that was wrong once must not have made a token for years.
    await forge({ expiresAt: atMs / 1000 + 86_400 }),
    `${version}.${id}.${Number(expiry) + 1}.${signature}`,
    `${version}.0000000000000000.${expiry}.${signature}`,
    `v0.${id}.${expiry}.${signature}`,
    `${version}.${id}.${expiry}.`,
    `${header}.${id}.`,
    good.slice(0, -1),
    good.toUpperCase(),
    `${good}, ${good}`,
    'x'.repeat(10_000),
  ]
  const messages = new Set<string>()
  for (const token of forged) {
    const answer = await use(replicas[0], token)
    expect([token.slice(0, 60), ...codeOf(answer)]).toEqual([token.slice(0, 60), 403, 'visitor_token_invalid'])
    messages.add(answer.json().message)
    expect(answer.body).not.toContain(token.slice(-20) || 'v1')
  }
  expect(messages.size).toBe(1)
})

test('error: a token expires, with tolerance for the clocks of two replicas', async () => {
  const ends = (leftSeconds: number) => forge({ expiresAt: atMs / 1000 + leftSeconds })
  expect(codeOf(await use(replicas[1], await ends(-59)))[0]).toBe(200)
  expect(codeOf(await use(replicas[1], await ends(-60)))).toEqual([403, 'visitor_token_expired'])
  expect(codeOf(await use(replicas[1], await ends(660)))[0]).toBe(200)
})

test('error: neither token nor visit works from another origin', async () => {
  const token = await takeToken(replicas[0])
  const foreign = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://notes.example' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { host: 'other.example' },
  ]
  for (const headers of foreign) {
    expect([headers, ...codeOf(await use(replicas[0], token, '/notes', { headers }))]).toEqual([
      headers,
      403,
      'visitor_not_allowed',
    ])
    expect([headers, ...codeOf(await visit(replicas[0], headers))]).toEqual([headers, 403, 'visitor_not_allowed'])
  }
  // A page that is served under another name of the same service has tokens of its own.
  const other = { host: 'other.example', origin: 'https://other.example' }
  expect(codeOf(await use(replicas[0], token, '/notes', { headers: other }))).toEqual([403, 'visitor_token_invalid'])
  expect((await visit(replicas[0], other)).status).toBe(200)
  const silent = { host: page.host, 'x-forwarded-proto': 'https', 'x-forwarded-for': address }
  const byProgram = await sendRequest(`${replicas[0].baseUrl}/portal/visit`, { method: 'POST', headers: silent })
  expect(codeOf(byProgram)).toEqual([403, 'visitor_not_allowed'])
})

test('error: CORS never lets a page of another origin send the header', async () => {
  const listen = { ...(setting.config?.['listen'] as object), cors: ['https://app.example'] }
  const service = await start({ ...setting, config: { ...setting.config, listen } })
  const asking = {
    origin: 'https://app.example',
    'access-control-request-method': 'GET',
    'sec-fetch-site': 'cross-site',
  }
  const headers = { ...asking, 'access-control-request-headers': 'x-tallystick-visitor' }
  for (const path of ['/notes', '/data', '/portal/visit']) {
    const preflight = await send(service, path, { method: 'OPTIONS', headers })
    expect(String(preflight.headers['access-control-allow-headers'])).not.toContain('visitor')
  }
  const refused = await visit(service, { origin: 'https://app.example' })
  expect([...codeOf(refused), refused.headers['access-control-allow-origin']]).toEqual([
    403,
    'visitor_not_allowed',
    undefined,
  ])
})

test('error: the limit is that of the address on all replicas together, for every holder of the token', async () => {
  const token = await takeToken(replicas[0])
  const answers: Answer[] = []
  // Each replica waits for its share of the rest.
  await vi.waitFor(
    async () => {
      for (const service of replicas) answers.push(await use(service, token))
      const last = answers.slice(-2).map(({ status, headers }) => status === 429 && Number(headers['retry-after']) > 1)
      expect(last).toEqual([true, true])
    },
    { ...waitOptions, interval: 1 },
  )
  const allowed = answers.filter(({ status }) => status === 200).length
  // A replica holds up to ten requests for the next ones.
  expect(allowed).toBeLessThan(requestsPerMinute)
  expect(allowed).toBeGreaterThan(requestsPerMinute / 2)
  expect(codeOf(answers.at(-1) as Answer)).toEqual([429, 'rate_limited'])
  expect(codeOf(await visit(replicas[0]))).toEqual([429, 'rate_limited'])
  // A copied token has the limit of the address that uses it, and other addresses are not affected.
  address = '198.51.100.7'
  expect(codeOf(await use(replicas[1], token))[0]).toBe(200)
  const rows = await database.query<{ key_id: string }>(
    "select key_id from api_key_leases where key_id like 'visitor %'",
  )
  expect(rows.length).toBeGreaterThan(0)
  expect(JSON.stringify(rows)).not.toContain('203.0.113')
})

test('default: requests and refusals are counted, by route and by reason', async () => {
  const token = await takeToken(replicas[0])
  await use(replicas[0], token, '/rate')
  await use(replicas[0], 'wrong')
  const { body } = await replicas[0].admin('/metrics')
  expect(body).toMatch(/tallystick_visitor_requests_total\{route="\/rate"\} \d+/)
  for (const reason of ['invalid', 'not_allowed', 'limited']) {
    expect(body).toMatch(new RegExp(`tallystick_visitor_refusals_total\\{reason="${reason}"\\} \\d+`))
  }
  const { secret } = await createKey(replicas[0])
  await send(replicas[0], '/notes', { headers: { 'x-api-key': secret } })
  expect((await replicas[0].admin('/metrics')).body).toContain('tallystick_key_requests_total')
})

test('behavior: a new secret signs, an earlier one is accepted until it is deleted, on every replica', async () => {
  const before = await takeToken(replicas[0])
  await database.query(
    "insert into visitor_secrets (id, secret) values ('00000000000000aa', decode(repeat('ab', 32), 'hex'))",
  )
  await vi.waitFor(async () => expect(await takeToken(replicas[0])).toMatch(/^v1\.00000000000000aa\./), waitOptions)
  const after = await takeToken(replicas[0])
  for (const service of replicas) {
    expect(codeOf(await use(service, before))[0]).toBe(200)
    expect(codeOf(await use(service, after))[0]).toBe(200)
  }
  await database.query("delete from visitor_secrets where id <> '00000000000000aa'")
  for (const service of replicas) {
    await vi.waitFor(
      async () => expect(codeOf(await use(service, before))).toEqual([403, 'visitor_token_invalid']),
      waitOptions,
    )
    expect(codeOf(await use(service, after))[0]).toBe(200)
  }
})

test('error: a database restored from before the first secret has none: replicas agree on a new one', async () => {
  const before = await takeToken(replicas[0])
  await database.query('delete from visitor_secrets')
  await vi.waitFor(
    async () => expect(codeOf(await use(replicas[0], before))[1]).toBe('visitor_token_invalid'),
    waitOptions,
  )
  const tokens = [await takeToken(replicas[0]), await takeToken(replicas[1])]
  for (const service of replicas) {
    for (const token of tokens) {
      await vi.waitFor(async () => expect(codeOf(await use(service, token))[0]).toBe(200), waitOptions)
    }
  }
})

test('default: without the setting there is no visit, and a token of a replica that has it is ignored', async () => {
  const token = await takeToken(replicas[0])
  const { portal, ...config } = setting.config as Record<string, unknown>
  const service = await start({ ...setting, config })
  onTestFinished(service.stop)
  expect(codeOf(await visit(service))).toEqual([404, 'not_found'])
  expect(codeOf(await use(service, token))).toEqual([403, 'invalid_api_key'])
  expect((await send(service, '/portal.json')).json().visitors).toBeUndefined()
  const metrics = await service.admin('/metrics')
  expect(metrics.body).not.toContain('tallystick_visitor_requests_total{')
})
