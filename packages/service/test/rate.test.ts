// @module-tag server

import { text } from 'node:stream/consumers'
import { errorBodySchema, rateResponseSchema } from '@tallystick/core'
import { startLocalServer } from '@tallystick/workbench/start-local-server'
import { toFunctionSelector } from 'viem'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type FakeSubgraph, headAt, startFakeSubgraph } from './fake-subgraph.ts'
import { createDeferrals, createKey, newDatabase, notesOf, pool, start, type TestService } from './harness.ts'

const { defer, finish } = createDeferrals()
const instant = '2026-11-15T12:00:00-05:00'
const nowSeconds = Date.parse(instant) / 1000
const yesterday = Math.floor(nowSeconds / 86_400) - 1
const income = '40654777192457711'
/** State of a node that answers calls of the pool's getters. */
const rpc = { isUp: true, isPaused: false, lastDay: yesterday, timeSeconds: nowSeconds }
let incomes: readonly object[]
let indexedPools: readonly object[]
let fake: FakeSubgraph
let service: TestService
let key: string

beforeAll(async () => {
  const node = await startNode(324)
  fake = await startFakeSubgraph(
    { answer: () => ({ floatingIncomes: incomes, pools: indexedPools }), head: headAt(100, nowSeconds - 4) },
    defer,
  )
  const chains = [
    { id: 324, name: 'with an RPC', pool, rpc: [node], subgraph: { urls: [fake.url] } },
    { id: 10, name: 'without one', pool, subgraph: { urls: [fake.url] } },
    { id: 1, name: 'without a subgraph', pool },
    { id: 2, name: 'with an RPC and no subgraph', pool, rpc: [await startNode(2)] },
  ]
  // No caching between answers, and a short timeout.
  const data = { pollMs: 0, timeoutMs: 5_000 }
  const config = { chains, data, rails: { preflight: 'off' } }
  service = await start({ databaseUrl: await newDatabase('postgres', defer), at: instant, config }, defer)
  key = (await createKey(service, { scopes: ['rate', 'notes'] })).secret
  return finish
})
beforeEach(() => {
  incomes = [{ day: yesterday, floatingIncome: income, accFloatingIncome: income }]
  indexedPools = [{ paused: false }]
  fake.setHead({ number: 100, timestamp: nowSeconds - 4 })
  Object.assign(rpc, { isUp: true, isPaused: false, lastDay: yesterday })
  fake.behave(undefined)
})

const getters = {
  paused: toFunctionSelector('paused()'),
  lastDay: toFunctionSelector('lastFloatingIncomeUpdateDay()'),
  sum: toFunctionSelector('accFloatingIncome(uint256)'),
}

/** Starts a node whose pool had the same income every day, 1 000 days in total. */
async function startNode(chainId: number): Promise<string> {
  const word = (value: number | bigint) => `0x${value.toString(16).padStart(64, '0')}`
  const call = (data = '') => {
    if (data === getters.paused) return word(Number(rpc.isPaused))
    if (data === getters.lastDay) return word(rpc.lastDay)
    if (!data.startsWith(getters.sum)) return '0x'
    return word(BigInt(income) * (BigInt(`0x${data.slice(10)}`) - BigInt(yesterday) + 1_000n))
  }
  const resultOf = ({ method, params }: { method: string; params: readonly { readonly data?: string }[] }) => {
    if (method === 'eth_chainId') return `0x${chainId.toString(16)}`
    if (method === 'eth_getBlockByNumber') return { number: '0xc8', timestamp: `0x${rpc.timeSeconds.toString(16)}` }
    if (method === 'eth_blockNumber') return '0xc8'
    if (method === 'eth_getLogs') return []
    return method === 'eth_call' ? call(params[0]?.data) : null
  }
  const server = await startLocalServer(async (request, response) => {
    if (!rpc.isUp) return response.destroy()
    const { id, ...call } = JSON.parse(await text(request))
    const answer = { jsonrpc: '2.0', id, result: resultOf(call) }
    return response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  })
  defer(server.stop)
  return server.url
}

const get = (path: string, headers: Record<string, string> = { 'x-api-key': key }) => service.call(path, { headers })
const rate = async (path = '/rate') => {
  const answer = await get(path)
  expect(answer.status).toBe(200)
  return rateResponseSchema.parse(answer.json())
}
const chain10 = async () => (await rate('/rate?chainid=10')).chains[0]
const chain324 = async () => (await rate('/rate?chainid=324')).chains[0]

describe('default', () => {
  test('default: lists all chains in ascending order, with the highest rates at the top level', async () => {
    const { chains, ...top } = await rate()
    expect(top).toEqual({
      message: 'Rates of 2026-11-15, 00:00 to 18:00 New York.',
      chainid: '2',
      fixedRate: '369',
      floatingRate: '1264',
      marketRate: '1633',
      // Of the chains that can be read.
      isProtocolSynced: true,
    })
    expect(chains.map(({ chainid, status, isProtocolSynced }) => [chainid, status, isProtocolSynced])).toEqual([
      ['1', 'unknown', false],
      ['2', 'open', true],
      ['10', 'open', true],
      ['324', 'open', true],
    ])
    expect(chains[0]).toMatchObject({
      statusReason: 'Neither an RPC nor a subgraph is configured for this chain.',
      syncReason: 'The floating income cannot be read: No subgraph is configured for this chain.',
    })
    expect(chains[3]).toMatchObject({ dataBlock: '200', dataLagSeconds: 0, floatingDay: yesterday })
  })

  test('default: the fixed rates are the coupons of /notes', async () => {
    const { data } = notesOf(await get('/notes?chainid=324'))
    const offered = data.map(({ maturity_timestamp, coupon }) => ({ maturity_timestamp, coupon }))
    const fixed = (await chain324())?.fixedRates.map(({ maturity: _, ...rates }) => rates)
    expect(fixed).toEqual(offered)
  })

  test('behavior: queries only fields that every subgraph has, and the incomes only if no RPC answers', async () => {
    const texts = () => fake.queries().map(({ query }) => query.replace(/\s+/g, ' '))
    const incomes =
      '{ tallystickHead: _meta { block { number hash timestamp } } floatingIncomes(first: 2, orderBy: day, orderDirection: desc) { day floatingIncome accFloatingIncome } }'
    const before = texts().filter((text) => text === incomes).length
    await rate('/rate?chainid=324')
    expect(texts().filter((text) => text === incomes)).toHaveLength(before)
    await rate('/rate?chainid=10')
    expect(texts().filter((text) => text === incomes)).toHaveLength(before + 1)
    expect(new Set(texts())).toEqual(
      new Set([
        incomes,
        `{ tallystickHead: _meta { block { number hash timestamp } } pools(first: 1, where: { id: "${pool.toLowerCase()}" }) { paused positionTokenPaused signer minLendLimit maxCouponLimit minMaturityLimit lastFloatingIncomeDay } }`,
        // For the simulated claim of the pool watch.
        '{ tallystickHead: _meta { block { number hash timestamp } } positionInfos(first: 3, where: { status: "Active" }, orderBy: maturityTimestamp) { tokenId maturityTimestamp } }',
      ]),
    )
  })

  test('behavior: a chain with an RPC and no subgraph has the rates of the contract', async () => {
    const [chain] = (await rate('/rate?chainid=2')).chains
    expect(chain).toMatchObject({
      status: 'open',
      floatingRate: '1264',
      floatingDay: yesterday,
      isProtocolSynced: true,
      dataBlock: '200',
      dataLagSeconds: 0,
    })
  })
})

describe('the last income by the index', () => {
  const last = { day: yesterday, floatingIncome: income, accFloatingIncome: income }
  test.each([
    ['no list', null],
    ['no income', [null]],
    ['a day that is none', [{ ...last, day: 'x' }]],
    ['an income that is none', [{ ...last, floatingIncome: '-5' }]],
    ['a sum that is none', [{ ...last, accFloatingIncome: '1e5' }]],
    ['a number where a text should be', [{ ...last, floatingIncome: 5 }]],
    ['a sum below that of the day before', [last, { ...last, day: yesterday - 1, accFloatingIncome: `${income}0` }]],
    ['nothing for the day before', [last, null]],
  ])('error: %s is an invalid income and causes no 500', async (_, answer) => {
    incomes = answer as never
    const chain = await chain10()
    expect(chain).toMatchObject({ floatingRate: null, isProtocolSynced: false })
    expect(chain?.syncReason).toContain('an invalid floating income')
  })

  test('behavior: the income of a day is the difference of the sums, whatever the day’s own event said', async () => {
    const before = { day: yesterday - 1, floatingIncome: '1', accFloatingIncome: '5000' }
    const sum = 5_000n + 44_640_000_000_000_000n
    incomes = [{ ...last, accFloatingIncome: String(sum) }, before]
    expect((await chain10())?.floatingRate).toBe('1388')
    incomes = [
      { ...last, accFloatingIncome: String(sum) },
      { ...before, day: yesterday - 2 },
    ]
    expect((await chain10())?.floatingRate).toBe('1264')
  })

  test('behavior: accepts a day as a string', async () => {
    incomes = [{ ...last, day: String(yesterday) }]
    expect((await chain10())?.floatingDay).toBe(yesterday)
  })
})

describe('the pool’s state by its chain', () => {
  test('behavior: a pause and a missed update are read from the chain, not from its index', async () => {
    Object.assign(rpc, { isPaused: true, lastDay: yesterday - 1 })
    expect(await chain324()).toMatchObject({ status: 'paused', isProtocolSynced: false, floatingDay: yesterday - 1 })
  })

  test('behavior: when the RPC fails, a recent pause counts and the rates are those of the index', async () => {
    rpc.isPaused = true
    expect((await chain324())?.status).toBe('paused')
    rpc.isUp = false
    incomes = [{ day: yesterday, floatingIncome: '0', accFloatingIncome: '0' }]
    expect(await chain324()).toMatchObject({ status: 'paused', floatingRate: '0', dataBlock: '100' })
    rpc.isUp = true
    rpc.isPaused = false
    await expect.poll(async () => (await chain324())?.status).toBe('open')
  })

  test('error: a day beyond any calendar is not one', async () => {
    rpc.lastDay = 10_000_000
    expect(await chain324()).toMatchObject({ floatingDay: yesterday, dataBlock: '100' })
    const [chain] = (await rate('/rate?chainid=2')).chains
    expect(chain?.syncReason).toContain('The contract at the pool’s address does not have it.')
  })
})

describe('the pool’s state by its index', () => {
  const notPaused = 'Its index says that the pool is not paused. It does not follow the tokens.'
  const status10 = async () => {
    const { status, statusReason } = (await rate('/rate?chainid=10')).chains[0]!
    return [status, statusReason.replace('No RPC is configured for this chain. ', '')]
  }

  test('default: the reason says that the index was asked', async () => {
    expect(await status10()).toEqual(['open', notPaused])
    indexedPools = [{ paused: true }]
    expect(await status10()).toEqual(['paused', 'Its index says that the pool is paused.'])
    indexedPools = [{ paused: false, positionTokenPaused: true }]
    expect(await status10()).toEqual(['paused', 'Its index says that the position token is paused.'])
  })

  test('behavior: the reason tells the lag, and an index far behind cannot tell that a pool is open', async () => {
    fake.setHead({ timestamp: nowSeconds - 60 })
    expect(await status10()).toEqual(['open', `${notPaused} It is 60 s behind.`])
    fake.setHead({ timestamp: nowSeconds - 301 })
    expect(await status10()).toEqual(['unknown', `${notPaused} It is 301 s behind.`])
    indexedPools = [{ paused: true }]
    expect(await status10()).toEqual(['paused', 'Its index says that the pool is paused. It is 301 s behind.'])
  })

  test.each([
    ['without the pool', []],
    ['without a list', null],
  ])('error: an index %s cannot tell', async (_, answer) => {
    indexedPools = answer as never
    expect(await status10()).toEqual(['unknown', 'Its index cannot tell either: It does not have this pool.'])
  })

  test('error: an index with another type for the pause cannot tell', async () => {
    indexedPools = [{ paused: 'false' }]
    expect(await status10()).toEqual(['unknown', 'Its index does not say whether it is paused.'])
  })

  test('behavior: a subgraph that has fewer fields is asked for those, and not for the others again', async () => {
    const rejected: string[] = []
    fake.behave(({ request: { query }, answerWell, response }) => {
      if (!/positionTokenPaused|signer/.test(query)) return answerWell()
      rejected.push(query)
      const errors = [{ message: 'Type `Pool` has no field `signer`' }]
      return response.setHeader('content-type', 'application/json').end(JSON.stringify({ errors }))
    })
    indexedPools = [{ paused: true }]
    expect((await status10())[0]).toBe('paused')
    expect(rejected).toHaveLength(2)
    expect((await status10())[0]).toBe('paused')
    expect(rejected).toHaveLength(2)
  })
})

describe('error', () => {
  test('error: rejects an unknown chain or parameter', async () => {
    for (const [path, code] of [
      ['/rate?chainid=5', 'invalid_chainid'],
      ['/rate?chainid=', 'invalid_chainid'],
      ['/rate?chainid=0324', 'invalid_chainid'],
      ['/rate?chainid=324&chainid=10', 'invalid_chainid'],
      ['/rate?maturity=7', 'invalid_parameter'],
    ] as const) {
      const answer = await get(path)
      expect([path, answer.status, errorBodySchema.parse(answer.json()).code]).toEqual([path, 400, code])
    }
  })

  test('error: rejects a missing key, a key without the scope and another method', async () => {
    expect((await get('/rate', {})).status).toBe(403)
    const { secret } = await createKey(service, { scopes: ['notes'] })
    expect((await get('/rate', { 'x-api-key': secret })).json().code).toBe('insufficient_scope')
    const posted = await service.call('/rate', { method: 'POST', headers: { 'x-api-key': key }, body: '' })
    expect([posted.status, posted.headers['allow']]).toEqual([405, 'GET, HEAD'])
  })
})

// Last, because failures open the circuit of the subgraph.
describe('a subgraph that does not answer', () => {
  test('behavior: with a subgraph down the fixed rates remain, and the reason is given', async () => {
    fake.behave(({ response }) => response.destroy())
    const { chains, ...top } = await rate('/rate?chainid=10')
    expect(top).toMatchObject({ fixedRate: '369', floatingRate: null, marketRate: '369', isProtocolSynced: false })
    expect(chains[0]?.syncReason).toMatch(
      /^The floating income cannot be read: The connection to the chain’s subgraph was lost/,
    )
    expect(chains[0]).toMatchObject({
      status: 'unknown',
      statusReason: expect.stringMatching(
        /^No RPC is configured for this chain. Its index cannot tell either: The conn/,
      ),
    })
  })

  test('behavior: a subgraph that hangs delays the response until the deadline at most', async () => {
    fake.behave(() => undefined)
    const started = performance.now()
    expect((await chain10())?.floatingRate).toBeNull()
    expect(performance.now() - started).toBeLessThan(60_000)
  })
})

test('behavior: at the boundary the fixed rates are those of the new period', async () => {
  await service.operator.setCurve({ points: { 7: 380, 14: 375, 30: 372 }, by: 'test' })
  const boundaryMs = Date.parse('2026-11-15T18:00:00-05:00')
  rpc.timeSeconds = boundaryMs / 1000
  service.clock.hold(boundaryMs - 1)
  expect((await chain324())?.fixedRates[0]?.coupon).toBe('369')
  await get('/notes')
  service.clock.hold(boundaryMs)
  // The notes are withheld until the database's clock has been read at the new time.
  await expect.poll(async () => (await chain324())?.fixedRates[0]?.coupon).toBe('380')
})
