import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { errorBodySchema, rateResponseSchema } from '@tallystick/core'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type FakeSubgraph, headAt, startFakeSubgraph } from './fake-subgraph.ts'
import { createDeferrals, createKey, newDatabase, notesOf, pool, start, type TestService } from './harness.ts'

const { defer, finish } = createDeferrals()
const instant = '2026-11-15T12:00:00-05:00'
const nowSeconds = Date.parse(instant) / 1000
const yesterday = Math.floor(nowSeconds / 86_400) - 1
const income = '40654777192457711'
/** Starts an RPC that answers calls of the pool's getters. */
const rpc = { isUp: true, isPaused: false, lastDay: yesterday, timeSeconds: nowSeconds }
let incomes: readonly object[]
let fake: FakeSubgraph
let service: TestService
let key: string

beforeAll(async () => {
  const node = await startNode()
  fake = await startFakeSubgraph(
    { answer: () => ({ floatingIncomes: incomes }), head: headAt(100, nowSeconds - 4) },
    defer,
  )
  const chains = [
    { id: 324, name: 'with an RPC', pool, rpc: [node], subgraph: { urls: [fake.url] } },
    { id: 10, name: 'without one', pool, subgraph: { urls: [fake.url] } },
    { id: 1, name: 'without a subgraph', pool },
  ]
  // No caching between answers, and a short timeout.
  const data = { pollMs: 0, timeoutMs: 1_500 }
  const config = { chains, data, rails: { preflight: 'off' } }
  service = await start({ databaseUrl: await newDatabase('postgres', defer), at: instant, config }, defer)
  key = (await createKey(service, { scopes: ['rate', 'notes'] })).secret
  return finish
})
beforeEach(() => {
  incomes = [{ day: yesterday, floatingIncome: income, accFloatingIncome: income }]
  Object.assign(rpc, { isUp: true, isPaused: false, lastDay: yesterday })
  fake.behave(undefined)
})

async function startNode(): Promise<string> {
  const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`
  const resultOf = ({ method, params }: { method: string; params: readonly { readonly data?: string }[] }) => {
    if (method === 'eth_chainId') return '0x144'
    if (method === 'eth_getBlockByNumber') return { number: '0x64', timestamp: `0x${rpc.timeSeconds.toString(16)}` }
    return params[0]?.data === '0x5c975abb' ? word(Number(rpc.isPaused)) : word(rpc.lastDay)
  }
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (!rpc.isUp) return response.destroy()
    const { id, ...call } = JSON.parse(Buffer.concat(chunks).toString())
    const answer = { jsonrpc: '2.0', id, result: resultOf(call) }
    return response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  defer(() => server.close())
  defer(() => server.closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const get = (path: string, headers: Record<string, string> = { 'x-api-key': key }) => service.call(path, { headers })
const rate = async (path = '/rate') => {
  const answer = await get(path)
  expect(answer.status).toBe(200)
  return rateResponseSchema.parse(answer.json())
}
const chain324 = async () => (await rate('/rate?chainid=324')).chains[0]

describe('default', () => {
  test('default: lists all chains in ascending order, with the highest rates at the top level', async () => {
    const { chains, ...top } = await rate()
    expect(top).toEqual({
      message: 'Rates of 2026-11-15, 00:00 to 18:00 New York.',
      fixedRate: '369',
      floatingRate: '1264',
      marketRate: '1633',
      isProtocolSynced: false,
    })
    expect(chains.map(({ chainid, isProtocolSynced }) => [chainid, isProtocolSynced])).toEqual([
      ['1', false],
      ['10', true],
      ['324', true],
    ])
    expect(chains[0]?.syncReason).toContain('No subgraph is configured for this chain')
    expect(chains[2]).toMatchObject({ status: 'open', dataBlock: '100', dataLagSeconds: 4, floatingDay: yesterday })
  })

  test('default: the fixed rates are the coupons of /notes', async () => {
    const { data } = notesOf(await get('/notes?chainid=324'))
    const offered = data.map(({ maturity_timestamp, coupon }) => ({ maturity_timestamp, coupon }))
    const fixed = (await chain324())?.fixedRates.map(({ maturity: _, ...rates }) => rates)
    expect(fixed).toEqual(offered)
  })

  test('behavior: queries only fields that every subgraph has', async () => {
    await rate('/rate?chainid=10')
    const asked = fake.queries().at(-1)?.query.replace(/\s+/g, ' ')
    expect(asked).toBe(
      '{ tallystickHead: _meta { block { number hash timestamp } } floatingIncomes(first: 1, orderBy: day, orderDirection: desc) { day floatingIncome accFloatingIncome } }',
    )
  })
})

describe('values that cannot be read', () => {
  test('behavior: with a subgraph down the fixed rates remain, and the reason is given', async () => {
    fake.behave(({ response }) => response.destroy())
    const { chains, ...top } = await rate('/rate?chainid=324')
    expect(top).toMatchObject({ fixedRate: '369', floatingRate: null, marketRate: '369', isProtocolSynced: false })
    expect(chains[0]?.syncReason).toMatch(
      /^The floating income cannot be read: The connection to the chain’s subgraph was lost/,
    )
  })

  test('behavior: a subgraph that hangs delays the response until the deadline at most', async () => {
    fake.behave(() => undefined)
    const started = performance.now()
    expect((await chain324())?.floatingRate).toBeNull()
    expect(performance.now() - started).toBeLessThan(8_000)
  })

  test.each([
    ['no list', null],
    ['no income', [null]],
    ['a day that is none', [{ day: 'x', floatingIncome: income }]],
    ['an income that is none', [{ day: yesterday, floatingIncome: '-5' }]],
    ['a number where a text should be', [{ day: yesterday, floatingIncome: 5 }]],
  ])('error: %s is an invalid income and causes no 500', async (_, answer) => {
    incomes = answer as never
    const chain = await chain324()
    expect(chain).toMatchObject({ floatingRate: null, isProtocolSynced: false })
    expect(chain?.syncReason).toContain('an invalid floating income')
  })

  test('behavior: accepts a day as a string', async () => {
    incomes = [{ day: String(yesterday), floatingIncome: income }]
    expect((await chain324())?.floatingDay).toBe(yesterday)
  })
})

describe('the pool’s state', () => {
  test('behavior: a pause and a missed update are read from the chain', async () => {
    Object.assign(rpc, { isPaused: true, lastDay: yesterday - 1 })
    expect(await chain324()).toMatchObject({ status: 'paused', isProtocolSynced: false, floatingDay: yesterday })
    const [other] = (await rate('/rate?chainid=10')).chains
    expect(other).toMatchObject({ status: 'unknown', isProtocolSynced: true })
  })

  test('behavior: when the RPC fails, the last known state is returned', async () => {
    rpc.isPaused = true
    expect((await chain324())?.status).toBe('paused')
    rpc.isUp = false
    expect((await chain324())?.status).toBe('paused')
    rpc.isUp = true
    rpc.isPaused = false
    await expect.poll(async () => (await chain324())?.status).toBe('open')
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
