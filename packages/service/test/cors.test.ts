import { request } from 'node:https'
import { type PrebuiltWriter, prebuiltWriter } from '@tallystick/http'
import type { Answer, SendOptions } from '@tallystick/workbench/send-request'
import { beforeAll, describe, expect, test } from 'vitest'
import { startFakeSubgraph, toQueries } from './fake-subgraph.ts'
import { chain324, createDeferrals, createKey, newDatabase, secureContext, start, type TestService } from './harness.ts'

const { defer, finish } = createDeferrals()
const page = 'https://app.example'
const local = 'http://localhost:3000'
/** Origins that only look like an allowed one. */
const others = [
  'https://app.example.evil',
  'https://evil.app.example',
  'http://app.example',
  `${page}:8443`,
  'null',
  '*',
  '',
]
const query = '{ positionInfos { id } }'
let service: TestService
let key: string
let spent: string
let fastSent = 0

const counting: PrebuiltWriter = {
  ...prebuiltWriter,
  send: (...sending) => {
    fastSent += 1
    prebuiltWriter.send(...sending)
  },
}

beforeAll(async () => {
  const fake = await startFakeSubgraph({}, defer)
  fake.behave(
    toQueries(({ request: { query: text }, response, answerWell }) =>
      text.includes('broken') ? response.writeHead(500).end() : answerWell(),
    ),
  )
  const tls = { cert: 'cert.pem', key: 'key.pem' }
  const config = {
    listen: { host: '127.0.0.1', port: 0, tls, cors: [page, local] },
    chains: [{ ...chain324, subgraph: { urls: [fake.url] } }],
    data: { hedgeMs: null, pollMs: 60_000 },
  }
  const databaseUrl = await newDatabase('postgres', defer)
  const at = '2026-11-15T12:00:00.5-05:00'
  service = await start({ databaseUrl, at, config, prebuiltWriter: counting }, defer)
  key = (await createKey(service)).secret
  spent = (await createKey(service, { rpm: 1 })).secret
  await service.call('/notes', { headers: { 'x-api-key': spent } })
  return finish
})

const json = { 'content-type': 'application/json' }
const post = (body: unknown, headers = json): SendOptions => ({ method: 'POST', headers, body: JSON.stringify(body) })
const data = (text: string) => post({ query: text, variables: { chains: [324] } })

/** Requests with the status of each, by kind of answer. */
const kinds: readonly [string, string, number, SendOptions?][] = [
  ['notes', '/notes', 200],
  ['notes that have not changed', '/notes', 304, { headers: { 'if-none-match': '*' } }],
  ['filtered notes', '/notes?maturity=7', 200],
  ['data', '/data', 200, data(query)],
  ['data of one chain', '/data/324', 200, post({ query })],
  ['data of one chain by GET', '/data/324?query={pools{id}}', 200],
  ['the old name of /data', '/graphql', 200, data(query)],
  ['rates', '/rate', 200],
  ['history', '/history/notes', 200],
  ['HEAD', '/notes', 200, { method: 'HEAD' }],
  ['an invalid parameter', '/notes?chainid=x', 400],
  ['an invalid body', '/data', 400, post('x')],
  ['a rejected query', '/data/324', 400, post({ query: '{' })],
  ['a malformed path', '/%zz', 400],
  ['a wrong key', '/notes', 403, { headers: { 'x-api-key': 'nothing' } }],
  ['a wrong key for one chain', '/data/324', 403, post({ query }, { ...json, 'x-api-key': 'nothing' } as never)],
  ['an unknown path', '/nothing', 404],
  ['an unknown chain', '/data/1', 404, post({ query })],
  ['another method', '/rate', 405, { method: 'DELETE' }],
  ['an excluded media type', '/rate', 406, { headers: { accept: 'text/html' } }],
  ['a large body', '/data', 413, post('x'.repeat(70_000))],
  ['another media type', '/data', 415, { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' }],
  ['a failed upstream', '/data', 502, data('{ broken: positionInfos { id } }')],
]

async function callFrom(origin: string | undefined, path: string, { headers, ...options }: SendOptions = {}) {
  const from = origin === undefined ? {} : { origin }
  return service.call(path, { ...options, headers: { 'x-api-key': key, ...from, ...headers } })
}

function accessOf({ headers }: Answer) {
  const names = ['access-control-allow-origin', 'access-control-expose-headers', 'vary'] as const
  return names.map((name) => headers[name])
}

const exposed = expect.stringContaining('x-tallystick-chains')

describe('a response', () => {
  test.each(kinds)('default: %s can be read by pages of the listed origins only', async (_, path, status, options) => {
    const vary = expect.stringMatching(/^Origin(, accept)?$/)
    for (const origin of [page, local]) {
      const answer = await callFrom(origin, path, options)
      expect([answer.status, ...accessOf(answer)]).toEqual([status, origin, exposed, vary])
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
    }
    for (const origin of [undefined, others[0]]) {
      const answer = await callFrom(origin, path, options)
      expect([answer.status, ...accessOf(answer)]).toEqual([status, undefined, undefined, vary])
    }
  })

  test.each([
    ['/notes', undefined],
    ['/notes?chainid=324', undefined],
    ['/data', data(query)],
  ])('behavior: of the fast path for %s, in any order of origins', async (path, options) => {
    // The framework answers the first two of /data. The first answer of the fast path is made by Node.
    for (let round = 0; round < 3; round += 1) await callFrom(undefined, path, options)
    const before = fastSent
    for (const origin of [page, undefined, local, ...others, page]) {
      const [allowed] = accessOf(await callFrom(origin, path, options))
      expect(allowed).toBe([page, local].includes(origin ?? '') ? origin : undefined)
    }
    expect(fastSent - before).toBe(others.length + 4)
  })

  test('behavior: of a used-up key and of a stream', async () => {
    const limited = await callFrom(page, '/notes', { headers: { 'x-api-key': spent } })
    expect([limited.status, ...accessOf(limited)]).toEqual([
      429,
      page,
      expect.stringContaining('retry-after'),
      'Origin',
    ])
    const headers = await new Promise<Answer['headers']>((resolve, reject) => {
      const url = `${service.baseUrl}/events`
      const outgoing = request(
        url,
        { secureContext, headers: { 'x-api-key': key, origin: page } } as never,
        (incoming) => {
          incoming.destroy()
          resolve(incoming.headers)
        },
      )
      outgoing.on('error', reject).end()
    })
    expect([headers['content-type'], headers['access-control-allow-origin'], headers['vary']]).toEqual([
      'text/event-stream; charset=utf-8',
      page,
      'Origin',
    ])
  })

  test('behavior: of a public route can be read by every page', async () => {
    for (const origin of [page, others[0]]) {
      expect((await callFrom(origin, '/chains')).headers['access-control-allow-origin']).toBe('*')
    }
  })
})

describe('a preflight', () => {
  const ask = (origin: string, path: string, headers: Record<string, string> = {}) =>
    service.call(path, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'x-api-key',
        ...headers,
      },
    })

  test.each([
    ['/notes', 'GET, HEAD'],
    ['/data', 'POST'],
    ['/data/324', 'GET, HEAD, POST'],
    ['/rate', 'GET, HEAD'],
    ['/history/rate', 'GET, HEAD'],
    ['/events', 'GET, HEAD'],
    // A client may send its key there, too.
    ['/chains', 'GET, HEAD'],
    // The page can then read that there is nothing.
    ['/nothing', 'GET, HEAD, POST'],
  ])('default: of %s is answered without a key', async (path, methods) => {
    const answer = await ask(page, path)
    expect([answer.status, answer.body, ...accessOf(answer)]).toEqual([204, '', page, exposed, 'Origin'])
    expect(answer.headers).toMatchObject({
      'access-control-allow-methods': methods,
      'access-control-allow-headers': expect.stringMatching(/^x-api-key, content-type, if-none-match, last-event-id, /),
      'access-control-max-age': '7200',
    })
  })

  test('error: of another origin, or without a method, is a request without a key', async () => {
    for (const origin of others) {
      const answer = await ask(origin, '/notes')
      expect([answer.status, ...accessOf(answer)]).toEqual([403, undefined, undefined, 'Origin'])
    }
    const { status } = await service.call('/notes', { method: 'OPTIONS', headers: { origin: page } })
    expect(status).toBe(403)
  })
})
