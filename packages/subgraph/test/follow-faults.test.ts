// @module-tag postgres

import { createRandom } from '@tallystick/workbench/random'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { FollowerOptions, OpenMapping } from '../src/index.ts'
import { startChain, type TestChain } from './follow-chain.ts'
import { followInto, type TestIndex, tablesOfFresh } from './follow-index.ts'
import { createMapping } from './follow-mapping.mjs'
import {
  type Behaviour,
  type CallAnswer,
  type Exchange,
  forwardAll,
  type ProxiedCall,
  send,
  sendJson,
  startProxy,
  type TestProxy,
} from './follow-proxy.ts'
import { type OpenTest, openTest } from './open-fixture.ts'
import type { TableRow } from './read-tables.ts'

let opened: OpenTest
let chain: TestChain
let expected: Readonly<Record<string, readonly TableRow[]>>
const cleanups: (() => Promise<void>)[] = []

beforeAll(async () => {
  ;[opened, chain] = await Promise.all([openTest('postgres'), startChain()])
  const deep = Array.from({ length: 60 }, (_, block) => ({ logs: block % 4, salt: block }))
  const recent = Array.from({ length: 10 }, (_, block) => ({ logs: block % 3, salt: block }))
  await chain.grow([...deep, { empty: 260 }, ...recent])
  expected = await tablesOfFresh(opened.database, chain)
})
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})
afterAll(async () => {
  await chain.stop()
  await opened.close()
})

const proxy = async (behaviour: Behaviour = forwardAll): Promise<TestProxy> => {
  const started = await startProxy(chain.url, behaviour)
  cleanups.push(() => started.stop())
  return started
}
const follow = async (urls: readonly string[], options: Partial<FollowerOptions> = {}): Promise<TestIndex> => {
  const index = await followInto(opened.database, { chain, urls, ...options })
  cleanups.push(() => index.follower.stop())
  return index
}
const problemOf = (index: TestIndex) => expect.poll(() => index.follower.status().problem, { interval: 5 })

const faults: readonly Behaviour[] = [
  ({ response }) => send(response, { status: 429, body: 'slow down' }),
  ({ response }) => send(response, { status: 500, body: '' }),
  ({ response }) => send(response, { status: 502, body: '<html>Bad gateway</html>' }),
  ({ response }) => send(response, { status: 200, body: '<html>Welcome</html>' }),
  ({ response }) => send(response, { status: 200, body: '{"jsonrpc":"2.0","id":0,"result":[{"addr' }),
  ({ response }) => sendJson(response, { jsonrpc: '2.0', id: 0, result: [{ blockNumber: 'seven' }] }),
  ({ response }) => sendJson(response, { jsonrpc: '2.0', id: 0, error: { code: -32603, message: 'internal error' } }),
  ({ response, calls }) =>
    sendJson(
      response,
      calls.map(({ id }) => ({ id, error: { code: -32000, message: 'header not found' } })),
    ),
  ({ response }) => response.destroy(),
  ({ response }) => {
    response.writeHead(200, { 'content-length': '1000' }).write('[{"id":0')
    response.destroy()
  },
]

test('behavior: random faults neither lose nor duplicate events', () => followThroughFaults(1))

test.each([2, 3])('behavior: nor with seed %i', { tags: 'slow' }, followThroughFaults)

async function followThroughFaults(seed: number) {
  const random = createRandom(seed)
  const faulty = await proxy((exchange) => {
    const isFaulty = random() < 0.2
    const fault = faults[Math.floor(random() * faults.length)] as Behaviour
    return isFaulty ? fault(exchange) : exchange.forward()
  })
  const index = await follow([faulty.url])
  await index.untilCurrent()
  expect(await index.tables()).toEqual(expected)
  expect(index.follower.status().eventsIndexed).toBe(expected['Event']?.length)
}

test.each([
  ['busy', faults[0], 'responded 429: too many requests'],
  ['broken', faults[1], 'responded 500'],
  ['another site', faults[3], 'sent a response that is not JSON'],
  ['failing', faults[6], 'responded to eth_chainId with error "internal error"'],
  ['cutting off', faults[8], 'cannot be reached (ECONNRESET)'],
  ['silent', () => undefined, 'did not respond within 300 ms'],
] as const)('error: an RPC that is %s is reported until it recovers', { tags: 'slow' }, async (_, fault, message) => {
  const faulty = await proxy(fault)
  const index = await follow([faulty.url], { timeoutMs: 300 })
  await problemOf(index).toBe(`RPC 127.0.0.1:${faulty.port} ${message}.`)
  await expect.poll(() => index.follower.status().state).toBe('failing')
  expect(index.lines.join()).toContain(JSON.stringify(message).slice(1, -1))
  faulty.behave(forwardAll)
  await index.untilCurrent()
  await problemOf(index).toBeUndefined()
  expect(await index.tables()).toEqual(expected)
})

const refuse = (message: string) => ({ error: { code: -32005, message } })
const limitBlocks: Behaviour = ({ forwardUnless }) =>
  forwardUnless(({ method, params }) => {
    const [filter] = params as [{ fromBlock?: string; toBlock?: string }]
    const isTooWide = method === 'eth_getLogs' && Number(filter.toBlock) - Number(filter.fromBlock) >= 10
    return isTooWide ? refuse('eth_getLogs is limited to a 10 blocks range').error : undefined
  })
const ofFewResults = (call: ProxiedCall, answer: CallAnswer): CallAnswer => {
  const isTooMany = call.method === 'eth_getLogs' && (answer.result as unknown[]).length > 5
  return isTooMany ? { id: call.id, ...refuse('query returned more than 5 results') } : answer
}
const limitResults: Behaviour = ({ forward }) => forward(ofFewResults)
const withoutTimes = (call: ProxiedCall, answer: CallAnswer): CallAnswer => {
  if (call.method !== 'eth_getLogs') return answer
  const logs = (answer.result as object[]).map((log) => ({ ...log, blockTimestamp: undefined }))
  return { ...answer, result: [...logs, ...logs].reverse() }
}

test.each([
  ['blocks', limitBlocks],
  ['results', limitResults],
] as const)('behavior: an RPC that limits %s is asked for less', async (_, limit) => {
  const limited = await proxy(limit)
  const index = await follow([limited.url])
  await index.untilCurrent()
  expect(await index.tables()).toEqual(expected)
  expect(index.follower.status().problem).toBeUndefined()
})

test('behavior: responses that are too slow or too large are requested in parts', { tags: 'slow' }, async () => {
  const wide = ({ calls: [call] }: Exchange) => {
    const [filter] = (call?.params ?? []) as [{ fromBlock?: string; toBlock?: string } | undefined]
    return call?.method === 'eth_getLogs' && Number(filter?.toBlock) - Number(filter?.fromBlock) > 20
  }
  const slow = await proxy((exchange) => (wide(exchange) ? undefined : exchange.forward()))
  const index = await follow([slow.url], { timeoutMs: 300 })
  await index.untilCurrent()
  expect(await index.tables()).toEqual(expected)
  const other = await follow([chain.url], { answerBytesMax: 60_000 })
  await other.untilCurrent()
  expect(await other.tables()).toEqual(expected)
})

test('behavior: logs without timestamps, duplicated or unordered produce the same entities', async () => {
  const odd = await proxy(({ forward }) => forward(withoutTimes))
  const index = await follow([odd.url])
  await index.untilCurrent()
  const { Event, Tally, $blocks } = await index.tables()
  expect({ Event, Tally }).toEqual({ Event: expected['Event'], Tally: expected['Tally'] })
  const times = (rows: readonly TableRow[] = []) =>
    rows.map(({ number, hash, timestamp }) => ({ number, hash, timestamp }))
  expect(times($blocks)).toEqual(times(expected['$blocks']))
})

test('behavior: a mapping reads the chain when it is opened and when it maps, and both are retried', async () => {
  const refusing = await proxy(({ forwardUnless }) =>
    forwardUnless(({ method }) => (method === 'eth_getCode' ? { code: -32000, message: 'no state' } : undefined)),
  )
  const problem = `RPC 127.0.0.1:${refusing.port} responded to eth_getCode with error "no state".`
  const readCode = { method: 'eth_getCode', params: [chain.address, 'latest'] }
  const isOpen = { value: false }
  const mapping: OpenMapping = async ({ run, load }) => {
    await run((endpoint) => endpoint.call(readCode))
    expect(await load('Tally', ['all'])).toEqual(new Map())
    isOpen.value = true
    const { addresses, map } = createMapping(chain.address)
    return {
      addresses,
      map: async (blocks, loadEntities, runOnRpc) => {
        const code = await runOnRpc((endpoint) => endpoint.call(readCode))
        expect(code).toMatch(/^0x60/)
        return map(blocks, loadEntities, runOnRpc)
      },
    }
  }
  const index = await follow([refusing.url], { mapping })
  await problemOf(index).toBe(problem)
  expect(index.follower.status()).toMatchObject({ state: 'failing', head: undefined })
  // It keeps the lock: with two replicas, each would take it from the other and report the failure again.
  expect(index.follower.isWriting).toBe(true)
  refusing.behave(({ forwardUnless }) =>
    forwardUnless(({ method }) =>
      method === 'eth_getCode' && isOpen.value ? { code: -32000, message: 'no state' } : undefined,
    ),
  )
  await expect.poll(() => isOpen.value).toBe(true)
  await problemOf(index).toBe(problem)
  expect(index.follower.status().head).toBeUndefined()
  refusing.behave(forwardAll)
  await index.untilCurrent()
  await problemOf(index).toBeUndefined()
  expect(await index.tables()).toEqual(expected)
})

const batchRefusals: Readonly<Record<string, Behaviour>> = {
  'an error': ({ response }) => sendJson(response, { id: null, ...refuse('batches are not supported') }),
  'one result': ({ response }) => sendJson(response, { id: 0, result: '0x144' }),
  'status 400': ({ response }) => response.writeHead(400).end('Bad Request'),
  'status 403': ({ response }) => response.writeHead(403, { 'content-type': 'text/html' }).end('<h1>Forbidden</h1>'),
}

test.each(Object.keys(batchRefusals))(
  'behavior: an RPC that answers batches with %s gets single requests',
  { tags: 'slow' },
  async (name) => {
    let batches = 0
    const single = await proxy((exchange) => {
      if (exchange.calls.length === 1) return exchange.forward()
      batches += 1
      return batchRefusals[name]?.(exchange)
    })
    // Six batches of up to 50 calls, of which three are tried.
    const startBlock = (await chain.headNumber()) - 99
    const index = await follow([single.url], { startBlock })
    await index.untilCurrent()
    expect(index.follower.status().problem).toBeUndefined()
    expect(batches).toBe(3)
    expect(await index.tables()).toEqual(await tablesOfFresh(opened.database, chain, startBlock))
  },
)

test('behavior: a new block takes one request for the head, and one for its logs and the head again', async () => {
  const methods: string[][] = []
  const counted = await proxy()
  const index = await follow([counted.url])
  await index.untilCurrent()
  counted.behave(({ calls, forward }) => {
    methods.push(calls.map(({ method }) => method))
    return forward()
  })
  onTestFinished(await chain.keep())
  await chain.emit(2, 3)
  await index.untilCurrent()
  await index.follower.stop()
  // Requests that found no new block, and checks of the chain id, depend on time.
  const isPoll = (names: readonly string[]) =>
    names.length === 1 && /eth_chainId|eth_getBlockByNumber/.test(names[0] ?? '')
  expect(methods.filter((names) => !isPoll(names))).toEqual([['eth_getLogs', 'eth_getBlockByNumber']])
})

/** Responses of a server that has only the blocks up to a number. */
const lagAt =
  (height: number) =>
  (call: ProxiedCall, answer: CallAnswer): CallAnswer => {
    if (call.method === 'eth_chainId') return answer
    if (call.method === 'eth_getLogs') return { id: call.id, result: [] }
    const isBeyond = Number(call.params[0]) > height
    return isBeyond ? { id: call.id, result: null } : answer
  }

test('behavior: an RPC that falls behind is reported and not taken for a reorg', async () => {
  const lagging = await proxy()
  const index = await follow([lagging.url])
  await index.untilCurrent()
  const height = (await chain.headNumber()) - 30
  const latest = await chain.rpc('eth_getBlockByNumber', [`0x${height.toString(16)}`, false])
  lagging.behave(({ forward }) =>
    forward((call, answer) =>
      call.params[0] === 'latest' ? { id: call.id, result: latest } : lagAt(height)(call, answer),
    ),
  )
  await problemOf(index).toMatch(/is at block \d+, 30 blocks behind the head of the index/)
  expect(await index.tables()).toEqual(expected)
  lagging.behave(forwardAll)
  await problemOf(index).toBeUndefined()
  expect(index.follower.status()).toMatchObject({ state: 'following', reorgsSeen: 0 })
})

test('error: an RPC of another chain is reported and the next URL is used instead', async () => {
  const other = await startChain({ chainId: 1 })
  cleanups.push(() => other.stop())
  await other.grow([{ logs: 3, salt: 666 }, { empty: 500 }])
  const wrong = await follow([other.url])
  const message = 'serves chain 1, not chain 324, and is not used. Correct its URL or the chain id.'
  await problemOf(wrong).toContain(message)
  expect(wrong.follower.status()).toMatchObject({ state: 'failing', head: undefined, eventsIndexed: 0 })
  expect(wrong.lines.join()).toContain('serves chain 1,')
  const index = await follow([other.url, chain.url])
  await index.untilCurrent()
  expect(await index.tables()).toEqual(expected)
  expect(index.follower.status()).toMatchObject({ state: 'following', problem: expect.stringContaining(message) })
  const last = await follow([chain.url, other.url])
  await problemOf(last).toContain(message)
  await last.untilCurrent()
})

test('behavior: the next URL takes over until the first recovers', async () => {
  const [first, second] = [await proxy(), await proxy()]
  const index = await follow([first.url, second.url])
  await index.untilCurrent()
  // The second server gets the chain id request, and the work that was due before the first responded.
  const isFirstsTurn = async () => {
    const before = first.count
    await expect.poll(() => first.count).toBeGreaterThan(before + 5)
  }
  await isFirstsTurn()
  const asked = second.count
  await isFirstsTurn()
  expect(second.count).toBe(asked)
  first.behave(({ response }) => response.destroy())
  await problemOf(index).toContain(`RPC 127.0.0.1:${first.port} cannot be reached`)
  await expect.poll(() => second.count).toBeGreaterThan(asked + 5)
  expect(index.follower.status().state).toBe('following')
  first.behave(forwardAll)
  await expect.poll(() => first.count).toBeGreaterThan(5)
  await problemOf(index).toBeUndefined()
  expect(await index.tables()).toEqual(expected)
})

test('behavior: a first URL that hangs does not delay the second', async () => {
  const silent = await proxy(() => undefined)
  const index = await follow([silent.url, chain.url])
  await index.untilCurrent()
  expect(await index.tables()).toEqual(expected)
})

test('error: secrets of a URL are sent to the server but not shown', async () => {
  const closed = await proxy(({ response }) => {
    const { authorization } = response.req.headers
    send(response, {
      status: 200,
      body: JSON.stringify({ error: { message: `${authorization} ${response.req.url}` } }),
    })
  })
  const url = `http://ada:hunter2@127.0.0.1:${closed.port}/v3/s3cretkey?token=t0ken`
  const index = await follow([url])
  await problemOf(index).toBe(`RPC 127.0.0.1:${closed.port} responded to eth_chainId with error "Basic … /v3/…?…".`)
  const shown = `${index.follower.status().problem} ${index.lines.join()}`
  for (const secret of ['hunter2', 's3cretkey', 't0ken', btoa('ada:hunter2')]) expect(shown).not.toContain(secret)
})
