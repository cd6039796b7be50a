import { systemTime } from '@tallystick/base'
import { describe, expect, test } from 'vitest'
import { startFailingServer } from './failing-servers.ts'
import { type FakeSubgraph, hang, headAt, refuse, respond, startNamed } from './fake-subgraph.ts'
import { createTestTime, errorOf, linesOf, openRemote } from './remote-harness.ts'

const nowSeconds = () => Math.floor(Date.now() / 1000)

describe('several URLs', () => {
  test('behavior: when one fails the next is queried, each once, in order', async () => {
    const [a, b, c] = [await startNamed('a'), await startNamed('b'), await startNamed('c')] as const
    a.behave(refuse)
    b.behave(respond({ data: null }))
    const remote = openRemote([a.url, b.url, c.url])
    expect((await remote.ask()).data).toBe('{"from":"c"}')
    expect([a, b, c].map((fake) => fake.queries().length)).toEqual([1, 1, 1])
    expect(linesOf(remote.log(), 'failed').map((line) => JSON.parse(line).attempt)).toEqual([1, 2])
  })

  test('error: if all fail, the last failure is reported', async () => {
    const [a, b] = [await startNamed('a'), await startFailingServer('nothing listens')] as const
    a.behave(refuse)
    const error = await errorOf(openRemote([a.url, b.url]).ask())
    expect(error).toMatchObject({ code: 'upstream_failed', details: { failure: 'refused' } })
  })

  test('error: a rejection by the first is final and counts as a success of the upstream', async () => {
    const [a, b] = [await startNamed('a'), await startNamed('b')] as const
    a.behave(respond({ errors: [{ message: 'Type `Query` has no field `x`' }] }))
    const remote = openRemote([a.url, b.url])
    for (let count = 0; count < 10; count += 1) {
      const error = await errorOf(remote.ask())
      expect(error).toMatchObject({ code: 'query_rejected', retryable: false })
      expect(error.message).toBe('The chain’s subgraph rejected the query: Type `Query` has no field `x`')
    }
    expect(b.requests).toEqual([])
    expect(a.lights()).toEqual([])
    expect(remote.subgraph.status()[0]).toMatchObject({ circuit: 'closed', lastFailure: undefined })
    expect(remote.log()).toBe('')
  })

  test('behavior: the next is queried in parallel to a slow one, the faster wins and the other is aborted', async () => {
    const [a, b] = [await startNamed('a'), await startNamed('b')] as const
    a.behave(hang)
    const remote = openRemote([a.url, b.url], { settings: { hedgeMs: 50 } })
    const started = performance.now()
    expect((await remote.ask()).data).toBe('{"from":"b"}')
    expect(performance.now() - started).toBeGreaterThanOrEqual(45)
    await a.requests[0]?.closed
    expect(remote.metrics()).toMatch(/upstream_total{[^}]*outcome="cancelled"} 1\n/)
    expect(remote.log()).toBe('')
  })

  test('behavior: the first may still win after the next was queried', async () => {
    const [a, b] = [await startNamed('a'), await startNamed('b')] as const
    let answerA = () => undefined as unknown
    a.behave(({ answerWell }) => {
      answerA = answerWell
    })
    b.behave(() => answerA())
    const remote = openRemote([a.url, b.url], { settings: { hedgeMs: 20 } })
    expect((await remote.ask()).data).toBe('{"from":"a"}')
    await b.requests[0]?.closed
  })

  test('behavior: if the first answers in time, the next is not queried', async () => {
    const [a, b] = [await startNamed('a'), await startNamed('b')] as const
    const remote = openRemote([a.url, b.url], { settings: { hedgeMs: 10_000, timeoutMs: 20_000 } })
    for (let count = 0; count < 5; count += 1) await remote.ask()
    expect(b.requests).toEqual([])
  })

  test('behavior: without hedging, an upstream that hangs gets only its share of the time', async () => {
    const [a, b] = [await startNamed('a'), await startNamed('b')] as const
    a.behave(hang)
    const time = createTestTime()
    const remote = openRemote([a.url, b.url], { settings: { timeoutMs: 2_000 }, time })
    const asked = remote.ask({}, 30_000)
    await expect.poll(() => a.requests.length).toBe(1)
    time.advance(999)
    expect(remote.log()).toBe('')
    time.advance(1)
    expect((await asked).data).toBe('{"from":"b"}')
    await a.requests[0]?.closed
    expect(JSON.parse(remote.log().split('\n')[0] as string)).toMatchObject({ failure: 'slow_headers', attempt: 1 })
  })

  test('behavior: a hedge delay beyond the deadline is shortened', async () => {
    const [a, b] = [await startNamed('a'), await startNamed('b')] as const
    a.behave(hang)
    const time = createTestTime()
    const remote = openRemote([a.url, b.url], { settings: { timeoutMs: 2_000, hedgeMs: 60_000 }, time })
    const asked = remote.ask({}, 30_000)
    time.advance(1_000)
    expect((await asked).data).toBe('{"from":"b"}')
  })

  test('error: if all hang, the query times out without headers', async () => {
    const [a, b] = [await startNamed('a'), await startNamed('b')] as const
    for (const fake of [a, b]) fake.behave(hang)
    const time = createTestTime()
    const remote = openRemote([a.url, b.url], { settings: { hedgeMs: 20 }, time })
    const asked = errorOf(remote.ask({}, 1_000))
    time.advance(20)
    await expect.poll(() => [a.requests.length, b.requests.length]).toEqual([1, 1])
    time.advance(980)
    const error = await asked
    expect(error).toMatchObject({ code: 'upstream_timeout', details: { failure: 'slow_headers' } })
    await Promise.all([a.requests[0]?.closed, b.requests[0]?.closed])
    expect(linesOf(remote.log(), 'slow_headers')).toHaveLength(2)
  })

  test('behavior: two URLs of one host have two labels', async () => {
    const fake = await startNamed('a')
    const remote = openRemote([`${fake.url}/one`, `${fake.url}/two`])
    const { host } = new URL(fake.url)
    expect(remote.subgraph.status().map(({ upstream }) => upstream)).toEqual([host, `${host}#2`])
    expect(remote.metrics()).toContain(`tallystick_data_circuit{chain="324",upstream="${host}#2"} 0\n`)
  })
})

describe('an index that is behind', () => {
  const late = (fake: FakeSubgraph, number: number, seconds: number) =>
    fake.setHead(headAt(number, nowSeconds() - seconds))

  test('behavior: another URL is queried, the fresher answer wins, and its URL is preferred from then on', async () => {
    const [a, b] = [await startNamed('a'), await startNamed('b')] as const
    late(a, 50, 400)
    const remote = openRemote([a.url, b.url])
    expect((await remote.ask()).data).toBe('{"from":"b"}')
    expect((await remote.ask()).data).toBe('{"from":"b"}')
    expect([a.queries().length, b.queries().length]).toEqual([1, 2])
    expect(remote.subgraph.status().map(({ isBehind }) => isBehind)).toEqual([true, false])
    expect(remote.metrics()).toMatch(/tallystick_data_remote_lag_seconds{[^}]*} 40\d/)
  })

  test('behavior: a lag of exactly the limit is not behind', async () => {
    const [a, b] = [await startNamed('a'), await startNamed('b')] as const
    a.setHead(headAt(50, 1_000))
    const remote = openRemote([a.url, b.url], { time: { ...systemTime, now: () => 1_300_000 } })
    expect((await remote.ask()).data).toBe('{"from":"a"}')
    expect(b.requests).toEqual([])
  })

  test('behavior: if all are behind, the freshest answer is returned and later queries go to its URL only', async () => {
    const [a, b] = [await startNamed('a'), await startNamed('b')] as const
    late(a, 50, 900)
    late(b, 60, 600)
    const remote = openRemote([a.url, b.url])
    const answer = await remote.ask()
    expect(answer).toMatchObject({ data: '{"from":"b"}', head: { number: 60 } })
    await remote.ask()
    expect([a.queries().length, b.queries().length]).toEqual([1, 2])
  })

  test('behavior: an old answer is returned if the other URL fails', async () => {
    const [a, b] = [await startNamed('a'), await startNamed('b')] as const
    late(a, 50, 900)
    b.behave(refuse)
    expect((await openRemote([a.url, b.url]).ask()).data).toBe('{"from":"a"}')
  })

  test('behavior: an old answer is returned after a short wait if the other URL hangs', async () => {
    const [a, b] = [await startNamed('a'), await startNamed('b')] as const
    late(a, 50, 900)
    b.behave(hang)
    const time = createTestTime()
    const remote = openRemote([a.url, b.url], { settings: { timeoutMs: 2_000 }, time })
    const asked = remote.ask({}, 30_000)
    await expect.poll(() => b.requests.length).toBe(1)
    time.advance(500)
    expect((await asked).data).toBe('{"from":"a"}')
    await b.requests[0]?.closed
  })

  test('behavior: an old answer is returned at the deadline while other calls are still running', async () => {
    const [a, b] = [await startNamed('a'), await startNamed('b')] as const
    late(a, 50, 900)
    b.behave(hang)
    const time = createTestTime()
    const asked = openRemote([a.url, b.url], { time }).ask({}, 1_000)
    await expect.poll(() => b.requests.length).toBe(1)
    time.advance(1_000)
    expect((await asked).data).toBe('{"from":"a"}')
  })
})
