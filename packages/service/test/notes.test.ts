import { connect as connectHttp2 } from 'node:http2'
import { decodeNote, errorBodySchema, maturityOf, noteStatusAt, periodAt, verifyNote } from '@tallystick/core'
import { databaseEngines } from '@tallystick/workbench/test-database'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  chain324,
  createDeferrals,
  createKey,
  newDatabase,
  notesOf,
  pool,
  signerAddress,
  start,
  type TestService,
} from './harness.ts'

const otherPool = '0x0000000000000000000000000000000000000abc'
const domain = { name: 'NoteSignatureVerifier', version: '1' }
const twoChains = { chains: [{ id: 5000, name: 'Other', pool: otherPool }, chain324] }

describe.each(databaseEngines)('GET /notes on %s', (engine) => {
  test('default: conforms field by field, and every note verifies', async () => {
    const service = await start({ databaseUrl: await newDatabase(engine), at: '2026-11-15T12:00:00.500-05:00' })
    const { secret } = await createKey(service)
    const answer = await service.call('/notes', { headers: { 'x-api-key': secret } })
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    const { message, data, availableMaturities } = notesOf(answer)
    expect(message).toBe('Treasury notes of 2026-11-15, 00:00 to 18:00 New York.')
    expect(availableMaturities).toEqual([7, 14, 30])

    const nowSeconds = BigInt(Date.parse('2026-11-15T12:00:00-05:00') / 1000)
    const period = periodAt(nowSeconds)
    const expected = [
      [7, '369'],
      [14, '365'],
      [30, '362'],
    ] as const
    expect(data).toEqual(
      expected.map(([tenorDays, coupon]) => ({
        maturity_timestamp: maturityOf({ noteDay: period.noteDay, tenorDays }).toString(),
        coupon,
        note_started_at: period.noteDay.toString(),
        signature_valid_after: (period.start - 1n).toString(),
        signature_valid_before: period.end.toString(),
        signature: {
          r: expect.stringMatching(/^0x[0-9a-f]{64}$/),
          s: expect.stringMatching(/^0x[0-9a-f]{64}$/),
          v: expect.toBeOneOf([27, 28]),
        },
        chainid: '324',
      })),
    )
    for (const wire of data) {
      const note = decodeNote(wire)
      const verification = await verifyNote(note, {
        domain: { ...domain, verifyingContract: pool },
        signer: signerAddress,
      })
      expect(verification.valid).toBe(true)
      expect(noteStatusAt(note, nowSeconds)).toBe('usable')
    }
  })
})

describe('one running service', () => {
  let service: TestService
  let key: string
  const get = (path: string, headers: Record<string, string> = {}) =>
    service.call(path, { headers: { 'x-api-key': key, ...headers } })

  beforeAll(async () => {
    const { defer, finish } = createDeferrals()
    const databaseUrl = await newDatabase('postgres', defer)
    service = await start({ databaseUrl, at: '2026-11-15T17:00:00-05:00', config: twoChains }, defer)
    key = (await createKey(service)).secret
    return finish
  })

  test('default: notes of two chains, sorted by chain and maturity, each signed for its chain', async () => {
    const { data } = notesOf(await get('/notes'))
    expect(data.map((note) => note.chainid)).toEqual(['324', '324', '324', '5000', '5000', '5000'])
    const maturities = data.map((note) => Number(note.maturity_timestamp))
    expect(maturities.slice(0, 3)).toEqual(maturities.slice(0, 3).toSorted((a, b) => a - b))
    const onOther = decodeNote(data[3])
    const wanted = {
      domain: { ...domain, verifyingContract: otherPool as typeof pool },
      signer: signerAddress,
    } as const
    expect((await verifyNote(onOther, wanted)).valid).toBe(true)
    expect((await verifyNote({ ...onOther, chainId: 324 }, wanted)).valid).toBe(false)
  })

  test('default: chainid and maturity filter; availableMaturities lists all tenors', async () => {
    const one = notesOf(await get('/notes?chainid=324'))
    expect(one.data.map((note) => note.chainid)).toEqual(['324', '324', '324'])
    const some = notesOf(await get('/notes?chainid=5000&maturity=30,7'))
    expect(some.data.map((note) => note.coupon)).toEqual(['369', '362'])
    expect(some.availableMaturities).toEqual([7, 14, 30])
    expect(notesOf(await get('/notes?maturity=14,14')).data).toHaveLength(2)
  })

  const invalidChains = [
    '',
    '1',
    '0',
    '-324',
    '+324',
    '324.0',
    '3.24e2',
    '0x144',
    '0324',
    '%20324',
    '324%20',
    '324,5000',
  ]
  const strangeChains = ['null', 'undefined', '[]', '٣٢٤', '99999999999999999999', 'NaN', '%00', "324'--", '324%0a']
  test.each([...invalidChains, ...strangeChains])(
    'error: chainid=%s is 400 and lists those supported',
    async (value) => {
      const answer = await get(`/notes?chainid=${encodeURI(decodeURI(value))}`)
      expect(answer.status).toBe(400)
      expect(answer.json()).toMatchObject({ code: 'invalid_chainid', details: { supported: [324, 5000] } })
      expect(answer.json().message).toContain('Supported: 324, 5000')
    },
  )

  test.each(['chainid=324&chainid=324', 'chainid=324&chainid=5000', 'chainid', 'chainid[]=324'])(
    'error: ?%s is 400',
    async (query) => {
      expect((await get(`/notes?${query}`)).status).toBe(400)
    },
  )

  test.each(['', '8', '7,', ',7', '7,,14', '07', ' 7', '7;14', '7.0', '-7', '1e1', '99999', '7&maturity=14'])(
    'error: maturity=%s is 400',
    async (value) => {
      const answer = await get(`/notes?maturity=${value.replace(' ', '%20')}`)
      expect(answer.status).toBe(400)
      expect(answer.json().code).toBe('invalid_maturity')
    },
  )

  test('error: a misspelled parameter is rejected, not ignored', async () => {
    const answer = await get('/notes?chainId=324')
    expect(answer.status).toBe(400)
    expect(answer.json()).toMatchObject({ code: 'invalid_parameter', message: expect.stringContaining('"chainId"') })
  })

  test('behavior: If-None-Match returns 304 until the content changes', async () => {
    const first = await get('/notes')
    const etag = String(first.headers.etag)
    expect(etag).toMatch(/^"[\w-]+"$/)
    expect(first.headers['cache-control']).toBe('private, max-age=3600')
    for (const header of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await get('/notes', { 'if-none-match': header })
      expect([again.status, again.body]).toEqual([304, ''])
      expect(again.headers.etag).toBe(etag)
      expect(again.headers['cache-control']).toBe('private, max-age=3600')
    }
    expect((await get('/notes', { 'if-none-match': '"other"' })).status).toBe(200)
    expect((await get('/notes?chainid=324', { 'if-none-match': etag })).status).toBe(200)
  })

  test('default: HEAD has the headers of GET and no body', async () => {
    const head = await service.call('/notes', { method: 'HEAD', headers: { 'x-api-key': key } })
    const whole = await get('/notes')
    expect([head.status, head.body]).toEqual([200, ''])
    expect(head.headers['content-length']).toBe(whole.headers['content-length'])
    expect(head.headers.etag).toBe(whole.headers.etag)
  })

  test('default: every answer has a request id, the service clock’s date and security headers', async () => {
    for (const path of ['/notes', '/notes?chainid=1', '/nothing']) {
      const { headers } = await get(path)
      expect(headers['x-request-id']).toMatch(/^[0-9a-f]{12}-[0-9a-z]+$/)
      expect(headers.date).toBe('Sun, 15 Nov 2026 22:00:00 GMT')
      expect(headers['strict-transport-security']).toBe('max-age=31536000')
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'none'")
    }
  })

  test('error: all requests without a valid key get the same 403, before any other check', async () => {
    const wrong = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')
    const unknown = 'tsk_live_0000000000000000000000000000000VVyFi'
    const keys = [undefined, '', 'x', wrong, unknown, `${key} `.repeat(2), key.toLowerCase(), `Bearer ${key}`]
    const bodies = await Promise.all(
      keys.map(async (candidate) => {
        const headers: Record<string, string> = candidate === undefined ? {} : { 'x-api-key': candidate }
        const answer = await service.call('/notes?chainid=nonsense', { headers })
        expect(answer.status).toBe(403)
        expect(answer.headers['ratelimit']).toBeUndefined()
        const { requestId, ...body } = errorBodySchema.parse(answer.json())
        expect(requestId).toBe(answer.headers['x-request-id'])
        return JSON.stringify(body)
      }),
    )
    expect(new Set(bodies).size).toBe(1)
    expect(JSON.parse(bodies[0] as string)).toMatchObject({ code: 'invalid_api_key' })
  })

  test('error: a key without the scope gets the scope’s name', async () => {
    const { secret } = await createKey(service, { scopes: ['data', 'rate'] })
    const answer = await service.call('/notes', { headers: { 'x-api-key': secret } })
    expect(answer.status).toBe(403)
    expect(answer.json()).toMatchObject({ code: 'insufficient_scope', details: { scope: 'notes' } })
  })

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'SEARCH'])(
    'error: %s is 405 with Allow, but 403 without a key',
    async (method) => {
      const answer = await service.call('/notes', { method, headers: { 'x-api-key': key } })
      expect(answer.status).toBe(405)
      expect(answer.headers.allow).toBe('GET, HEAD')
      expect(answer.json().code).toBe('method_not_allowed')
      expect((await service.call('/notes', { method })).status).toBe(403)
    },
  )

  test.each(['//', '/note', '/notes/', '/Notes', '/notes/324', '//notes', '/healthz', '/metrics', '/keys'])(
    'error: %s is 404',
    async (path) => {
      const answer = await get(path)
      expect(answer.status).toBe(404)
      expect(errorBodySchema.parse(answer.json()).code).toBe('not_found')
    },
  )

  test('error: an Accept header that excludes JSON is 406', async () => {
    expect((await get('/notes', { accept: 'text/html' })).status).toBe(406)
    expect((await get('/notes', { accept: 'application/json;q=0' })).status).toBe(406)
    for (const accept of ['*/*', 'application/json', 'text/html, application/*;q=0.1']) {
      expect((await get('/notes', { accept })).status).toBe(200)
    }
  })

  test('default: HTTP/2 returns the same bytes', async () => {
    const session = connectHttp2(service.baseUrl, { ca: service.ca })
    const stream = session.request({ ':path': '/notes', 'x-api-key': key })
    const chunks: Buffer[] = []
    let status = 0
    stream.on('response', (headers) => {
      status = Number(headers[':status'])
    })
    for await (const chunk of stream) chunks.push(chunk)
    session.close()
    expect(status).toBe(200)
    expect(Buffer.concat(chunks).toString()).toBe((await get('/notes')).body)
  })

  test('behavior: the rate limit is counted, shown, and enforced with Retry-After', async () => {
    const { secret } = await createKey(service, { rpm: 3 })
    const answers = []
    for (let count = 0; count < 5; count++)
      answers.push(await service.call('/notes', { headers: { 'x-api-key': secret } }))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429])
    expect(answers.map(({ headers }) => headers['ratelimit-policy'])).toEqual(new Array(5).fill('"default";q=3;w=60'))
    expect(answers[0]?.headers['ratelimit']).toMatch(/^"default";r=2;t=\d+$/)
    expect(answers[4]?.headers['ratelimit']).toMatch(/^"default";r=0;t=\d+$/)
    expect(Number(answers[3]?.headers['retry-after'])).toBeGreaterThan(0)
    expect(answers[3]?.json().code).toBe('rate_limited')
  })
})
