import { setMaxListeners } from 'node:events'
import { createMetrics, type StopSignal } from '@tallystick/base'
import { TallystickError } from '@tallystick/core'
import pino from 'pino'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  type ChainSubgraph,
  deadlineReached,
  type Head,
  queryRejected,
  type SubgraphAnswer,
  type SubgraphQuery,
  upstreamError,
} from './chain-subgraph.ts'
import type { PreparedQuery } from './query/analyse-query.ts'
import { createGateway, dataMetricHelp } from './query-chains.ts'

const headOf = (number: number, fork = ''): Head => ({ number, hash: `0x${fork}${number}`, timestamp: 1_800_000_000 })
const query = (key: string): PreparedQuery => ({
  key,
  text: `{ ${key} }`,
  textWithHead: `{ ${key} }`,
  headAlias: 'head',
  variables: {},
  operationName: undefined,
})
const never = new AbortController().signal
setMaxListeners(0, never)

/** Creates a subgraph whose answers the test sends. */
function createManualSubgraph(chainId = 324) {
  const asked: { query: SubgraphQuery; signal: StopSignal; answer: (answer: SubgraphAnswer | Error) => void }[] = []
  const state: { head: Head | undefined } = { head: headOf(1) }
  const subgraph: ChainSubgraph = {
    chainId,
    currentHead: () => state.head,
    knownHead: () => state.head,
    ask: (asking, signal) =>
      new Promise((resolve, reject) => {
        const answer = (given: SubgraphAnswer | Error) => (given instanceof Error ? reject(given) : resolve(given))
        asked.push({ query: asking, signal, answer })
      }),
    close: async () => undefined,
  }
  return { subgraph, asked, state }
}

function open(subgraphs: readonly ChainSubgraph[], options: { timeoutMs?: number; cacheBytesMax?: number } = {}) {
  const metrics = createMetrics(dataMetricHelp)
  const gateway = createGateway({
    subgraphs: new Map(subgraphs.map((subgraph) => [subgraph.chainId, subgraph])),
    timeoutMs: 10_000,
    cacheBytesMax: 1_000_000,
    metrics,
    log: pino({ level: 'silent' }),
    ...options,
  })
  const ask = (key: string, { chains = [324], gone = never }: { chains?: number[]; gone?: AbortSignal } = {}) =>
    gateway.query({ chains, query: query(key), gone })
  const counted = (result: string) =>
    Number(
      / (\d+)$/m.exec(
        metrics
          .expose()
          .split('\n')
          .find((line) => line.includes(`result="${result}"`)) ?? '',
      )?.[1],
    )
  return { ask, counted, metrics }
}

const answerOf = (data: string, head: Head | null = headOf(1), errors: string[] = []): SubgraphAnswer => ({
  data,
  head: head ?? undefined,
  errors,
  source: 'remote',
})
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('cache', () => {
  test('default: an answer is reused until there is a new block', async () => {
    const { subgraph, asked, state } = createManualSubgraph()
    const { ask, counted } = open([subgraph])
    const first = ask('a')
    await settled()
    asked[0]?.answer(answerOf('1'))
    expect((await first)[0]?.answer?.data).toBe('1')
    expect((await ask('a'))[0]?.answer?.data).toBe('1')
    expect([asked.length, counted('hit'), counted('miss')]).toEqual([1, 1, 1])
    state.head = headOf(2)
    const second = ask('a')
    await settled()
    asked[1]?.answer(answerOf('2', headOf(2)))
    expect((await second)[0]?.answer?.data).toBe('2')
  })

  test('behavior: a reorg at the same height is a new block', async () => {
    const { subgraph, asked, state } = createManualSubgraph()
    const { ask } = open([subgraph])
    const first = ask('a')
    await settled()
    asked[0]?.answer(answerOf('1'))
    await first
    state.head = headOf(1, 'f')
    void ask('a')
    await settled()
    expect(asked).toHaveLength(2)
  })

  test.each([
    ['an unknown head', null],
    ['an older head', headOf(0)],
  ])('behavior: an answer of %s is not reused', async (_, head) => {
    const { subgraph, asked } = createManualSubgraph()
    const { ask } = open([subgraph])
    const first = ask('a')
    await settled()
    asked[0]?.answer(answerOf('1', head))
    await first
    void ask('a')
    await settled()
    expect(asked).toHaveLength(2)
  })

  test('behavior: no answer is reused while the head is unknown', async () => {
    const { subgraph, asked, state } = createManualSubgraph()
    const { ask } = open([subgraph])
    const first = ask('a')
    await settled()
    asked[0]?.answer(answerOf('1'))
    await first
    state.head = undefined
    void ask('a')
    await settled()
    expect(asked).toHaveLength(2)
    // The head is known again and unchanged, so the cached answer is valid.
    state.head = headOf(1)
    expect((await ask('a'))[0]?.answer?.data).toBe('1')
  })

  test.each([
    ['a failure', upstreamError({ failure: 'reset', message: 'x' })],
    ['a rejection', queryRejected('x')],
    ['a partial answer', answerOf('1', headOf(1), ['the other part failed'])],
  ])('behavior: %s is not cached', async (_, given) => {
    const { subgraph, asked } = createManualSubgraph()
    const { ask } = open([subgraph])
    const first = ask('a')
    await settled()
    asked[0]?.answer(given)
    await first
    void ask('a')
    await settled()
    expect(asked).toHaveLength(2)
  })

  test('behavior: the cache stays within its size, and size 0 caches nothing', async () => {
    for (const cacheBytesMax of [0, 10_000]) {
      const { subgraph, asked } = createManualSubgraph()
      const { ask, metrics } = open([subgraph], { cacheBytesMax })
      for (let index = 0; index < 50; index += 1) {
        const answering = ask(`q${index}`)
        await settled()
        asked[index]?.answer(answerOf('x'.repeat(1_000)))
        await answering
      }
      const bytes = Number(/cache_bytes\{chain="324"\} (\d+)/.exec(metrics.expose())?.[1])
      expect(bytes).toBeLessThanOrEqual(cacheBytesMax)
      if (cacheBytesMax > 0) expect(bytes).toBeGreaterThan(5_000)
    }
  })
})

describe('single flight', () => {
  test('default: 1,000 identical queries at the same time cause one upstream query', async () => {
    const { subgraph, asked } = createManualSubgraph()
    const { ask, counted } = open([subgraph])
    const all = Array.from({ length: 1_000 }, () => ask('a'))
    await settled()
    expect(asked).toHaveLength(1)
    asked[0]?.answer(answerOf('1'))
    const results = await Promise.all(all)
    expect(results.every(([result]) => result?.answer?.data === '1')).toBe(true)
    expect([counted('miss'), counted('coalesced')]).toEqual([1, 999])
  })

  test('behavior: a query after a new block does not share the answer of the block before', async () => {
    const { subgraph, asked, state } = createManualSubgraph()
    const { ask } = open([subgraph])
    void ask('a')
    await settled()
    state.head = headOf(2)
    void ask('a')
    await settled()
    expect(asked).toHaveLength(2)
  })

  test('behavior: it is aborted when the last caller has left, and new callers do not join it', async () => {
    const { subgraph, asked } = createManualSubgraph()
    const { ask } = open([subgraph])
    const callers = [new AbortController(), new AbortController()]
    const gone = new TallystickError({ code: 'request_timeout', message: 'left', retryable: true })
    const all = callers.map(({ signal }) => ask('a', { gone: signal }))
    await settled()
    callers[0]?.abort(gone)
    expect(asked[0]?.signal.aborted).toBe(false)
    callers[1]?.abort(gone)
    expect(asked[0]?.signal.aborted).toBe(true)
    void ask('a')
    await settled()
    expect(asked).toHaveLength(2)
    expect((await Promise.all(all)).map(([result]) => result?.failure?.message)).toEqual(['left', 'left'])
  })

  test('behavior: a caller that leaves fails at once, though the others wait on', async () => {
    const { subgraph, asked } = createManualSubgraph()
    const { ask } = open([subgraph])
    const leaving = new AbortController()
    const failures: unknown[] = []
    const staying = ask('a')
    void ask('a', { gone: leaving.signal }).then(([result]) => failures.push(result?.failure))
    await settled()
    const gone = new TallystickError({ code: 'request_timeout', message: 'left', retryable: true })
    leaving.abort(gone)
    await settled()
    expect(failures).toEqual([gone])
    asked[0]?.answer(answerOf('1'))
    expect((await staying)[0]?.answer?.data).toBe('1')
  })

  test('behavior: a caller fails at once if it leaves while the head is read', async () => {
    const { subgraph } = createManualSubgraph()
    const { ask } = open([{ ...subgraph, currentHead: () => new Promise(() => undefined) }])
    const gone = new TallystickError({ code: 'request_timeout', message: 'left', retryable: true })
    const failures: unknown[] = []
    const leaving = new AbortController()
    void ask('a', { gone: leaving.signal }).then(([result]) => failures.push(result?.failure))
    leaving.abort(gone)
    await settled()
    expect(failures).toEqual([gone])
  })

  test('behavior: a caller that joins late has the whole time, and the answer is cached without the first one', async () => {
    const { subgraph, asked } = createManualSubgraph()
    const { ask } = open([subgraph], { timeoutMs: 1_000 })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const first = ask('a')
    await settled()
    vi.advanceTimersByTime(900)
    const late = ask('a')
    await settled()
    vi.advanceTimersByTime(100)
    expect((await first)[0]?.failure).toMatchObject({ code: 'upstream_timeout', details: { failure: 'slow_query' } })
    expect(asked[0]?.signal.aborted).toBe(false)
    asked[0]?.answer(answerOf('1'))
    expect((await late)[0]?.answer?.data).toBe('1')
    expect((await ask('a'))[0]?.answer?.data).toBe('1')
    expect(asked).toHaveLength(1)
  })

  test('behavior: no caller joins a query that has taken the whole time, and its last caller ends it as too slow', async () => {
    const { subgraph, asked } = createManualSubgraph()
    const { ask } = open([subgraph], { timeoutMs: 1_000 })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const leaving = new AbortController()
    void ask('a')
    await settled()
    vi.advanceTimersByTime(900)
    void ask('a', { gone: leaving.signal })
    await settled()
    vi.advanceTimersByTime(100)
    void ask('a')
    await settled()
    expect(asked).toHaveLength(2)
    leaving.abort(new TallystickError({ code: 'request_timeout', message: 'left', retryable: true }))
    expect(asked.map(({ signal }) => signal.reason)).toEqual([deadlineReached, undefined])
  })

  test('behavior: all waiting callers get a failure, and the next query is sent again', async () => {
    const { subgraph, asked } = createManualSubgraph()
    const { ask } = open([subgraph])
    const both = [ask('a'), ask('a')]
    await settled()
    asked[0]?.answer(upstreamError({ failure: 'reset', message: 'broken' }))
    for (const [result] of await Promise.all(both)) expect(result?.failure?.message).toBe('broken')
    void ask('a')
    await settled()
    expect(asked).toHaveLength(2)
  })

  test('error: rejects more than 1,000 different waiting queries at once', async () => {
    const { subgraph, asked } = createManualSubgraph()
    const { ask } = open([subgraph])
    for (let index = 0; index < 1_000; index += 1) void ask(`q${index}`)
    const [rejected] = await ask('one more')
    expect(rejected?.failure).toMatchObject({ code: 'upstream_failed', details: { failure: 'overloaded' } })
    expect(asked).toHaveLength(1_000)
  })
})

describe('chains', () => {
  test('default: results are in the requested order, each with its own outcome, and a slow chain times out', async () => {
    const [one, two, three] = [createManualSubgraph(1), createManualSubgraph(2), createManualSubgraph(3)]
    const { ask } = open([one.subgraph, two.subgraph, three.subgraph], { timeoutMs: 1_000 })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const answering = ask('a', { chains: [3, 1, 2] })
    await settled()
    one.asked[0]?.answer(answerOf('"one"'))
    two.asked[0]?.answer(queryRejected('no such field'))
    await settled()
    vi.advanceTimersByTime(1_000)
    const results = await answering
    expect(results.map(({ chain }) => chain)).toEqual([3, 1, 2])
    expect(results[0]?.failure).toMatchObject({ code: 'upstream_timeout', details: { failure: 'slow_query' } })
    expect(results[1]?.answer?.data).toBe('"one"')
    expect(results[2]?.failure).toMatchObject({ code: 'query_rejected', message: 'no such field' })
    expect(three.asked[0]?.signal.aborted).toBe(true)
  })

  test('error: an internal error on one chain is not disclosed and does not affect other chains', async () => {
    const [one, two] = [createManualSubgraph(1), createManualSubgraph(2)]
    const { ask } = open([one.subgraph, two.subgraph])
    const answering = ask('a', { chains: [1, 2] })
    await settled()
    one.asked[0]?.answer(new TypeError('x is not a function'))
    two.asked[0]?.answer(answerOf('"two"'))
    const [failed, good] = await answering
    expect(failed?.failure).toMatchObject({ code: 'upstream_failed', details: { failure: 'internal' } })
    expect(failed?.failure?.message).not.toContain('function')
    expect(good?.answer?.data).toBe('"two"')
  })
})
