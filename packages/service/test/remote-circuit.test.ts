import { setMaxListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { hang, refuse, respond, startFakeSubgraph, startNamed, toQueries } from './fake-subgraph.ts'
import { createTestTime, errorOf, linesOf, openRemote, remoteQuery, turn } from './remote-harness.ts'

/** Sends failing queries until the circuit of the only upstream is open. */
async function openCircuit(remote: ReturnType<typeof openRemote>) {
  for (let count = 0; count < 3; count += 1) await errorOf(remote.ask())
  await expect.poll(() => remote.subgraph.status()[0]?.circuit).toBe('open')
}

describe('the circuit', () => {
  test('behavior: opens when queries and the probe fail, rejects at once, and closes when a probe succeeds', async () => {
    const fake = await startFakeSubgraph()
    const time = createTestTime()
    const remote = openRemote([fake.url], { time })
    let lightsUntilOpen = 0
    fake.behave((exchange) => {
      const isOpen = remote.log().includes('circuit opened')
      if (exchange.request.isLight && !isOpen) lightsUntilOpen += 1
      refuse(exchange)
    })
    await openCircuit(remote)
    expect([fake.queries().length, lightsUntilOpen]).toEqual([3, 1])
    const error = await errorOf(remote.ask())
    expect(error).toMatchObject({
      code: 'upstream_failed',
      details: { failure: 'circuit_open' },
      retryAfterSeconds: 1,
      message: 'The chain’s subgraph failed repeatedly (http_status) and is temporarily disabled. Try again in 1 s.',
    })
    expect(remote.metrics()).toMatch(/tallystick_data_circuit{[^}]*} (1|0\.5)\n/)
    fake.behave(undefined)
    time.advance(500)
    await expect.poll(() => remote.subgraph.status()[0]?.circuit).toBe('closed')
    expect(fake.queries()).toHaveLength(3)
    expect((await remote.ask()).data).toBe('{"positionInfos":[]}')
    expect(linesOf(remote.log(), 'circuit opened')).toHaveLength(1)
    expect(linesOf(remote.log(), 'subgraph recovered')).toHaveLength(1)
  })

  test('behavior: stays open while probes fail, which are sent one at a time with growing delays', async () => {
    const fake = await startFakeSubgraph()
    const time = createTestTime()
    fake.behave(refuse)
    const remote = openRemote([fake.url], { time })
    await openCircuit(remote)
    for (const [probes, delayMs] of [500, 1_000, 2_000].entries()) {
      time.advance(delayMs - 1)
      await turn()
      expect([remote.subgraph.status()[0]?.circuit, fake.lights().length]).toEqual(['open', probes + 1])
      time.advance(1)
      expect(remote.subgraph.status()[0]?.circuit).toBe('probing')
      await expect.poll(() => remote.subgraph.status()[0]?.circuit).toBe('open')
      expect(fake.lights()).toHaveLength(probes + 2)
    }
    expect(linesOf(remote.log(), 'circuit opened')).toHaveLength(1)
  })

  test('behavior: queries that fail on a healthy upstream do not open its circuit', async () => {
    const fake = await startFakeSubgraph()
    const remote = openRemote([fake.url])
    fake.behave(toQueries(refuse))
    const started = performance.now()
    for (let count = 0; count < 30; count += 1) {
      expect((await errorOf(remote.ask())).details).toEqual({ failure: 'http_status' })
    }
    expect(fake.queries()).toHaveLength(30)
    expect(remote.subgraph.status()[0]?.circuit).toBe('closed')
    // Failures do not count for 1 s after each successful probe.
    expect(fake.lights().length).toBeLessThanOrEqual(2 + (performance.now() - started) / 1_000)
    fake.behave(undefined)
    expect((await remote.ask()).data).toBe('{"positionInfos":[]}')
  })

  test('behavior: slow queries that use every connection do not block the probe', async () => {
    const fake = await startFakeSubgraph()
    const remote = openRemote([fake.url], { settings: { timeoutMs: 2_000 } })
    fake.behave(toQueries(hang))
    const controller = new AbortController()
    setMaxListeners(0, controller.signal)
    const hanging = Array.from({ length: 100 }, () => errorOf(remote.subgraph.ask(remoteQuery(), controller.signal)))
    await expect.poll(() => fake.queries().length).toBe(64)
    for (let count = 0; count < 3; count += 1) {
      expect((await errorOf(remote.ask({}, 20))).details).toEqual({ failure: 'slow_headers' })
    }
    await expect.poll(() => fake.lights().length).toBe(1)
    await fake.lights()[0]?.closed
    expect(remote.subgraph.status()[0]?.circuit).toBe('closed')
    controller.abort(new Error('enough'))
    await Promise.all(hanging)
  })

  test('behavior: blocks not indexed yet and answers that are too large do not trigger a probe', async () => {
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

  test('behavior: an upstream that always loses to the hedge is disabled, so that callers no longer wait', async () => {
    const [a, b] = [await startNamed('a'), await startNamed('b')] as const
    a.behave(hang)
    const time = createTestTime()
    const remote = openRemote([a.url, b.url], { settings: { hedgeMs: 30, timeoutMs: 2_000 }, time })
    for (let count = 0; count < 3; count += 1) {
      const asked = remote.ask()
      time.advance(30)
      await asked
    }
    time.advance(2_000)
    await expect.poll(() => remote.subgraph.status()[0]?.circuit).toBe('open')
    const before = a.queries().length
    await remote.ask()
    expect(a.queries()).toHaveLength(before)
  })

  test('behavior: Retry-After opens the circuit for its time, and a probe follows', async () => {
    const fake = await startFakeSubgraph()
    const time = createTestTime()
    fake.behave(({ response }) => {
      response.writeHead(429, { 'retry-after': '2' }).end()
      fake.behave(undefined)
    })
    const remote = openRemote([fake.url], { time })
    expect(await errorOf(remote.ask())).toMatchObject({ details: { failure: 'busy' }, retryAfterSeconds: 2 })
    const refused = await errorOf(remote.ask())
    expect(refused.details).toEqual({ failure: 'circuit_open' })
    expect(refused.retryAfterSeconds).toBe(2)
    time.advance(1_999)
    await turn()
    expect(fake.requests).toHaveLength(1)
    time.advance(1)
    await expect.poll(() => fake.lights().length).toBe(1)
    await expect.poll(() => remote.subgraph.status()[0]?.circuit).toBe('closed')
    expect(fake.queries()).toHaveLength(1)
  })

  test('behavior: while one circuit is open the other upstream is queried', async () => {
    const [a, b] = [await startNamed('a'), await startNamed('b')] as const
    a.behave(({ response }) => response.writeHead(503, { 'retry-after': '60' }).end())
    const remote = openRemote([a.url, b.url])
    for (let count = 0; count < 3; count += 1) expect((await remote.ask()).data).toBe('{"from":"b"}')
    expect(a.requests).toHaveLength(1)
    expect(remote.subgraph.status()[0]).toMatchObject({ circuit: 'open', lastFailure: 'http_status' })
    expect(remote.subgraph.status()[0]?.openForMs).toBeGreaterThan(50_000)
  })
})
