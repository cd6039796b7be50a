import { setMaxListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { hang, refuse, respond, startFakeSubgraph, startNamed, toQueries } from './fake-subgraph.ts'
import { errorOf, linesOf, openRemote, remoteQuery } from './remote-harness.ts'

/** Lets queries fail until the circuit of the only upstream is open. */
async function openCircuit(remote: ReturnType<typeof openRemote>) {
  for (let count = 0; count < 3; count += 1) await errorOf(remote.ask())
  await expect.poll(() => remote.subgraph.status()[0]?.circuit).toBe('open')
}

describe('the circuit', () => {
  test('behavior: opens when queries and the light query fail, refuses at once, and closes by a light query alone', async () => {
    const fake = await startFakeSubgraph()
    const remote = openRemote([fake.url])
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
    await expect.poll(() => remote.subgraph.status()[0]?.circuit).toBe('closed')
    expect(fake.queries()).toHaveLength(3)
    expect((await remote.ask()).data).toBe('{"positionInfos":[]}')
    expect(linesOf(remote.log(), 'circuit opened')).toHaveLength(1)
    expect(linesOf(remote.log(), 'subgraph recovered')).toHaveLength(1)
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
    await expect.poll(() => atMs.length).toBeGreaterThanOrEqual(3)
    const waits = atMs.slice(1).map((at, index) => at - (atMs[index] as number))
    expect(waits[0]).toBeGreaterThanOrEqual(490)
    expect(waits[1]).toBeGreaterThanOrEqual(990)
    expect(linesOf(remote.log(), 'circuit opened')).toHaveLength(1)
  })

  test('behavior: queries that make a healthy upstream fail do not shut it for others', async () => {
    const fake = await startFakeSubgraph()
    const remote = openRemote([fake.url])
    fake.behave(toQueries(refuse))
    const started = performance.now()
    for (let count = 0; count < 30; count += 1) {
      expect((await errorOf(remote.ask())).details).toEqual({ failure: 'http_status' })
    }
    expect(fake.queries()).toHaveLength(30)
    expect(remote.subgraph.status()[0]?.circuit).toBe('closed')
    // After each light query that was answered well nothing counts for a second.
    expect(fake.lights().length).toBeLessThanOrEqual(2 + (performance.now() - started) / 1_000)
    fake.behave(undefined)
    expect((await remote.ask()).data).toBe('{"positionInfos":[]}')
  })

  test('behavior: slow queries that take every connection do not keep the light one from being sent', async () => {
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
    const [a, b] = [await startNamed('a'), await startNamed('b')] as const
    a.behave(hang)
    const remote = openRemote([a.url, b.url], { settings: { hedgeMs: 30, timeoutMs: 2_000 } })
    for (let count = 0; count < 3; count += 1) await remote.ask()
    await expect.poll(() => remote.subgraph.status()[0]?.circuit).toBe('open')
    const before = a.queries().length
    await remote.ask()
    expect(a.queries()).toHaveLength(before)
  })

  test('behavior: who asks to be left alone is left alone for as long, and then asked for the head first', async () => {
    const fake = await startFakeSubgraph()
    let sentAwayAtMs = 0
    fake.behave(({ response }) => {
      sentAwayAtMs = performance.now()
      response.writeHead(429, { 'retry-after': '2' }).end()
      fake.behave(undefined)
    })
    const remote = openRemote([fake.url])
    expect(await errorOf(remote.ask())).toMatchObject({ details: { failure: 'busy' }, retryAfterSeconds: 2 })
    const refused = await errorOf(remote.ask())
    expect(refused.details).toEqual({ failure: 'circuit_open' })
    expect(refused.retryAfterSeconds).toBeOneOf([1, 2])
    expect(fake.requests).toHaveLength(1)
    await expect.poll(() => fake.lights().length).toBe(1)
    expect(performance.now() - sentAwayAtMs).toBeGreaterThanOrEqual(1_990)
    await expect.poll(() => remote.subgraph.status()[0]?.circuit).toBe('closed')
    expect(fake.queries()).toHaveLength(1)
  })

  test('behavior: while one rests the other is asked', async () => {
    const [a, b] = [await startNamed('a'), await startNamed('b')] as const
    a.behave(({ response }) => response.writeHead(503, { 'retry-after': '60' }).end())
    const remote = openRemote([a.url, b.url])
    for (let count = 0; count < 3; count += 1) expect((await remote.ask()).data).toBe('{"from":"b"}')
    expect(a.requests).toHaveLength(1)
    expect(remote.subgraph.status()[0]).toMatchObject({ circuit: 'open', lastFailure: 'http_status' })
    expect(remote.subgraph.status()[0]?.openForMs).toBeGreaterThan(50_000)
  })
})
