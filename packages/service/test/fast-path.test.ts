import { once } from 'node:events'
import { Agent as HttpAgent } from 'node:http'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { Agent as HttpsAgent } from 'node:https'
import { text } from 'node:stream/consumers'
import { connect } from 'node:tls'
import { type PrebuiltWriter, prebuiltWriter } from '@tallystick/http'
import { type Answer, sendRequest } from '@tallystick/workbench/send-request'
import { waitOptions } from '@tallystick/workbench/wait-options'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { headAt, startFakeSubgraph } from './fake-subgraph.ts'
import {
  chain324,
  createDeferrals,
  createKey,
  newDatabase,
  type Setting,
  secureContext,
  start,
  type TestService,
} from './harness.ts'

const { defer, finish } = createDeferrals()
const at = '2026-11-15T12:00:00.5-05:00'
const origin = 'https://app.example'
let service: TestService
let behindProxy: TestService
let keys: Readonly<Record<'unlimited' | 'limited' | 'other' | 'elsewhere', string>>
let keysBehindProxy: typeof keys
let http2: ClientHttp2Session
const httpAgent = new HttpAgent({ keepAlive: true })
const httpsAgent = new HttpsAgent({ keepAlive: true, secureContext })

const listen = { host: '127.0.0.1', port: 0, cors: [origin], publicRpm: 100_000 }
const tls = { ...listen, tls: { cert: 'cert.pem', key: 'key.pem' } }
const proxy = { ...listen, proxy: { trust: ['127.0.0.1'] } }
const data = {
  ...{ positionInfos: [{ id: '1' }], pools: [{ paused: false }] },
  floatingIncomes: [{ day: 20_771, floatingIncome: '700', accFloatingIncome: '90000' }],
}

async function startWith(setting: Partial<Setting> = {}, own: typeof defer): Promise<TestService> {
  const head = headAt(100, Date.parse(at) / 1000 - 7.5)
  const { url } = await startFakeSubgraph({ answer: () => data, head }, own)
  const config = {
    chains: [{ ...chain324, subgraph: { urls: [url] } }],
    data: { hedgeMs: null, pollMs: 60_000 },
    log: { origin: 'notes.example/log', key: 'env:LOG_KEY' },
    ...setting.config,
  }
  // Within a second, not at its beginning: what the fast path makes then is kept for the requests that follow.
  return start({ databaseUrl: await newDatabase('postgres', own), at, ...setting, config }, own)
}

async function createKeys(of: TestService): Promise<typeof keys> {
  const secretOf = async (request: object = {}) => (await createKey(of, request)).secret
  return {
    unlimited: await secretOf(),
    limited: await secretOf({ rpm: 100_000 }),
    other: await secretOf({ scopes: ['notes'] }),
    elsewhere: await secretOf({ allow: ['192.0.2.0/24'] }),
  }
}

beforeAll(async () => {
  service = await startWith({ config: { listen: tls } }, defer)
  behindProxy = await startWith({ config: { listen: proxy } }, defer)
  keys = await createKeys(service)
  keysBehindProxy = await createKeys(behindProxy)
  http2 = connectHttp2(service.baseUrl, { secureContext })
  defer(() => http2.destroy())
  defer(() => httpsAgent.destroy())
  defer(() => httpAgent.destroy())
  return finish
})

// Changes nothing but that the framework answers, whose rules are the rules.
const slow = { connection: 'Keep-Alive' }

type Ask = {
  readonly path: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a request over HTTP/1.1, as a proxy would. */
const askHttp1 = (of: TestService, { path, body, headers }: Ask): Promise<Answer> => {
  const method = body === undefined ? 'GET' : 'POST'
  const url = of.baseUrl + path
  const agent = url.startsWith('https:') ? httpsAgent : httpAgent
  return sendRequest(url, { agent, method, body, headers: { 'x-forwarded-proto': 'https', ...headers } })
}

async function askHttp2({ path, body, headers: { connection, ...headers } = {} }: Ask): Promise<Answer> {
  // A length is no header of a plain GET.
  const forced = connection && body === undefined ? { 'content-length': '0' } : {}
  const method = body === undefined ? 'GET' : 'POST'
  const stream = http2.request({ ':method': method, ':path': path, ...forced, ...headers })
  stream.end(body)
  const [{ ':status': status, ...received }] = await once(stream, 'response')
  const sent = await text(stream)
  return { status, headers: received, body: sent, json: () => JSON.parse(sent) }
}

/** Returns whether the fast path has answered. It writes the id after the headers of an answer, the framework before. */
function isFast({ headers }: Answer): boolean {
  const names = Object.keys(headers)
  return names.indexOf('x-request-id') > Math.max(names.indexOf('cache-control'), names.indexOf('content-type'))
}

/** All of an answer but what has to differ from one request to the next. */
function comparable({ status, headers, body }: Answer) {
  const { 'x-request-id': id, 'content-length': length, ratelimit, connection, 'keep-alive': kept, ...others } = headers
  expect(id).toMatch(/^[0-9a-f]{12}-[0-9a-z]+$/)
  // Both run down: the one with each request, the other with each second, which may end between two requests.
  const left = String(ratelimit).replace(/;r=\d{1,6};t=\d{1,2}$/, ';r=;t=')
  if (status >= 400) return { status, headers: others, left, code: JSON.parse(body).code }
  return { status, headers: others, left, length, body }
}

const json = { 'content-type': 'application/json' }
const query = '{ positionInfos { id } }'
const dataBody = JSON.stringify({ query, variables: { chains: [324] } })

/** Requests that the fast path answers the second time. */
const remembered: readonly Ask[] = [
  ...['', '?chainid=324', '?maturity=7', '?maturity=14,7&chainid=324', '?maturity=7%2C30', '?'].map((filter) => ({
    path: `/notes${filter}`,
  })),
  { path: '/rate' },
  { path: '/rate?chainid=324' },
  { path: '/chains' },
  { path: '/log/checkpoint' },
  { path: `/data/324?query=${encodeURIComponent(query)}` },
  { path: `/data/324?query=${encodeURIComponent(query)}`, headers: { accept: 'application/json' } },
  { path: '/data', body: dataBody, headers: json },
  { path: '/graphql', body: dataBody, headers: json },
  { path: '/data/324', body: JSON.stringify({ query }), headers: json },
  { path: '/data/324', body: JSON.stringify({ query }), headers: { ...json, accept: 'application/json' } },
]

/** Requests that the framework answers each time. */
const others: readonly Ask[] = [
  ...[
    '/notes?chainid=325',
    '/notes?maturity=8',
    '/notes/',
    '/rate?x=1',
    '/chains?x=1',
    '/log/key',
    '/openapi.json',
  ].map((path) => ({ path })),
  { path: '/data', body: dataBody, headers: { 'content-type': 'text/plain' } },
  { path: '/notes', headers: { accept: 'text/html' } },
  { path: '/data/325', body: JSON.stringify({ query }), headers: json },
]

const transports = {
  TLS: { ask: (asked: Ask) => askHttp1(service, asked), keysOf: () => keys, isFastPost: true },
  'HTTP/2': { ask: askHttp2, keysOf: () => keys, isFastPost: false },
  'plain HTTP behind a proxy': {
    ask: (asked: Ask) => askHttp1(behindProxy, asked),
    keysOf: () => keysBehindProxy,
    isFastPost: true,
  },
}

describe.each(Object.entries(transports))('%s', (_, { ask, keysOf, isFastPost }) => {
  test.each(remembered)(
    'default: a remembered $path is answered as the framework does, header by header',
    async (asked) => {
      const secrets = [keysOf().unlimited, keysOf().limited, keysOf().other, keysOf().elsewhere, 'nothing', undefined]
      const prime = () => ask({ ...asked, headers: { ...asked.headers, 'x-api-key': keysOf().unlimited } })
      // The first request brings what the second one finds in memory.
      await prime()
      const { etag } = (await prime()).headers
      const conditions = ['', String(etag), `"x", W/${etag}`, '*', 'W/"x"', 'x']
      const answeredFast = new Set<number>()
      for (const secret of secrets) {
        for (const condition of conditions) {
          for (const from of [undefined, origin, 'https://other.example']) {
            const headers = {
              ...asked.headers,
              ...(secret !== undefined && { 'x-api-key': secret }),
              ...(condition !== '' && { 'if-none-match': condition }),
              ...(from !== undefined && { origin: from }),
            }
            const fast = await ask({ ...asked, headers })
            const framework = await ask({ ...asked, headers: { ...headers, ...slow } })
            expect([secret, condition, comparable(fast)]).toEqual([secret, condition, comparable(framework)])
            expect(isFast(framework)).toBe(false)
            if (isFast(fast)) answeredFast.add(fast.status)
            else expect(fast.status === 200 && (asked.body === undefined || isFastPost)).toBe(false)
          }
        }
      }
      const expected = etag === undefined ? [200] : [200, 304]
      expect([...answeredFast].sort()).toEqual(asked.body === undefined || isFastPost ? expected : [])
    },
  )

  test.each(others)('behavior: $path is never answered by the fast path', async (asked) => {
    const headers = { ...asked.headers, 'x-api-key': keysOf().unlimited }
    for (let round = 0; round < 3; round += 1) {
      const answer = await ask({ ...asked, headers })
      expect(isFast(answer)).toBe(false)
      expect(comparable(answer)).toEqual(comparable(await ask({ ...asked, headers: { ...headers, ...slow } })))
    }
  })
})

describe('behind a proxy', () => {
  const askTwice = async (headers: Readonly<Record<string, string>>) => {
    const asked = { path: '/notes', headers: { 'x-api-key': keysBehindProxy.unlimited } }
    await askHttp1(behindProxy, asked)
    return askHttp1(behindProxy, { ...asked, headers: { ...asked.headers, ...headers } })
  }

  test('error: a remembered request that reached the proxy without TLS is a 403', async () => {
    for (const proto of ['http', '', 'https, http', 'https,https']) {
      const answer = await askTwice({ 'x-forwarded-proto': proto })
      expect([answer.status, answer.json().code, answer.headers.connection]).toEqual([403, 'https_required', 'close'])
    }
    expect((await askTwice({ 'x-forwarded-proto': 'HTTPS' })).status).toBe(200)
  })

  test('behavior: a key of some networks is checked against the address that the proxy reports', async () => {
    const headersFrom = (address: string) => ({
      'x-api-key': keysBehindProxy.elsewhere,
      'x-forwarded-for': address,
    })
    const within = await askTwice(headersFrom('192.0.2.7'))
    expect([within.status, isFast(within)]).toEqual([200, true])
    expect((await askTwice(headersFrom('198.51.100.7'))).json().code).toBe('address_not_allowed')
  })

  test('behavior: requests without a key count on one allowance per address, whatever answers', async () => {
    const limited = await startWith(
      { config: { chains: [chain324], listen: { ...proxy, publicRpm: 4 } } },
      onTestFinished as typeof defer,
    )
    const ask = async (address: string, extra: object) => {
      const headers = { 'x-forwarded-for': address, ...extra }
      const answer = await askHttp1(limited, { path: '/chains', headers })
      return [answer.status, isFast(answer), /r=\d/.exec(String(answer.headers['ratelimit']))?.[0]]
    }
    const answers = []
    for (const extra of [{}, {}, slow, {}, {}, slow]) answers.push(await ask('192.0.2.1', extra))
    expect(answers).toEqual([
      ...[200, 200, 200, 200].map((status, index) => [status, index === 1 || index === 3, `r=${3 - index}`]),
      ...[429, 429].map((status) => [status, false, 'r=0']),
    ])
    expect(await ask('192.0.2.2', {})).toEqual([200, true, 'r=3'])
  })
})

describe('at a boundary', () => {
  const start17 = '2026-11-15T17:59:59.999-05:00'
  const ask = async (
    of: TestService,
    { path, secret, etag }: Readonly<Record<'path' | 'secret', string>> & { readonly etag?: string },
  ) => askHttp1(of, { path, headers: { 'x-api-key': secret, ...(etag && { 'if-none-match': etag }) } })

  test('behavior: a remembered request gets the notes of the period at its instant, and its own maximum age', async () => {
    const bounded = await startWith({ at: '2026-11-15T17:55:00-05:00' }, onTestFinished as typeof defer)
    const { secret } = await createKey(bounded)
    const seen = []
    const paths = ['/notes', '/notes?maturity=7']
    const etags = new Map<string, string>()
    for (const path of paths) etags.set(path, String((await ask(bounded, { path, secret })).headers.etag))
    // Both periods are in memory before the boundary.
    await expect.poll(() => bounded.log().match(/notes published/g)?.length, waitOptions).toBe(2)
    for (const instant of [start17, '2026-11-15T18:00:00.000-05:00', '2026-11-15T18:00:00.001-05:00', start17]) {
      bounded.clock.hold(Date.parse(instant))
      for (const path of paths) {
        const answer = await ask(bounded, { path, secret })
        const again = await ask(bounded, { path, secret, etag: etags.get(path) ?? '' })
        seen.push([answer.headers['cache-control'], isFast(answer), again.status])
      }
    }
    const before = ['private, max-age=0', true, 304]
    expect(seen).toEqual([
      ...[before, before],
      ...[0, 1].map(() => ['private, max-age=21600', true, 200]),
      ...[0, 1].map(() => ['private, max-age=21599', true, 200]),
      ...[before, before],
    ])
  })
})

/** All that a connection gets for some bytes, until the service closes it. */
async function sendRaw(text: string): Promise<string> {
  const { port } = new URL(service.baseUrl)
  const socket = connect({ port: Number(port), host: '127.0.0.1', ca: service.ca })
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.write(text)
  await once(socket, 'close')
  return Buffer.concat(chunks).toString('latin1')
}

test('behavior: on one connection the fast path and the framework write byte-identical responses', async () => {
  const etag = (await service.call('/notes', { headers: { 'x-api-key': keys.unlimited } })).headers.etag ?? ''
  for (const secret of [keys.unlimited, keys.limited]) {
    for (const condition of ['', `if-none-match: ${etag}\r\n`]) {
      const request = `GET /notes HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${secret}\r\n${condition}`
      const [slowly, quickly] = await Promise.all(
        ['content-length: 0\r\n', ''].map((extra) =>
          sendRaw(`${`${request}${extra}\r\n`.repeat(5)}${request}${extra}connection: close\r\n\r\n`),
        ),
      )
      const answersOf = (text = '') => text.split('HTTP/1.1 ').slice(1).map(normalise)
      const answers = answersOf(quickly)
      expect(answers).toHaveLength(6)
      expect(new Set(answers.slice(0, 5)).size).toBe(1)
      expect(sortHead(answers[0])).toEqual(sortHead(answersOf(slowly)[0]))
      expect(sortHead(answers[5])).toEqual(sortHead(answersOf(slowly)[5]))
      expect(answers[0]).toContain('Connection: keep-alive\r\nKeep-Alive: timeout=72\r\n')
      expect(answers[5]?.toLowerCase()).toContain('connection: close\r\n')
      expect(answers[0]?.startsWith(condition === '' ? '200 OK\r\n' : '304 Not Modified\r\n')).toBe(true)
    }
  }
})

// A second may end between two answers.
const normalise = (answer: string) =>
  answer.replace(/(?<=x-request-id: )\S+/, 'id').replace(/(?<=;r=)\d+;t=\d+/, 'left')
const sortHead = (answer = '') => {
  const [head = '', body] = answer.split('\r\n\r\n')
  return [head.toLowerCase().split('\r\n').sort(), body]
}

test('behavior: an older client is answered too', async () => {
  const [head = '', body] = (await sendRaw(`GET /notes HTTP/1.0\r\nx-api-key: ${keys.limited}\r\n\r\n`)).split(
    '\r\n\r\n',
  )
  expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  expect(head).toMatch(/connection: close/i)
  expect(JSON.parse(body ?? '').data).toHaveLength(3)
})

test('behavior: the two count on one allowance', async () => {
  const { secret } = await createKey(service, { rpm: 4 })
  const statuses: number[] = []
  for (const extra of [{}, slow, {}, slow, {}, slow, {}]) {
    statuses.push((await service.call('/notes', { headers: { 'x-api-key': secret, ...extra } })).status)
  }
  expect(statuses).toEqual([200, 200, 200, 200, 429, 429, 429])
})

test('behavior: both are counted as one route', async () => {
  const count = async () =>
    Number(/requests_total\{route="\/notes",status="200"\} (\d+)/.exec((await service.admin('/metrics')).body)?.[1])
  const before = await count()
  const headers = { 'x-api-key': keys.unlimited }
  await service.call('/notes', { headers })
  await service.call('/notes', { headers: { ...headers, ...slow } })
  expect((await count()) - before).toBe(2)
})

test('error: where prebuilt responses differ from those of Node, the framework answers and one line says so', async () => {
  const differing: PrebuiltWriter = {
    ...prebuiltWriter,
    send: (response, { before, after }, lines) =>
      prebuiltWriter.send(response, { before, after: `x-differs: 1\r\n${after}` }, lines),
  }
  const without = await startWith(
    { config: { listen: tls }, prebuiltWriter: differing },
    onTestFinished as typeof defer,
  )
  const { secret } = await createKey(without)
  const headers = { 'x-api-key': keys.unlimited }
  for (let count = 0; count < 3; count += 1) {
    const answer = await without.call('/notes', { headers: { 'x-api-key': secret } })
    expect(comparable(answer)).toEqual(comparable(await service.call('/notes', { headers })))
  }
  const lines = without
    .log()
    .split('\n')
    .filter((line) => line.includes('fast path disabled'))
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 40, node: process.version }])
  expect(service.log()).not.toContain('fast path disabled')
})
