import { getEventListeners, setMaxListeners } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { TallystickError } from '@tallystick/core'
import { createCertificateAuthority } from '@tallystick/workbench/certificate-authority'
import { describe, expect, test } from 'vitest'
import { deadlineReached } from '../src/data/deadline.ts'
import { startFailingServer } from './failing-servers.ts'
import { type FakeSubgraph, headAt, type Misbehaviour, startFakeSubgraph } from './fake-subgraph.ts'
import { activeResources, errorOf, openRemote, remoteQuery, secretToken, turn } from './remote-harness.ts'

const hang: Misbehaviour = () => undefined
const refuse: Misbehaviour = ({ response }) => response.writeHead(500).end()
const respond =
  (body: object): Misbehaviour =>
  ({ response }) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
/** Only callers' queries get it; light ones are answered well. */
const toQueries =
  (misbehaviour: Misbehaviour): Misbehaviour =>
  (exchange) =>
    exchange.request.isLight ? exchange.answerWell() : misbehaviour(exchange)
const now = () => Math.floor(Date.now() / 1000)
const named = (name: string) => startFakeSubgraph({ answer: () => ({ from: name }) })
const linesOf = (log: string, text: string) => log.split('\n').filter((line) => line.includes(text))

describe('an answer', () => {
  test('default: the caller’s data, and the head apart from it', async () => {
    const fake = await startFakeSubgraph({ answer: () => ({ positionInfos: [{ id: '1' }] }), head: headAt(7, 1_700) })
    const remote = openRemote([`${fake.url}/subgraphs/name/x?v=1`])
    const answer = await remote.ask({ variables: { first: 1 } })
    expect(answer).toEqual({
      data: '{"positionInfos":[{"id":"1"}]}',
      errors: [],
      head: { number: 7, hash: `0x${'7'.padStart(64, '0')}`, timestamp: 1_700 },
    })
    const [request] = fake.requests
    expect(request).toMatchObject({
      query: remoteQuery().textWithHead,
      variables: { first: 1 },
      operationName: 'Positions',
      headers: {
        authorization: `Bearer ${secretToken}`,
        'content-type': 'application/json',
        accept: 'application/json, application/graphql-response+json',
        'accept-encoding': 'identity',
      },
    })
  })

  test('behavior: nothing but the head leaves an empty object', async () => {
    const fake = await startFakeSubgraph({ answer: () => ({}) })
    expect(await openRemote([fake.url]).ask()).toMatchObject({ data: '{}', head: { number: 100 } })
  })

  test('behavior: a head without a hash is none, one without a time is one', async () => {
    const fake = await startFakeSubgraph({ head: { number: 5, hash: null, timestamp: 1 } })
    const remote = openRemote([fake.url])
    expect((await remote.ask()).head).toBeUndefined()
    fake.setHead({ hash: '0x05', timestamp: null })
    expect((await remote.ask()).head).toEqual({ number: 5, hash: '0x05', timestamp: undefined })
  })

  test('behavior: data beside errors is an answer that says so', async () => {
    const fake = await startFakeSubgraph()
    fake.behave(respond({ data: { a: [1], b: null }, errors: [{ message: 'Store error: b is broken' }] }))
    expect(await openRemote([fake.url]).ask()).toEqual({
      data: '{"a":[1],"b":null}',
      errors: ['Store error: b is broken'],
      head: undefined,
    })
  })

  test('default: over TLS, from a server whose certificate is trusted', async () => {
    const { createServer } = await import('node:https')
    const authority = createCertificateAuthority()
    const server = createServer(authority.issue(['127.0.0.1']), (_, response) =>
      response.setHeader('content-type', 'application/json; charset=utf-8').end('{"data":{"a":1}}'),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const remote = openRemote([`https://127.0.0.1:${port}`], { ca: authority.cert })
    expect((await remote.ask()).data).toBe('{"a":1}')
    await remote.subgraph.close()
    server.close()
  })

  test('behavior: connections are kept, and not more than needed', async () => {
    const fake = await startFakeSubgraph()
    const remote = openRemote([fake.url])
    for (let count = 0; count < 20; count += 1) await remote.ask()
    // Two, because one that has just answered is looked at for a moment before it is used again.
    expect(fake.connections()).toBeLessThanOrEqual(2)
  })

  test('behavior: a kept connection that is reset under the query is replaced once, unseen by the caller', async () => {
    const fake = await startFakeSubgraph()
    const remote = openRemote([fake.url])
    await remote.ask()
    await turn()
    const seen: number[] = []
    fake.behave(({ response, answerWell }) => {
      seen.push(fake.connections())
      if (seen.length === 1) response.socket?.resetAndDestroy()
      else answerWell()
    })
    expect((await remote.ask()).data).toBe('{"positionInfos":[]}')
    expect(seen).toEqual([1, 2])
    expect(remote.log()).toBe('')
  })

  test('error: it is replaced only once', async () => {
    const fake = await startFakeSubgraph()
    const remote = openRemote([fake.url])
    await remote.ask()
    await turn()
    fake.behave(({ response }) => response.socket?.resetAndDestroy())
    expect((await errorOf(remote.ask())).details).toEqual({ failure: 'reset' })
    expect(fake.queries()).toHaveLength(3)
  })
})

describe('several URLs', () => {
  test('behavior: the next is asked when one fails, each once, in their order', async () => {
    const [a, b, c] = [await named('a'), await named('b'), await named('c')] as const
    a.behave(refuse)
    b.behave(respond({ data: null }))
    const remote = openRemote([a.url, b.url, c.url])
    expect((await remote.ask()).data).toBe('{"from":"c"}')
    expect([a, b, c].map((fake) => fake.queries().length)).toEqual([1, 1, 1])
    expect(linesOf(remote.log(), 'failed').map((line) => JSON.parse(line).attempt)).toEqual([1, 2])
  })

  test('error: where all fail, the last failure is told', async () => {
    const [a, b] = [await named('a'), await startFailingServer('nothing listens')] as const
    a.behave(refuse)
    const error = await errorOf(openRemote([a.url, b.url]).ask())
    expect(error).toMatchObject({ code: 'upstream_failed', details: { failure: 'refused' } })
  })

  test('error: a rejected query is rejected by the first, and speaks for its health', async () => {
    const [a, b] = [await named('a'), await named('b')] as const
    a.behave(respond({ errors: [{ message: 'Type `Query` has no field `x`' }] }))
    const remote = openRemote([a.url, b.url])
    for (let count = 0; count < 10; count += 1) {
      const error = await errorOf(remote.ask())
      expect(error).toMatchObject({ code: 'query_rejected', retryable: false })
      expect(error.message).toBe('The chain’s subgraph rejects the query: Type `Query` has no field `x`')
    }
    expect(b.requests).toEqual([])
    expect(a.lights()).toEqual([])
    expect(remote.subgraph.status()[0]).toMatchObject({ circuit: 'closed', lastFailure: undefined })
    expect(remote.log()).toBe('')
  })

  test('behavior: beside one that takes long the next is asked; the faster wins and the other is broken off', async () => {
    const [a, b] = [await named('a'), await named('b')] as const
    a.behave(hang)
    const remote = openRemote([a.url, b.url], { settings: { hedgeMs: 50 } })
    const started = performance.now()
    expect((await remote.ask()).data).toBe('{"from":"b"}')
    expect(performance.now() - started).toBeGreaterThanOrEqual(49)
    await a.requests[0]?.closed
    expect(remote.metrics()).toMatch(/upstream_total{[^}]*outcome="cancelled"} 1\n/)
    expect(remote.log()).toBe('')
  })

  test('behavior: the first may still win after the next was asked', async () => {
    const [a, b] = [await named('a'), await named('b')] as const
    let answerA = () => undefined as unknown
    a.behave(({ answerWell }) => {
      answerA = answerWell
    })
    b.behave(() => answerA())
    const remote = openRemote([a.url, b.url], { settings: { hedgeMs: 20 } })
    expect((await remote.ask()).data).toBe('{"from":"a"}')
    await b.requests[0]?.closed
  })

  test('behavior: where the first answers in time, the next is never asked', async () => {
    const [a, b] = [await named('a'), await named('b')] as const
    const remote = openRemote([a.url, b.url], { settings: { hedgeMs: 2_000 } })
    for (let count = 0; count < 5; count += 1) await remote.ask()
    expect(b.requests).toEqual([])
  })

  test('behavior: without hedging one that hangs gets only its share of the time', async () => {
    const [a, b] = [await named('a'), await named('b')] as const
    a.behave(hang)
    const remote = openRemote([a.url, b.url], { settings: { timeoutMs: 600 } })
    const started = performance.now()
    expect((await remote.ask({}, 30_000)).data).toBe('{"from":"b"}')
    expect(performance.now() - started).toBeGreaterThanOrEqual(299)
    await a.requests[0]?.closed
    expect(JSON.parse(remote.log().split('\n')[0] as string)).toMatchObject({ failure: 'slow_headers', attempt: 1 })
  })

  test('behavior: a hedge later than the deadline is brought forward', async () => {
    const [a, b] = [await named('a'), await named('b')] as const
    a.behave(hang)
    const remote = openRemote([a.url, b.url], { settings: { timeoutMs: 600, hedgeMs: 60_000 } })
    expect((await remote.ask({}, 30_000)).data).toBe('{"from":"b"}')
  })

  test('error: all hang: the deadline ends it, and says that nothing came', async () => {
    const [a, b] = [await named('a'), await named('b')] as const
    for (const fake of [a, b]) fake.behave(hang)
    const remote = openRemote([a.url, b.url], { settings: { hedgeMs: 20 } })
    const error = await errorOf(remote.ask({}, 300))
    expect(error).toMatchObject({ code: 'upstream_timeout', details: { failure: 'slow_headers' } })
    await Promise.all([a.requests[0]?.closed, b.requests[0]?.closed])
    expect(linesOf(remote.log(), 'slow_headers')).toHaveLength(2)
  })

  test('behavior: two URLs of one host have two names', async () => {
    const fake = await named('a')
    const remote = openRemote([`${fake.url}/one`, `${fake.url}/two`])
    const { host } = new URL(fake.url)
    expect(remote.subgraph.status().map(({ upstream }) => upstream)).toEqual([host, `${host}#2`])
    expect(remote.metrics()).toContain(`tallystick_data_circuit{chain="324",upstream="${host}#2"} 0\n`)
  })
})

/** Lets queries fail until the circuit of the only upstream is open. */
async function openCircuit(remote: ReturnType<typeof openRemote>) {
  for (let count = 0; count < 3; count += 1) await errorOf(remote.ask())
  await expect.poll(() => remote.subgraph.status()[0]?.circuit).toBe('open')
}

describe('the circuit', () => {
  test('behavior: opens when queries and the light query fail, refuses at once, and closes by a light query alone', async () => {
    const fake = await startFakeSubgraph()
    fake.behave(refuse)
    const remote = openRemote([fake.url])
    await openCircuit(remote)
    expect([fake.queries().length, fake.lights().length]).toEqual([3, 1])
    const error = await errorOf(remote.ask())
    expect(error).toMatchObject({
      code: 'upstream_failed',
      details: { failure: 'circuit_open' },
      retryAfterSeconds: 1,
      message:
        'The chain’s subgraph failed time and again (http_status), and is not asked for the moment. Try again in 1 s.',
    })
    expect(remote.metrics()).toMatch(/tallystick_data_circuit{[^}]*} (1|0\.5)\n/)
    fake.behave(undefined)
    await expect.poll(() => remote.subgraph.status()[0]?.circuit, { timeout: 5_000 }).toBe('closed')
    expect(fake.queries()).toHaveLength(3)
    expect((await remote.ask()).data).toBe('{"positionInfos":[]}')
    expect(linesOf(remote.log(), 'is not asked any more')).toHaveLength(1)
    expect(linesOf(remote.log(), 'is well again')).toHaveLength(1)
  })

  test('behavior: stays open while the light query fails, one at a time and less and less often', async () => {
    const fake = await startFakeSubgraph()
    const atMs: number[] = []
    fake.behave((exchange) => {
      if (exchange.request.isLight) atMs.push(performance.now())
      refuse(exchange)
    })
    const remote = openRemote([fake.url])
    await openCircuit(remote)
    await expect.poll(() => atMs.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(3)
    const waits = atMs.slice(1).map((at, index) => at - (atMs[index] as number))
    expect(waits[0]).toBeGreaterThanOrEqual(490)
    expect(waits[1]).toBeGreaterThanOrEqual(990)
    expect(linesOf(remote.log(), 'is not asked any more')).toHaveLength(1)
  })

  test('behavior: queries that make a healthy upstream fail do not shut it for others', async () => {
    const fake = await startFakeSubgraph()
    const remote = openRemote([fake.url])
    fake.behave(toQueries(refuse))
    for (let count = 0; count < 30; count += 1) {
      expect((await errorOf(remote.ask())).details).toEqual({ failure: 'http_status' })
    }
    expect(fake.queries()).toHaveLength(30)
    expect(remote.subgraph.status()[0]?.circuit).toBe('closed')
    expect(fake.lights().length).toBeLessThanOrEqual(2)
    fake.behave(undefined)
    expect((await remote.ask()).data).toBe('{"positionInfos":[]}')
  })

  test('behavior: neither blocks that are not there yet nor answers that are too large raise a suspicion', async () => {
    const fake = await startFakeSubgraph()
    const remote = openRemote([fake.url], { settings: { answerBytesMax: 1_024 } })
    fake.behave(respond({ errors: [{ message: 'bad indexers: {0x1: Unavailable(missing block: 9)}' }] }))
    for (let count = 0; count < 5; count += 1) {
      expect((await errorOf(remote.ask())).details).toEqual({ failure: 'behind' })
    }
    fake.behave(respond({ data: { a: 'x'.repeat(2_000) } }))
    for (let count = 0; count < 5; count += 1) {
      expect((await errorOf(remote.ask())).details).toEqual({ failure: 'too_large' })
    }
    expect(fake.lights()).toEqual([])
  })

  test('behavior: an upstream that hangs behind a hedge is found out, and costs no caller the wait any more', async () => {
    const [a, b] = [await named('a'), await named('b')] as const
    a.behave(hang)
    const remote = openRemote([a.url, b.url], { settings: { hedgeMs: 30, timeoutMs: 500 } })
    for (let count = 0; count < 3; count += 1) await remote.ask()
    await expect.poll(() => remote.subgraph.status()[0]?.circuit, { timeout: 5_000 }).toBe('open')
    const before = a.queries().length
    await remote.ask()
    expect(a.queries()).toHaveLength(before)
  })

  test('behavior: who asks to be left alone is left alone for as long, and then asked for the head first', async () => {
    const fake = await startFakeSubgraph()
    let sentAwayAtMs = 0
    fake.behave(({ response }) => {
      sentAwayAtMs = performance.now()
      response.writeHead(429, { 'retry-after': '1' }).end()
      fake.behave(undefined)
    })
    const remote = openRemote([fake.url])
    expect(await errorOf(remote.ask())).toMatchObject({ details: { failure: 'busy' }, retryAfterSeconds: 1 })
    expect(await errorOf(remote.ask())).toMatchObject({ details: { failure: 'circuit_open' }, retryAfterSeconds: 1 })
    expect(fake.requests).toHaveLength(1)
    await expect.poll(() => fake.lights().length, { timeout: 5_000 }).toBe(1)
    expect(performance.now() - sentAwayAtMs).toBeGreaterThanOrEqual(990)
    await expect.poll(() => remote.subgraph.status()[0]?.circuit).toBe('closed')
    expect(fake.queries()).toHaveLength(1)
  })

  test('behavior: while one rests the other is asked', async () => {
    const [a, b] = [await named('a'), await named('b')] as const
    a.behave(({ response }) => response.writeHead(503, { 'retry-after': '60' }).end())
    const remote = openRemote([a.url, b.url])
    for (let count = 0; count < 3; count += 1) expect((await remote.ask()).data).toBe('{"from":"b"}')
    expect(a.requests).toHaveLength(1)
    expect(remote.subgraph.status()[0]).toMatchObject({ circuit: 'open', lastFailure: 'http_status' })
    expect(remote.subgraph.status()[0]?.restMs).toBeGreaterThan(50_000)
  })
})

describe('an index that is behind', () => {
  const late = (fake: FakeSubgraph, number: number, seconds: number) => fake.setHead(headAt(number, now() - seconds))

  test('behavior: another URL is asked, the fresher answer wins, and is asked first from then on', async () => {
    const [a, b] = [await named('a'), await named('b')] as const
    late(a, 50, 400)
    const remote = openRemote([a.url, b.url])
    expect((await remote.ask()).data).toBe('{"from":"b"}')
    expect((await remote.ask()).data).toBe('{"from":"b"}')
    expect([a.queries().length, b.queries().length]).toEqual([1, 2])
    expect(remote.subgraph.status().map(({ isBehind }) => isBehind)).toEqual([true, false])
    expect(remote.metrics()).toMatch(/tallystick_data_remote_lag_seconds{[^}]*} 40\d/)
  })

  test('behavior: exactly the limit is not behind', async () => {
    const [a, b] = [await named('a'), await named('b')] as const
    a.setHead(headAt(50, 1_000))
    const remote = openRemote([a.url, b.url], { now: () => 1_300_000 })
    expect((await remote.ask()).data).toBe('{"from":"a"}')
    expect(b.requests).toEqual([])
  })

  test('behavior: where all are behind the freshest is served, and later queries go to it alone', async () => {
    const [a, b] = [await named('a'), await named('b')] as const
    late(a, 50, 900)
    late(b, 60, 600)
    const remote = openRemote([a.url, b.url])
    const answer = await remote.ask()
    expect(answer).toMatchObject({ data: '{"from":"b"}', head: { number: 60 } })
    await remote.ask()
    expect([a.queries().length, b.queries().length]).toEqual([1, 2])
  })

  test('behavior: an old answer is served where the other URL fails', async () => {
    const [a, b] = [await named('a'), await named('b')] as const
    late(a, 50, 900)
    b.behave(refuse)
    expect((await openRemote([a.url, b.url]).ask()).data).toBe('{"from":"a"}')
  })

  test('behavior: and soon, where the other hangs', async () => {
    const [a, b] = [await named('a'), await named('b')] as const
    late(a, 50, 900)
    b.behave(hang)
    const remote = openRemote([a.url, b.url], { settings: { timeoutMs: 1_000 } })
    expect((await remote.ask({}, 30_000)).data).toBe('{"from":"a"}')
    await b.requests[0]?.closed
  })

  test('behavior: and at the deadline, whatever is still under way', async () => {
    const [a, b] = [await named('a'), await named('b')] as const
    late(a, 50, 900)
    b.behave(hang)
    const remote = openRemote([a.url, b.url])
    expect((await remote.ask({}, 300)).data).toBe('{"from":"a"}')
  })
})

describe('what is known of the head', () => {
  test('default: every answer tells, and is believed for as long as the poll allows', async () => {
    const fake = await startFakeSubgraph()
    const time = { ms: 1_000 }
    const remote = openRemote([fake.url], { settings: { pollMs: 60_000 }, monotonicNow: () => time.ms })
    expect(remote.subgraph.currentHead()).toBeUndefined()
    await remote.ask()
    expect(remote.subgraph.currentHead()).toMatchObject({ number: 100 })
    time.ms += 59_999
    expect(remote.subgraph.currentHead()).toMatchObject({ number: 100 })
    time.ms += 1
    expect(remote.subgraph.currentHead()).toBeUndefined()
  })

  test('behavior: a head without a hash is not known', async () => {
    const fake = await startFakeSubgraph({ head: { number: 5, hash: null, timestamp: 1 } })
    const remote = openRemote([fake.url], { settings: { pollMs: 60_000 } })
    await remote.ask()
    expect(remote.subgraph.currentHead()).toBeUndefined()
  })

  test('behavior: an answer that was asked for earlier does not override a later one', async () => {
    const fake = await startFakeSubgraph()
    const time = { ms: 0 }
    const remote = openRemote([fake.url], { settings: { pollMs: 60_000 }, monotonicNow: () => time.ms })
    let answerFirst = () => undefined as unknown
    fake.behave(({ answerWell }) => {
      answerFirst = answerWell
      fake.behave(undefined)
    })
    const first = remote.ask()
    await expect.poll(() => fake.requests.length).toBe(1)
    time.ms = 10
    fake.setHead(headAt(101))
    await remote.ask()
    fake.setHead(headAt(100))
    answerFirst()
    expect((await first).head?.number).toBe(100)
    expect(remote.subgraph.currentHead()?.number).toBe(101)
  })

  test('behavior: while there is traffic a light query keeps it fresh, and without traffic none is sent', async () => {
    const fake = await startFakeSubgraph()
    const remote = openRemote([fake.url], { settings: { pollMs: 200 } })
    await remote.ask()
    fake.setHead(headAt(101))
    await expect.poll(() => remote.subgraph.currentHead()?.number, { interval: 20 }).toBe(101)
    await expect
      .poll(() => [remote.subgraph.currentHead(), fake.lights().length][1], { interval: 20, timeout: 5_000 })
      .toBeGreaterThanOrEqual(3)
    expect(fake.queries()).toHaveLength(1)
    // Two polls may still be due from the traffic there was.
    await delay(400)
    const { length } = fake.lights()
    await delay(600)
    expect(fake.lights()).toHaveLength(length)
  })

  test('behavior: with 0 nothing is used again and nothing is polled', async () => {
    const fake = await startFakeSubgraph()
    const remote = openRemote([fake.url], { settings: { pollMs: 0 } })
    await remote.ask()
    expect(remote.subgraph.currentHead()).toBeUndefined()
    await delay(100)
    expect(fake.lights()).toEqual([])
  })
})

describe('a query that is broken off', () => {
  test('error: nobody waits any more: it ends at once with that reason, and speaks against nobody', async () => {
    const fake = await startFakeSubgraph()
    fake.behave(hang)
    const remote = openRemote([fake.url])
    const gone = new Error('the last caller has gone')
    for (let count = 1; count <= 5; count += 1) {
      const controller = new AbortController()
      const asked = errorOf(remote.subgraph.ask(remoteQuery(), controller.signal))
      await expect.poll(() => fake.requests.length).toBe(count)
      controller.abort(gone)
      expect(await asked).toBe(gone)
      await fake.requests[count - 1]?.closed
    }
    expect(fake.lights()).toEqual([])
    expect(remote.log()).toBe('')
    expect(remote.metrics()).toMatch(/upstream_total{[^}]*outcome="cancelled"} 5\n/)
  })

  test('error: an error of ours as the reason is thrown as it is; a signal aborted before sends nothing', async () => {
    const fake = await startFakeSubgraph()
    const remote = openRemote([fake.url])
    const reason = new TallystickError({ code: 'not_ready', message: 'Stopping.', retryable: true })
    expect(await errorOf(remote.subgraph.ask(remoteQuery(), AbortSignal.abort(reason)))).toBe(reason)
    expect(await errorOf(remote.subgraph.ask(remoteQuery(), AbortSignal.abort(deadlineReached)))).toMatchObject({
      details: { failure: 'slow_headers' },
    })
    expect(fake.requests).toEqual([])
  })

  test('behavior: a signal that outlives many queries keeps nothing of them', async () => {
    const fake = await startFakeSubgraph()
    const { subgraph } = openRemote([fake.url])
    const { signal } = new AbortController()
    for (let count = 0; count < 20; count += 1) await subgraph.ask(remoteQuery(), signal)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('behavior: a thousand that hang leave nothing behind, and the upstream saw no more than its connections', async () => {
    const fake = await startFakeSubgraph()
    fake.behave(hang)
    const before = activeResources()
    const remote = openRemote([fake.url])
    const controller = new AbortController()
    setMaxListeners(0, controller.signal)
    const asked = Array.from({ length: 1_000 }, () => errorOf(remote.subgraph.ask(remoteQuery(), controller.signal)))
    await expect.poll(() => fake.requests.length, { timeout: 10_000 }).toBe(64)
    const started = performance.now()
    controller.abort(deadlineReached)
    const errors = await Promise.all(asked)
    expect(performance.now() - started).toBeLessThan(5_000)
    expect(new Set(errors.map(({ details }) => details?.['failure']))).toEqual(new Set(['slow_headers']))
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
    // The one that may come on top is the light query that looks into so many failures.
    await expect.poll(fake.openConnections).toBeLessThanOrEqual(1)
    expect(fake.queries()).toHaveLength(64)
    await remote.subgraph.close()
    await expect.poll(fake.openConnections).toBe(0)
    await expect.poll(activeResources).toBeLessThanOrEqual(before)
  })

  test('error: more than can wait are refused at once', async () => {
    const fake = await startFakeSubgraph()
    fake.behave(hang)
    const remote = openRemote([fake.url])
    const controller = new AbortController()
    setMaxListeners(0, controller.signal)
    const asked = Array.from({ length: 1_064 }, () => errorOf(remote.subgraph.ask(remoteQuery(), controller.signal)))
    expect(await errorOf(remote.ask())).toMatchObject({ details: { failure: 'overloaded' }, retryAfterSeconds: 1 })
    controller.abort(new Error('enough'))
    await Promise.all(asked)
  })

  test('behavior: close ends what is under way, and nothing is logged as a failure', async () => {
    const fake = await startFakeSubgraph()
    fake.behave(hang)
    const remote = openRemote([fake.url])
    const asked = errorOf(remote.ask())
    await expect.poll(() => fake.requests.length).toBe(1)
    await remote.subgraph.close()
    expect((await asked).message).toBe('The service is stopping. Try again.')
    await expect.poll(fake.openConnections).toBe(0)
    expect(remote.log()).toBe('')
  })
})

test.each([
  ['a line break in a value', { authorization: 'Bearer x\n' }],
  ['a name that is none', { 'not a name': 'x' }],
  ['a header of the connection', { 'Transfer-Encoding': 'chunked' }],
])('error: %s is refused before anything is asked', (_, headers) => {
  const secrets = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, { reveal: () => value }]))
  expect(() => openRemote(['http://127.0.0.1:9'], { headers: secrets })).toThrow(/^The header .* cannot be sent/)
})
