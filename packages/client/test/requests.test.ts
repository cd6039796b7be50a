import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createClient, createClientIn } from '../src/create-client.ts'
import { createEnvironment, type Environment } from '../src/environment.ts'
import { verifyLogged } from '../src/log/verify-logged.ts'
import { failureOf } from './failure-of.ts'
import { apiKey, type FakeApi, type Mishap, startFakeApi } from './fake-api.ts'

let api: FakeApi
beforeAll(async () => {
  api = await startFakeApi()
})
afterAll(() => api.stop())
beforeEach(() => {
  api.requests.length = 0
  api.mishaps.length = 0
  api.mishapOf = () => undefined
})

/** Creates the real environment, except that delays take no time and are recorded. */
function impatient({ random = 0.5 } = {}) {
  const waits: number[] = []
  const environment: Environment = {
    ...createEnvironment(undefined),
    random: () => random,
    clock: {
      ...createEnvironment(undefined).clock,
      setTimeout: (run, delayMs) => {
        // The timeout of each attempt.
        if (delayMs === 15_000) return setTimeout(run, delayMs)
        waits.push(delayMs)
        return setTimeout(run, 0)
      },
    },
  }
  return { waits, client: createClientIn(environment, { baseUrl: api.baseUrl, apiKey }) }
}

describe('behavior: the code decides the class of an error and whether it is retryable', () => {
  test.each([
    [403, 'https_required', 'HttpsRequiredError', false],
    [403, 'invalid_api_key', 'InvalidApiKeyError', false],
    [403, 'insufficient_scope', 'InsufficientScopeError', false],
    [429, 'rate_limited', 'RateLimitedError', true],
    [400, 'invalid_chainid', 'InvalidRequestError', false],
    [400, 'invalid_maturity', 'InvalidRequestError', false],
    [400, 'invalid_chains', 'InvalidRequestError', false],
    [400, 'query_rejected', 'QueryRejectedError', false],
    [400, 'invalid_parameter', 'InvalidRequestError', false],
    [400, 'invalid_request', 'InvalidRequestError', false],
    [404, 'not_found', 'InvalidRequestError', false],
    [405, 'method_not_allowed', 'InvalidRequestError', false],
    [408, 'request_timeout', 'ServiceError', true],
    [413, 'payload_too_large', 'InvalidRequestError', false],
    [415, 'unsupported_media_type', 'InvalidRequestError', false],
    [431, 'headers_too_large', 'InvalidRequestError', false],
    [500, 'internal_error', 'ServiceError', true],
    [500, 'notes_unavailable', 'NotesUnavailableError', true],
    [502, 'upstream_failed', 'UpstreamError', true],
    [503, 'not_ready', 'ServiceError', true],
    [504, 'upstream_timeout', 'UpstreamError', true],
  ] as const)('%d %s', async (status, code, name, retryable) => {
    api.mishapOf = () => ({ status, code, message: 'What failed.', details: { scope: 'notes' } })
    const { client } = impatient()
    const error = await failureOf(client.notes())
    expect(error).toMatchObject({ name, code, status, retryable, message: 'What failed.', requestId: 'fake-1' })
    expect(error.details).toEqual({ scope: 'notes' })
    expect(api.requests).toHaveLength(retryable ? 4 : 1)
  })

  test('an unknown code is classified by its status', async () => {
    api.mishaps.push({ status: 409, code: 'from_the_future' })
    const error = await failureOf(impatient().client.notes())
    expect(error).toMatchObject({
      name: 'InvalidRequestError',
      code: 'http_error',
      details: { code: 'from_the_future' },
    })
  })

  test.each([
    [502, 'ServiceError', true],
    [403, 'InvalidRequestError', false],
    [404, 'InvalidRequestError', false],
  ] as const)('a %d page of a proxy is no answer of the service', async (status, name, retryable) => {
    api.mishapOf = () => ({ status, body: '<html>Bad gateway</html>', headers: { 'content-type': 'text/html' } })
    const error = await failureOf(impatient().client.rate())
    expect(error).toMatchObject({ name, code: 'http_error', status, retryable })
    expect(error.message).toContain('GET /rate')
  })
})

describe('behavior: retries', () => {
  test.each<[string, Mishap, string]>([
    ['an answer that is no JSON', 'html', 'malformed_answer'],
    ['an answer cut off', 'truncated', 'connection_failed'],
    ['a connection that breaks', 'reset', 'connection_failed'],
    ['notes that are not there', { status: 500, code: 'notes_unavailable' }, 'notes_unavailable'],
    ['a bad gateway', { status: 502, body: '' }, 'http_error'],
  ])('%s: three retries, then the error', async (_, mishap, code) => {
    const { client } = impatient()
    api.mishaps.push(mishap, mishap, mishap)
    expect((await client.notes()).notes).toHaveLength(3)
    expect(api.requests).toHaveLength(4)
    api.mishaps.push(mishap, mishap, mishap, mishap)
    expect(await failureOf(client.notes())).toMatchObject({ code, retryable: true })
    expect(api.requests).toHaveLength(8)
  })

  test('each delay is twice the previous one, with up to half of it random', async () => {
    const mishaps: Mishap[] = ['reset', 'reset', 'reset']
    for (const [random, expected] of [
      [0, [250, 500, 1000]],
      [0.5, [375, 750, 1500]],
    ] as const) {
      api.mishaps.push(...mishaps)
      const { client, waits } = impatient({ random })
      await client.rate()
      expect(waits).toEqual(expected)
    }
  })

  test('waits for Retry-After, in seconds or as a date', async () => {
    const later = new Date(api.now() + 9_000).toUTCString()
    const unavailable = { status: 500, code: 'notes_unavailable' }
    api.mishaps.push({ ...unavailable, headers: { 'retry-after': '5' } })
    api.mishaps.push({ ...unavailable, headers: { 'retry-after': later } })
    const { client, waits } = impatient({ random: 0 })
    await client.notes()
    expect(waits).toEqual([5_000, 9_000])
  })

  test('throws at once if Retry-After is more than 30 s', async () => {
    api.mishaps.push({ status: 429, code: 'rate_limited', headers: { 'retry-after': '31' } })
    const error = await failureOf(impatient().client.notes())
    expect(error).toMatchObject({ name: 'RateLimitedError', retryAfterSeconds: 31 })
    expect(api.requests).toHaveLength(1)
  })

  test('POST /data only reads, so it is retried too', async () => {
    api.mishaps.push('reset')
    const positions = impatient().client.positions(`0x${'11'.repeat(20)}`, { chains: [324] })
    expect(await positions).toEqual([{ chain: 324, positions: [] }])
    expect(api.requests.map(({ method }) => method)).toEqual(['POST', 'POST'])
  })

  test('retries: 0 sends one request', async () => {
    api.mishaps.push('reset')
    const client = createClient({ baseUrl: api.baseUrl, apiKey, retries: 0 })
    expect(await failureOf(client.notes())).toMatchObject({ name: 'ConnectionError' })
    expect(api.requests).toHaveLength(1)
  })
})

describe('behavior: signals and timeouts', () => {
  test('a response that is too late is a timeout', async () => {
    api.mishaps.push('hang')
    const client = createClient({ baseUrl: api.baseUrl, apiKey, retries: 0, timeoutSeconds: 0.05 })
    const error = await failureOf(client.notes())
    expect(error).toMatchObject({ name: 'TimeoutError', code: 'timeout', retryable: true })
    expect(error.message).toContain('0.05 seconds')
  })

  test('a timeout of 24 days is one', async () => {
    const client = createClient({ baseUrl: api.baseUrl, apiKey, retries: 0, timeoutSeconds: 2_147_483 })
    expect((await client.notes()).notes.length).toBeGreaterThan(0)
  })

  test.each([2_147_484, 30 * 86_400, Number.POSITIVE_INFINITY, Number.NaN, 0, -1])(
    'error: a timeout of %d s, which no timer can have, is refused before a request',
    async (timeoutSeconds) => {
      const fault = expect.objectContaining({
        name: 'InvalidRequestError',
        message: expect.stringContaining(`timeoutSeconds is ${timeoutSeconds}. Use a number above 0 and up to 2147483`),
      })
      const connection = { baseUrl: api.baseUrl, apiKey, retries: 0, timeoutSeconds }
      expect(await failureOf((async () => createClient(connection).notes())())).toEqual(fault)
      const key = 'notes.example/log+ffb20d45+AW2hSqro1+e+ox0NNeeiiHWsuSTuxxetAssxB6ueLmmS'
      expect(await failureOf(verifyLogged([], { log: `${api.baseUrl}/log`, key, timeoutSeconds }))).toEqual(fault)
      expect(api.requests).toEqual([])
    },
  )

  test('a fetch that ignores its signal is a timeout too', async () => {
    const fetch = () => new Promise<Response>(() => {})
    const client = createClient({ baseUrl: api.baseUrl, apiKey, fetch, retries: 0, timeoutSeconds: 0.01 })
    expect(await failureOf(client.notes())).toMatchObject({ code: 'timeout' })
  })

  test.each(['chains', 'notes', 'rate', 'data', 'positions', 'earnings', 'floatingIncomes'] as const)(
    'an abort of either signal ends %s with its reason',
    async (name) => {
      const reason = new Error('the page was left')
      const perCall = new AbortController()
      const perClient = new AbortController()
      const calls = (signal?: AbortSignal) => {
        const client = createClient({ baseUrl: api.baseUrl, apiKey, signal: perClient.signal })
        const wallet = `0x${'11'.repeat(20)}` as const
        return {
          chains: () => client.chains({ signal }),
          notes: () => client.notes({ signal }),
          rate: () => client.rate({ signal }),
          data: () => client.data({ query: '{ a }', signal }),
          positions: () => client.positions(wallet, { signal }),
          earnings: () => client.earnings(wallet, { signal }),
          floatingIncomes: () => client.floatingIncomes({ signal }),
        }
      }
      api.mishapOf = () => 'hang'
      const first = calls(perCall.signal)[name]()
      const second = calls()[name]()
      await expect.poll(() => api.hanging).toBe(2)
      perCall.abort(reason)
      await expect(first).rejects.toBe(reason)
      perClient.abort(reason)
      await expect(second).rejects.toBe(reason)
      // The connections are closed too, not only the promises settled.
      await expect.poll(() => api.hanging).toBe(0)
      await expect(calls()[name]()).rejects.toBe(reason)
    },
  )

  test('an abort ends the wait between two attempts', async () => {
    api.mishaps.push({ status: 500, code: 'notes_unavailable', headers: { 'retry-after': '30' } })
    const controller = new AbortController()
    const client = createClient({ baseUrl: api.baseUrl, apiKey })
    const work = client.notes({ signal: controller.signal })
    await expect.poll(() => api.requests.length).toBe(1)
    controller.abort('enough')
    await expect(work).rejects.toBe('enough')
    expect(api.requests).toHaveLength(1)
  })
})

test('error: a response of more than 32 MiB is aborted', async () => {
  const fetch = async () => {
    const chunk = new Uint8Array(1024 * 1024)
    const body = new ReadableStream({ pull: (controller) => controller.enqueue(chunk) })
    return new Response(body)
  }
  const client = createClient({ baseUrl: api.baseUrl, apiKey, fetch })
  expect(await failureOf(client.notes())).toMatchObject({ name: 'MalformedAnswerError', retryable: false })
})
