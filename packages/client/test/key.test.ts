import { inspect } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createClient } from '../src/create-client.ts'
import { failureOf } from './failure-of.ts'
import { apiKey, type FakeApi, type Mishap, startFakeApi } from './fake-api.ts'

let api: FakeApi
beforeAll(async () => {
  api = await startFakeApi()
})
afterAll(() => api.stop())
beforeEach(() => {
  api.requests.length = 0
})

describe('behavior: the key', () => {
  test('is sent with every request, only in its header', async () => {
    const client = createClient({ baseUrl: api.baseUrl, apiKey })
    await client.notes({ chainId: 324, maturity: [7, 14] })
    await client.rate()
    await client.floatingIncomes()
    expect(api.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /notes?chainid=324&maturity=7,14',
      'GET /rate',
      'GET /chains',
      'POST /data',
    ])
    for (const { headers, path, body } of api.requests) {
      expect(headers['x-api-key']).toBe(apiKey)
      expect(path + body).not.toContain(apiKey)
    }
  })

  test('is in no error, even if the response echoes it', async () => {
    const echo = `You sent ${apiKey}.`
    const mishaps: Mishap[] = [
      { status: 403, code: 'invalid_api_key', message: echo, details: { echo } },
      { status: 403, body: `<html>${echo}</html>` },
      { status: 200, body: `<html>${echo}</html>` },
      { status: 200, body: JSON.stringify({ message: echo, data: echo }) },
      'reset',
    ]
    for (const mishap of mishaps) {
      api.mishaps.push(mishap)
      const client = createClient({ baseUrl: api.baseUrl, apiKey, retries: 0 })
      const error = await failureOf(client.notes())
      const shown = inspect(error, { depth: 20, showHidden: true }) + JSON.stringify(error) + error.stack
      expect(shown).not.toContain(apiKey)
      expect(inspect(client, { depth: 20, showHidden: true }) + JSON.stringify(client)).not.toContain(apiKey)
    }
  })

  test('is not sent along a redirect', async () => {
    api.mishaps.push({ status: 302, body: '', headers: { location: `${api.baseUrl}/notes` } })
    const error = await failureOf(createClient({ baseUrl: api.baseUrl, apiKey }).notes())
    expect(error).toMatchObject({ name: 'InvalidRequestError', status: 302 })
    expect(error.message).toContain('redirected')
    expect(api.requests).toHaveLength(1)
  })

  test.each([
    'http://notes.example',
    'http://10.0.0.1:8443',
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example',
  ])('error: is not sent unencrypted to %s', (baseUrl) => {
    expect(() => createClient({ baseUrl, apiKey })).toThrow(/in the clear/)
  })

  test.each([
    ['cut', apiKey.slice(0, -1)],
    ['mistyped', apiKey.replace(/.$/, (last) => (last === '0' ? '1' : '0'))],
    ['empty', ''],
    ['with a line break, which no header can hold', `${apiKey}\n`],
  ])('error: a key that is %s is rejected before it is sent and is not in the message', (_, wrong) => {
    const attempt = () => createClient({ baseUrl: api.baseUrl, apiKey: wrong })
    expect(attempt).toThrow(expect.objectContaining({ name: 'InvalidApiKeyError', code: 'invalid_api_key' }))
    if (wrong) expect(attempt).toThrow(expect.not.objectContaining({ message: expect.stringContaining(wrong) }))
  })

  test('can be added by the integrator’s own server', async () => {
    const urls: string[] = []
    const fetch = (url: string, init: RequestInit) => {
      urls.push(url)
      const headers = new Headers(init.headers)
      expect(headers.has('x-api-key')).toBe(false)
      headers.set('x-api-key', apiKey)
      return globalThis.fetch(url.replace('/tallystick', api.baseUrl), { ...init, headers })
    }
    await createClient({ baseUrl: '/tallystick/', fetch }).notes()
    expect(urls).toEqual(['/tallystick/notes'])
  })
})

test.each([
  '',
  'notes.example',
  'ftp://notes.example',
  'https://user:secret@notes.example',
  'https://notes.example?a=b',
  'https://notes.example#a',
  '//notes.example',
])('error: %j is not a base URL', (baseUrl) => {
  expect(() => createClient({ baseUrl, apiKey })).toThrow(expect.objectContaining({ name: 'InvalidRequestError' }))
  expect(() => createClient({ baseUrl, apiKey })).not.toThrow(/secret/)
})
