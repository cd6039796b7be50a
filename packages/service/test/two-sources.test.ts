// @module-tag server

import { createMetrics } from '@tallystick/base'
import type { Finding } from '@tallystick/core'
import { type Database, openDatabase } from '@tallystick/database'
import {
  addSourceMetrics,
  createEmbeddedSource,
  createEmbeddedSubgraph,
  createGateway,
  createRemoteSource,
  createRemoteSubgraph,
  createTwoSourceSubgraph,
  deadlineReached,
  measureSubgraph,
  namespaceOf,
  type SubgraphQuery,
} from '@tallystick/gateway'
import { openSubgraph, protocolSchema, type Subgraph } from '@tallystick/subgraph'
import { startDevChain } from '@tallystick/workbench/dev-chain/start-dev-chain'
import { waitOptions } from '@tallystick/workbench/wait-options'
import pino from 'pino'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { metricHelp } from '../src/metric-help.ts'
import { createPostData } from './data-client.ts'
import { hang, headAt, refuse, respond, startNamed } from './fake-subgraph.ts'
import { chain324, createDeferrals, newDatabase, pool, start } from './harness.ts'
import { createTestTime, errorOf, linesOf, remoteQuery, turn } from './remote-harness.ts'
import { buildSubgraphApp } from './subgraph-app.ts'

const schema = 'type PositionInfo @entity { id: ID! }'
const startSeconds = 1_800_000_000
const settings = {
  ...{ timeoutMs: 10_000, hedgeMs: 500, pollMs: 2_000, maxLagSeconds: 300 },
  ...{ answerBytesMax: 1_000_000, cacheBytesMax: 0 },
}

let database: Database
let rpcUrl: string
let sharedUrl: string
beforeAll(async () => {
  const { defer, finish } = createDeferrals()
  sharedUrl = await newDatabase('postgres', defer)
  database = await openDatabase(sharedUrl)
  defer(() => database.close())
  const node = await startDevChain({ chainId: 324 })
  defer(() => node.stop())
  rpcUrl = node.url
  return finish
})

const blockAt = (number: number, timestamp: number) => {
  const { hash } = headAt(number)
  return { number, hash: hash as string, parentHash: headAt(number - 1).hash as string, timestamp }
}
let namespaces = 0

/** Opens a chain with a real index at block 100 and a fake remote at block 100, both of `startSeconds`. */
async function open({
  prefer = 'embedded',
  isWriting = true,
  ...more
}: {
  prefer?: 'embedded' | 'urls'
  isWriting?: boolean
  hedgeMs?: null
} = {}) {
  namespaces += 1
  const index = await openSubgraph({ database, schema, namespace: `two_sources_${namespaces}` })
  await index.commit(blockAt(100, startSeconds), [{ entity: 'PositionInfo', id: 'embedded', set: {} }])
  const fake = await startNamed('remote')
  fake.setHead(headAt(100, startSeconds))
  const time = createTestTime()
  const state = {
    ...{ nowMs: startSeconds * 1000, asked: 0 },
    misbehave: undefined as Subgraph['answer'] | undefined,
    readHead: index.readHead,
  }
  const lines: string[] = []
  const metrics = createMetrics(metricHelp)
  const parts = {
    ...{ metrics, settings: { ...settings, ...more }, time: { ...time, now: () => state.nowMs } },
    log: pino({ level: 'trace', base: null }, { write: (line: string) => lines.push(line) }),
  }
  const own = measureSubgraph(
    createEmbeddedSubgraph(324, {
      subgraph: {
        answer: (request) => {
          state.asked += 1
          return (state.misbehave ?? index.answer)(request)
        },
        get head() {
          return index.head
        },
        readHead: () => state.readHead(),
      },
      follower: { isWriting },
      time,
    }),
    { metrics, log: parts.log, time },
  )
  const remote = createRemoteSubgraph({ ...parts, chainId: 324, urls: [fake.url], headers: {} })
  const sources = [createEmbeddedSource(own, { ...parts, ...settings }), createRemoteSource(remote)] as const
  const [preferred, fallback] = prefer === 'urls' ? [sources[1], sources[0]] : sources
  const subgraph = createTwoSourceSubgraph({ ...parts, preferred, fallback })
  addSourceMetrics(metrics, new Map([[324, subgraph]]))
  onTestFinished(async () => {
    await Promise.all([subgraph.close(), remote.close()])
  })
  const ask = async (query?: Partial<SubgraphQuery>) => {
    const controller = new AbortController()
    const wait = { name: 'deadline', ms: settings.timeoutMs }
    const timer = time.setTimer(wait, () => controller.abort(deadlineReached))
    try {
      await subgraph.currentHead()
      return await subgraph.ask(remoteQuery(query), controller.signal)
    } finally {
      timer.stop()
    }
  }
  return { index, fake, time, state, subgraph, ask, log: () => lines.join(''), metrics: () => metrics.expose() }
}

const unavailable: Subgraph['answer'] = async () => ({
  data: undefined,
  errors: [{ message: 'connection lost' }],
  failure: { code: 'database_unavailable' } as never,
  head: undefined,
})
const never: Subgraph['answer'] = () => new Promise(() => undefined)

describe('which source answers', () => {
  test('default: the embedded one, and the remote one gets no request', async () => {
    const chain = await open()
    const answer = await chain.ask()
    expect(answer).toMatchObject({ data: '{"positionInfos":[{"id":"embedded"}]}', source: 'embedded' })
    expect(chain.subgraph.knownHead()).toEqual(await chain.subgraph.currentHead())
    expect(chain.fake.requests).toEqual([])
    expect(chain.metrics()).toContain('tallystick_data_source_answers_total{chain="324",source="embedded"} 1')
    expect(chain.metrics()).toContain('tallystick_data_source{chain="324",source="embedded"} 1')
    expect(chain.metrics()).toContain('tallystick_data_source{chain="324",source="remote"} 0')
  })

  test('default: with `prefer: "urls"` the remote one', async () => {
    const chain = await open({ prefer: 'urls' })
    expect(await chain.ask()).toMatchObject({ data: '{"from":"remote"}', source: 'remote' })
    expect(chain.state.asked).toBe(0)
    chain.fake.behave(refuse)
    expect(await chain.ask()).toMatchObject({ source: 'embedded' })
  })

  test('behavior: a failure is answered by the other source, and repeated failures stop the queries until a probe succeeds', async () => {
    const chain = await open()
    chain.state.misbehave = unavailable
    for (let count = 0; count < 3; count += 1) expect(await chain.ask()).toMatchObject({ source: 'remote' })
    await vi.waitUntil(() => chain.subgraph.current === 'remote', waitOptions)
    const { asked } = chain.state
    expect(await chain.ask()).toMatchObject({ source: 'remote' })
    expect(chain.state.asked).toBe(asked)
    // The head of the source that answers decides about reuse.
    expect(await chain.subgraph.currentHead()).toMatchObject({ hash: headAt(100).hash })
    expect(chain.metrics()).toContain('tallystick_data_source{chain="324",source="remote"} 1')
    chain.state.misbehave = undefined
    await vi.waitUntil(() => {
      chain.time.advance(1_000)
      return chain.subgraph.current === 'embedded'
    }, waitOptions)
    expect(await chain.ask()).toMatchObject({ source: 'embedded' })
    const changes = linesOf(chain.log(), 'source of the subgraph changed').map((line) => JSON.parse(line))
    expect(changes).toMatchObject([
      { source: 'remote', reason: 'failed' },
      { source: 'embedded', reason: 'recovered' },
    ])
  })

  test('behavior: one source with failing queries and a healthy index is not disabled by them', async () => {
    const chain = await open()
    chain.state.misbehave = (request) =>
      request.query.includes('_meta') ? chain.index.answer(request) : unavailable(request)
    for (let count = 0; count < 10; count += 1) expect(await chain.ask()).toMatchObject({ source: 'remote' })
    expect(chain.subgraph.current).toBe('embedded')
  })
})

describe('lag', () => {
  test('behavior: an index in backfill is passed over until its lag is half the limit', async () => {
    const chain = await open()
    chain.state.nowMs += 301_000
    chain.fake.setHead(headAt(400, startSeconds + 301))
    expect(await chain.ask()).toMatchObject({ source: 'remote', head: { number: 400 } })
    expect(chain.state.asked).toBe(0)
    await chain.index.commit(blockAt(200, startSeconds + 100), [])
    expect(await chain.ask()).toMatchObject({ source: 'remote' })
    await chain.index.commit(blockAt(300, startSeconds + 151), [])
    expect(await chain.ask()).toMatchObject({ source: 'embedded', head: { number: 300 } })
    expect(linesOf(chain.log(), 'source of the subgraph changed')).toHaveLength(2)
  })

  test('behavior: a chain without new blocks does not change the source', async () => {
    const chain = await open()
    chain.state.nowMs += 3_600_000
    const first = await chain.ask()
    expect(first.head?.number).toBe(100)
    const { length } = chain.fake.queries()
    expect(length).toBe(1)
    for (let count = 0; count < 3; count += 1) expect(await chain.ask()).toMatchObject({ source: 'embedded' })
    expect(chain.fake.queries()).toHaveLength(length)
  })

  test('behavior: while the preferred source is old, the head of the other is polled, which queries do not have to find out', async () => {
    const chain = await open()
    chain.state.nowMs += 3_600_000
    await chain.ask()
    // 40 s in small steps: a poll takes real time, and must be answered before the known head is too old.
    for (let step = 0; step < 400; step += 1) {
      chain.time.advance(100)
      expect(await chain.ask()).toMatchObject({ source: 'embedded' })
    }
    expect(chain.fake.queries()).toHaveLength(1)
    expect(chain.fake.lights().length).toBeGreaterThan(3)
  })

  test('behavior: of two sources that lag, the one with the newer block answers', async () => {
    const chain = await open()
    chain.state.nowMs += 3_600_000
    chain.fake.setHead(headAt(90, startSeconds - 10))
    expect(await chain.ask()).toMatchObject({ source: 'embedded', head: { number: 100 } })
    chain.fake.setHead(headAt(110, startSeconds + 400))
    // The knowledge about a source that is not queried ends.
    chain.time.advance(30_000)
    expect(await chain.ask()).toMatchObject({ source: 'remote', head: { number: 110 } })
  })

  test('behavior: a preferred remote that lags is replaced within the same query, and used again later', async () => {
    const chain = await open({ prefer: 'urls' })
    chain.state.nowMs += 400_000
    await chain.index.commit(blockAt(500, startSeconds + 400), [])
    expect(await chain.ask()).toMatchObject({ source: 'embedded', head: { number: 500 } })
    expect(chain.subgraph.current).toBe('embedded')
    chain.fake.setHead(headAt(500, startSeconds + 400))
    chain.time.advance(30_000)
    expect(await chain.ask()).toMatchObject({ source: 'remote', head: { number: 500 } })
  })

  test('behavior: a block that the embedded index does not have yet is read from the remote one', async () => {
    const chain = await open()
    const text = '{ positionInfos(block: { number: 101 }) { id } }'
    expect(await chain.ask({ text, operationName: undefined })).toMatchObject({ source: 'remote' })
    expect(chain.subgraph.current).toBe('embedded')
  })
})

describe('head and cache', () => {
  test('behavior: an index of another replica whose head cannot be read delays no query for long', async () => {
    const chain = await open({ isWriting: false })
    expect(await chain.subgraph.currentHead()).toMatchObject({ number: 100 })
    chain.time.advance(100)
    expect(chain.subgraph.knownHead()).toBeUndefined()
    chain.state.readHead = () => new Promise(() => undefined)
    chain.state.misbehave = never
    for (let count = 0; count < 3; count += 1) {
      const answer = chain.ask()
      await vi.waitUntil(() => chain.time.waiting() >= 2, waitOptions)
      // The wait for the head, then the hedge.
      chain.time.advance(500)
      await turn()
      chain.time.advance(500)
      expect(await answer).toMatchObject({ source: 'remote' })
    }
    await vi.waitUntil(() => {
      chain.time.advance(5_000)
      return chain.subgraph.current === 'remote'
    }, waitOptions)
    expect(await chain.subgraph.currentHead()).toBeUndefined()
    expect(await chain.ask()).toMatchObject({ source: 'remote' })
  })

  test('behavior: a cached answer is used only at the head of the source that is queried', async () => {
    const chain = await open()
    const metrics = createMetrics(metricHelp)
    const subgraphs = new Map([[324, chain.subgraph]])
    const log = pino({ level: 'silent' })
    const gateway = createGateway({ subgraphs, timeoutMs: 10_000, cacheBytesMax: 1_000_000, metrics, log })
    const query = { ...remoteQuery(), key: 'one' }
    const recall = () =>
      gateway.recall({ chains: [324], key: 'one' })?.map(({ source, head }) => [source, head?.number])
    const read = () => gateway.query({ chains: [324], query, gone: new AbortController().signal })
    await read()
    expect(recall()).toEqual([['embedded', 100]])
    // The remote one takes over, at an older block: nothing of the newer one is mixed in.
    chain.state.misbehave = unavailable
    chain.fake.setHead(headAt(99, startSeconds - 1))
    await chain.index.commit(blockAt(101, startSeconds + 1), [])
    expect(recall()).toBeUndefined()
    for (let count = 0; count < 3; count += 1) await read()
    await vi.waitUntil(() => chain.subgraph.current === 'remote', waitOptions)
    expect((await read())[0]?.answer).toMatchObject({ source: 'remote', head: { number: 99 } })
    expect(recall()).toEqual([['remote', 99]])
    chain.state.misbehave = undefined
    await vi.waitUntil(() => {
      chain.time.advance(1_000)
      return chain.subgraph.current === 'embedded'
    }, waitOptions)
    expect(recall()).toBeUndefined()
    expect((await read())[0]?.answer).toMatchObject({ source: 'embedded', head: { number: 101 } })
  })
})

describe('errors', () => {
  test('error: an invalid query is not sent to the other source', async () => {
    const chain = await open()
    const invalid = { text: '{ nothing }', operationName: undefined }
    expect(await errorOf(chain.ask(invalid))).toMatchObject({ code: 'query_rejected', retryable: false })
    expect(chain.fake.requests).toEqual([])
    const remoteFirst = await open({ prefer: 'urls' })
    remoteFirst.fake.behave(respond({ errors: [{ message: 'Type `Query` has no field `x`' }] }))
    expect(await errorOf(remoteFirst.ask())).toMatchObject({ code: 'query_rejected' })
    expect(remoteFirst.state.asked).toBe(0)
  })

  test('error: if both fail, one error says how each did', async () => {
    const chain = await open()
    chain.state.misbehave = unavailable
    chain.fake.behave(refuse)
    const error = await errorOf(chain.ask())
    expect(error).toMatchObject({ code: 'upstream_failed', retryable: true })
    expect(error.message).toBe(
      'Both subgraphs of the chain failed. Embedded: The index of this chain is unavailable. Try again later. Remote: The chain’s subgraph responded with status 500. Try again later.',
    )
    chain.fake.behave(respond({ errors: [{ message: 'Type `Query` has no field `x`' }] }))
    expect(await errorOf(chain.ask())).toMatchObject({ code: 'upstream_failed', retryable: true })
  })

  test('error: if both circuits are open, both are still tried, and the error has the time to wait', async () => {
    const chain = await open()
    chain.state.misbehave = unavailable
    chain.fake.behave(refuse)
    for (let count = 0; count < 4; count += 1) await errorOf(chain.ask())
    await vi.waitUntil(async () => (await errorOf(chain.ask())).retryAfterSeconds !== undefined, waitOptions)
    const error = await errorOf(chain.ask())
    expect(error.message).toMatch(/^Both .* Remote: .* temporarily disabled\. Try again in 1 s\.$/)
  })
})

describe('time', () => {
  test('behavior: a source that hangs leaves time for the other, which is queried in parallel', async () => {
    const chain = await open()
    chain.state.misbehave = never
    const answer = chain.ask()
    await vi.waitUntil(() => chain.time.waiting() >= 2, waitOptions)
    chain.time.advance(500)
    expect(await answer).toMatchObject({ source: 'remote' })
    expect(chain.metrics()).toMatch(/upstream_total{[^}]*upstream="embedded",outcome="slow_query"} 0\n/)
  })

  test('behavior: without hedging the first source has half of the time', async () => {
    const chain = await open({ hedgeMs: null })
    chain.state.misbehave = never
    const answer = chain.ask()
    await vi.waitUntil(() => chain.time.waiting() >= 2, waitOptions)
    chain.time.advance(4_999)
    expect(chain.fake.requests).toEqual([])
    chain.time.advance(1)
    expect(await answer).toMatchObject({ source: 'remote' })
  })

  test('error: if both hang, the query times out at its deadline, and says so', async () => {
    const chain = await open()
    chain.state.misbehave = never
    chain.fake.behave(hang)
    const error = errorOf(chain.ask())
    await vi.waitUntil(() => chain.time.waiting() >= 2, waitOptions)
    chain.time.advance(500)
    await vi.waitUntil(() => chain.fake.queries().length === 1, waitOptions)
    chain.time.advance(9_500)
    expect(await error).toMatchObject({ code: 'upstream_timeout' })
  })

  test('behavior: a remote that hangs each time is not waited for any more', async () => {
    const chain = await open({ prefer: 'urls' })
    chain.fake.behave(hang)
    for (let count = 0; count < 3; count += 1) {
      const answer = chain.ask()
      await vi.waitUntil(() => chain.fake.queries().length === count + 1, waitOptions)
      chain.time.advance(500)
      expect(await answer).toMatchObject({ source: 'embedded' })
    }
    await vi.waitUntil(() => chain.fake.lights().length > 0, waitOptions)
    chain.time.advance(5_000)
    await vi.waitUntil(() => chain.subgraph.current === 'embedded', waitOptions)
    expect(await chain.ask()).toMatchObject({ source: 'embedded' })
    expect(chain.fake.queries()).toHaveLength(3)
  })
})

test('behavior: moving from the embedded subgraph to another one and back, each step answers the same query', {
  tags: 'slow',
}, async () => {
  const positions = '0x0000000000000000000000000000000000000abc'
  const embedded = { positions, startBlock: 0 }
  const namespace = namespaceOf({ id: 324, domain: { verifyingContract: pool } })
  const body = { query: '{ positionInfos { id } _meta { block { number } } }', variables: { chains: [324] } }
  const data = [{ chain: 324, data: { positionInfos: [], _meta: { block: { number: 0 } } } }]
  let urls: readonly string[] = []
  const run = async (subgraph: object, source: string) => {
    const service = await start({
      databaseUrl: sharedUrl,
      config: { chains: [{ ...chain324, rpc: [rpcUrl], subgraph }] },
    })
    const post = await createPostData(service)
    await vi.waitUntil(async () => (await post(body)).status === 200, waitOptions)
    const answer = await post(body)
    expect(answer.json()).toEqual(data)
    expect(answer.headers['x-tallystick-chains']).toMatch(new RegExp(`^324;block=0;lag=\\d+;source=${source}$`))
    return { service, post }
  }
  const first = await run({ embedded }, 'embedded')
  const app = buildSubgraphApp(await openSubgraph({ database, schema: protocolSchema, namespace }), {
    schema: protocolSchema,
  })
  onTestFinished(() => app.close())
  urls = [`${await app.listen({ host: '127.0.0.1', port: 0 })}/subgraphs/324`]
  const both = await run({ embedded, urls }, 'embedded')
  // Two replicas at a time: the new one serves before the old one stops.
  await first.service.stop()
  const { findings } = (await both.service.admin('/readyz')).json()
  const names = findings.map(({ subject }: Finding) => subject)
  expect(names).toEqual(expect.arrayContaining(['subgraph of chain 324', 'remote subgraph of chain 324']))
  const switched = await run({ embedded, urls, prefer: 'urls' }, 'remote')
  await both.service.stop()
  const [chain] = (await switched.service.admin('/status')).json().chains
  expect(chain).toMatchObject({ index: { kind: 'remote' }, standby: { kind: 'embedded' } })
  const moved = await run({ urls }, 'remote')
  await switched.service.stop()
  // The way back is the same steps, and the index is still there.
  await run({ embedded, urls }, 'embedded')
  expect((await moved.post(body)).json()).toEqual(data)
})
