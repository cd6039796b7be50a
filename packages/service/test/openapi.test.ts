import { type ErrorCode, errorBodySchema, type OpenapiDocument, positionQuery } from '@tallystick/core'
import { type Answer, type SendOptions, sendRequest } from '@tallystick/workbench/send-request'
import { beforeAll, describe, expect, test } from 'vitest'
import { hang, startFakeSubgraph } from './fake-subgraph.ts'
import { chain324, createDeferrals, createKey, newDatabase, start, type TestService } from './harness.ts'

const { defer, finish } = createDeferrals()
let service: TestService
let document: OpenapiDocument

beforeAll(async () => {
  const { defer: deferStop, finish: stopRefusing } = createDeferrals()
  const [refusing, silent] = [await startFakeSubgraph({}, deferStop), await startFakeSubgraph({}, defer)]
  const chains = [
    { ...chain324, subgraph: { urls: [refusing.url] } },
    { id: 325, name: 'slow', pool: chain324.pool, subgraph: { urls: [silent.url] } },
  ]
  const config = { chains, data: { timeoutMs: 5_000 } }
  service = await start({ databaseUrl: await newDatabase('postgres', defer), config }, defer)
  // Not before: the service reads pools from their indexes when it starts, and failures would open the circuits.
  await stopRefusing()
  silent.behave(hang)
  document = (await service.call('/openapi.json')).json()
  return finish
})

describe('/openapi.json', () => {
  const path = '/openapi.json'
  const type = 'application/json; charset=utf-8'

  test('default: is public and identical every time', async () => {
    const [first, second] = [await service.call(path), await service.call(path, { headers: { accept: 'text/html' } })]
    expect([first.status, first.headers['content-type']]).toEqual([200, type])
    expect(first.headers['cache-control']).toBe('public, max-age=300')
    expect(first.headers['etag']).toMatch(/^"[\w-]{27}"$/)
    expect([second.body, second.headers['etag']]).toEqual([first.body, first.headers['etag']])
  })

  test('behavior: responds 304 to a matching ETag', async () => {
    const { headers } = await service.call(path)
    const again = await service.call(path, { headers: { 'if-none-match': `"x", W/${headers['etag']}` } })
    expect([again.status, again.body, again.headers['etag']]).toEqual([304, '', headers['etag']])
    expect((await service.call(path, { headers: { 'if-none-match': '"x"' } })).status).toBe(200)
  })

  test('behavior: HEAD returns only the headers, and other methods are rejected', async () => {
    const head = await service.call(path, { method: 'HEAD' })
    expect([head.status, head.body, head.headers['content-type']]).toEqual([200, '', type])
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const answer = await service.call(path, { method })
      expect([answer.status, answer.headers['allow'], answer.json().code]).toEqual([
        405,
        'GET, HEAD',
        'method_not_allowed',
      ])
    }
  })
})

test('behavior: other origins may read the document', async () => {
  expect((await service.call('/openapi.json')).headers['access-control-allow-origin']).toBe('*')
})

test('behavior: both count against one rate limit per address', async () => {
  const listen = { host: '127.0.0.1', port: 0, tls: { cert: 'cert.pem', key: 'key.pem' }, publicRpm: 2 }
  const limited = await start({ databaseUrl: await newDatabase(), config: { listen } })
  const statuses = []
  for (const path of ['/openapi.json', '/docs', '/docs']) statuses.push((await limited.call(path)).status)
  expect(statuses).toEqual([200, 200, 429])
  const refused = await limited.call('/openapi.json')
  expect(refused.json().message).toMatch(/^Your address is allowed 2 requests a minute/)
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
})

test('behavior: it describes exactly the existing endpoints', async () => {
  const { message } = (await service.call('/nothing')).json()
  const [, listed = ''] = /The endpoints are (.*)\.$/.exec(message) ?? []
  const paths = Object.keys(document.paths).map((path) => path.replace('{chainid}', ':chainid'))
  expect(
    listed
      .split(', ')
      .filter((path) => path !== '/')
      .sort(),
  ).toEqual(paths.sort())
})

test('behavior: it names the chains of this service', () => {
  expect(document.paths['/notes']?.get?.parameters?.[0]?.schema.enum).toEqual([324, 325])
  expect(document.components.schemas['DataVariables']?.properties?.['chains']?.items?.enum).toEqual([324, 325])
})

describe('the error examples match the service’s responses', () => {
  const json = { 'content-type': 'application/json' }
  const post = (body: unknown, headers: Record<string, string> = json): [string, SendOptions] => [
    '/data',
    { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) },
  ]
  const data = (query: string, chains: number[]) => post({ query, variables: { chains } })
  const deep = `{ pools ${'{ positions '.repeat(9)}{ id }${' }'.repeat(9)} }`
  const requests: readonly [ErrorCode, string, [string, SendOptions]][] = [
    ['invalid_chainid', '/notes', ['/notes?chainid=0x144', {}]],
    ['invalid_chainid', '/rate', ['/rate?chainid=0x144', {}]],
    ['invalid_maturity', '/notes', ['/notes?maturity=7;14', {}]],
    ['invalid_parameter', '/notes', ['/notes?chainId=324', {}]],
    ['invalid_parameter', '/rate', ['/rate?chainId=324', {}]],
    ['invalid_chainid', '/events', ['/events?chainid=0x144', {}]],
    ['invalid_parameter', '/events', ['/events?chainId=324', {}]],
    ['not_acceptable', '/events', ['/events', { headers: { accept: 'text/html' } }]],
    ['invalid_parameter', '/chains', ['/chains?chainId=324', {}]],
    ['not_acceptable', '/notes', ['/notes', { headers: { accept: 'text/html' } }]],
    ['not_found', '/notes', ['/note', {}]],
    ['method_not_allowed', '/notes', ['/notes', { method: 'POST' }]],
    ['method_not_allowed', '/data', ['/data', {}]],
    ['invalid_api_key', '/notes', ['/notes', { headers: { 'x-api-key': 'x' } }]],
    ['headers_too_large', '/notes', ['/notes', { headers: { 'x-large': 'x'.repeat(20_000) } }]],
    ['invalid_chains', '/data', data(positionQuery, [])],
    ['query_rejected', '/data', data(deep, [324])],
    ['invalid_request', '/data', post({ variables: { chains: [324] } })],
    ['payload_too_large', '/data', post('x'.repeat(70_000))],
    ['unsupported_media_type', '/data', post('{}', { 'content-type': 'text/plain' })],
    ['upstream_failed', '/data', data('{ pools { id } }', [324])],
  ]

  const exampleOf = (path: string, code: string) => {
    const { get, post: posted } = document.paths[path] ?? {}
    for (const { content } of Object.values((get ?? posted)?.responses ?? {})) {
      const { value } = content?.['application/json']?.examples?.[code] ?? {}
      if (value) return errorBodySchema.parse(value)
    }
    throw new Error(`${path} has no example of ${code}`)
  }
  const expectExample = (answer: Answer, example: object) => {
    const { requestId, ...said } = errorBodySchema.parse(JSON.parse(answer.body))
    expect(requestId).toBe(answer.headers['x-request-id'])
    expect({ requestId: '', ...said }).toEqual({ ...example, requestId: '' })
  }

  test.each(requests)('default: %s of %s', async (code, path, [url, options]) => {
    const { secret } = await createKey(service)
    const answer = await service.call(url, { ...options, headers: { 'x-api-key': secret, ...options.headers } })
    expectExample(answer, exampleOf(path, code))
  })

  test('default: upstream_timeout, on its chain', async () => {
    const { secret } = await createKey(service)
    const [url, options] = data('{ pools { id } }', [325])
    const answer = await service.call(url, { ...options, headers: { ...json, 'x-api-key': secret } })
    expectExample({ ...answer, body: answer.body.replaceAll('325', '324') }, exampleOf('/data', 'upstream_timeout'))
  })

  test('default: insufficient_scope', async () => {
    for (const [path, scope] of [
      ['/notes', 'data'],
      ['/rate', 'notes'],
      ['/events', 'data'],
    ] as const) {
      const { secret } = await createKey(service, { scopes: [scope] })
      expectExample(
        await service.call(path, { headers: { 'x-api-key': secret } }),
        exampleOf(path, 'insufficient_scope'),
      )
    }
  })

  test('default: rate_limited, except for its numbers', async () => {
    const { secret } = await createKey(service, { rpm: 1 })
    await service.call('/notes', { headers: { 'x-api-key': secret } })
    const { message } = (await service.call('/notes', { headers: { 'x-api-key': secret } })).json()
    const withoutNumbers = (text: string) => text.replace(/\d+/g, 'N')
    expect(withoutNumbers(message)).toBe(withoutNumbers(exampleOf('/notes', 'rate_limited').message))
  })

  test('default: https_required', async () => {
    const answer = await sendRequest(`${service.baseUrl.replace('https:', 'http:')}/notes`)
    expectExample(answer, exampleOf('/notes', 'https_required'))
  })

  test('default: notes_unavailable', async () => {
    const empty = await start({ databaseUrl: await newDatabase(), curve: null })
    const { secret } = await createKey(empty)
    expectExample(
      await empty.call('/notes', { headers: { 'x-api-key': secret } }),
      exampleOf('/notes', 'notes_unavailable'),
    )
  })
})
