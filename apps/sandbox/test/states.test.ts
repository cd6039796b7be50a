// @module-tag slow

import { lendCalldata, simulateCall } from '@tallystick/client'
import { decodeNote, periodAt } from '@tallystick/core'
import type { PrivateKeyAccount } from 'viem/accounts'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Chain, dollars, noteSigner, send, startChain, startsAt } from './chain.ts'
import { startTwoChains, type TwoChains } from './two-chains.ts'

// Two chains, the second of them in each state: what `/notes`, `/rate`, `/data`, doctor and the SDK say about it, and that
// the first one is not affected. apps/portal/test/chains.test.ts has the page in the same states.

const ids = [324, 8453] as const
const points = { 7: 369, 30: 362 }
const other = privateKeyToAccount(`0x${'02'.repeat(32)}`).address
const day = 86_400n
const positionsQuery = '{ positionInfos(orderBy: tokenId) { id } }'
// Also for what is true at once: on a slow machine the service answers without a chain that does not answer in time.
const poll = (read: () => unknown) => expect.poll(read, { interval: 100 })

let first: Chain
let second: Chain
// Before the time at which the next period is signed.
const { end: boundary } = periodAt(startsAt)
let nowSeconds = boundary - 1_300n
let service: TwoChains

beforeAll(async () => {
  ;[first, second] = (await Promise.all(ids.map((id) => startChain(startsAt, id)))) as [Chain, Chain]
  for (const [chain, income] of [
    [first, 30n],
    [second, 40n],
  ] as const) {
    const args = [startsAt / day - 2n, 2n, [income * 10n ** 15n, income * 10n ** 15n]]
    await administer(chain, 'updatePreviousFloatingIncome', args)
  }
  const approve = { from: second.wallets[0]!.address, to: second.token, functionName: 'approve' }
  nowSeconds += 1n
  await send(second, { ...approve, args: [second.pool, dollars(1_000)], at: nowSeconds })
  service = await startTwoChains(
    [first, second].map((chain) => ({ ...chainOf(chain), subgraph: { embedded: { positions: chain.positions } } })),
    { atSeconds: boundary - 1_200n },
  )
})
afterAll(async () => {
  await service.stop()
  await Promise.all([first.stop(), second.stop()])
})

function chainOf({ id, pool, client }: Chain) {
  return { id, name: `devnet ${id}`, pool, rpc: [client.transport.url as string] }
}

async function administer(
  chain: Chain,
  functionName: string,
  args: readonly unknown[],
  to = chain.pool,
): Promise<void> {
  nowSeconds += 1n
  await send(chain, { from: chain.admin.address, to, functionName, args, at: nowSeconds })
}

/** Changes a contract of the second chain for the length of a test. */
async function change(
  [functionName, ...args]: readonly [string, ...unknown[]],
  { undo, to = second.pool }: { readonly undo: readonly [string, ...unknown[]]; readonly to?: Chain['pool'] },
): Promise<void> {
  await administer(second, functionName, args, to)
  onTestFinished(() => administer(second, undo[0], undo.slice(1), to))
}

async function rateOf(chainId: number, from = service) {
  const { status, body } = await from.get('/rate')
  expect(status).toBe(200)
  // The three rates of the top level are one chain's and add up.
  const { fixedRate, floatingRate, marketRate } = body
  if (marketRate !== null) expect(BigInt(fixedRate) + BigInt(floatingRate ?? 0)).toBe(BigInt(marketRate))
  return body.chains.find(({ chainid }: { chainid: string }) => chainid === String(chainId))
}

const tenorsOf = async (chainId: number) => {
  const { status, body } = await service.get(`/notes?chainid=${chainId}`)
  return status === 200 ? body.availableMaturities : body.code
}

/** Expects that the first chain is as it is when all is well. */
async function expectFirstUnaffected(): Promise<void> {
  expect(await tenorsOf(324)).toEqual([7, 30])
  await poll(() => rateOf(324)).toMatchObject({ status: 'open', floatingRate: '933', isProtocolSynced: true })
  const failuresOfFirst = async () => (await service.examine()).fail.filter((line) => line.includes('324'))
  await poll(failuresOfFirst).toEqual([])
  const { body } = await service.post('/data', { query: positionsQuery, variables: { chains: [324] } })
  expect(body).toEqual([{ chain: 324, data: { positionInfos: [] } }])
}

describe('without notes', () => {
  test('error: a chain without a curve has no notes, which is an outage and not a wrong filter', async () => {
    await service.operator.setCurve({ points, chainId: 324, by: 'test' })
    await poll(() => tenorsOf(324)).toEqual([7, 30])
    for (const query of ['chainid=8453', 'chainid=8453&maturity=7', 'chainid=8453&maturity=7,30']) {
      const { status, retryAfter, body } = await service.get(`/notes?${query}`)
      expect([query, status, body.code]).toEqual([query, 500, 'notes_unavailable'])
      expect(Number(retryAfter)).toBeGreaterThan(0)
    }
    expect((await service.get('/notes?chainid=8453&maturity=8')).body).toMatchObject({
      code: 'invalid_maturity',
      message: expect.stringContaining('7, 30'),
    })
    const { body } = await service.get('/notes')
    expect(new Set(body.data.map(({ chainid }: { chainid: string }) => chainid))).toEqual(new Set(['324']))
    await poll(() => rateOf(8453)).toMatchObject({ status: 'open', fixedRates: [], floatingRate: '1244' })
    await poll(async () => (await service.get('/rate')).body).toMatchObject({
      chainid: '324',
      fixedRate: '369',
      floatingRate: '933',
    })
    await poll(async () => (await service.examine()).fail).toEqual([
      expect.stringMatching(/^notes: chain 8453: no notes of .*no curve/),
    ])
    await expect(service.client.notes({ chainId: 8453, maturity: 7 })).rejects.toMatchObject({
      code: 'notes_unavailable',
    })
    expect(await service.client.chains()).toMatchObject([
      { chainId: 324, tenors: [7, 30], hasData: true },
      { chainId: 8453, tenors: [7, 30], hasData: true },
    ])
    await expectFirstUnaffected()
  })

  test('behavior: a watch goes on through the outage, and a curve with fewer tenors ends it', async () => {
    const states: string[] = []
    const stop = service.client.watchNotes(({ status }) => states.push(status), { chainId: 8453, maturity: 7 })
    onTestFinished(stop)
    await poll(() => states).toContain('failing')
    await service.operator.setCurve({ points: { 7: 369 }, chainId: 8453, by: 'test' })
    await poll(() => tenorsOf(8453)).toEqual([7])
    await poll(() => states.at(-1)).toBe('ready')
    expect((await service.get('/notes?chainid=8453&maturity=30')).body.code).toBe('notes_unavailable')
    expect((await service.get('/notes?maturity=30')).body.data).toMatchObject([{ chainid: '324' }])
    await poll(async () => (await service.get('/rate')).body).toMatchObject({
      ...{ chainid: '8453', fixedRate: '369', floatingRate: '1244', marketRate: '1613' },
    })
    await poll(() => service.examine()).toEqual({ fail: [], warn: [] })
    await expectFirstUnaffected()
  })
})

describe('paused', () => {
  test.each([
    ['pool', 'pool', 'The pool is paused.', 'open: the pool is paused'],
    ['position token', 'positions', 'The position token is paused.', 'position token: the position token is paused'],
    ['dollar', 'token', 'The dollar is paused.', 'dollar: the dollar is paused'],
  ] as const)('error: %s', async (_, contract, reason, line) => {
    await change(['pause'], { undo: ['unpause'], to: second[contract] })
    await poll(() => rateOf(8453)).toMatchObject({ status: 'paused', statusReason: expect.stringContaining(reason) })
    // A pause may end soon, so the third check withholds the notes.
    await poll(() => tenorsOf(8453)).toBe('notes_unavailable')
    await poll(async () => (await service.examine()).fail).toEqual([
      expect.stringMatching(/^notes: chain 8453: no notes of .* are served: the .* is paused/),
      expect.stringContaining(`chain 8453: ${line}`),
    ])
    expect((await service.client.rate()).chains[1]).toMatchObject({ chainId: 8453, status: 'paused' })
    expect(await explainLend()).toBe('EnforcedPause')
    if (contract === 'pool') await poll(() => poolInIndex()).toMatchObject({ paused: true })
    if (contract === 'positions') await poll(() => poolInIndex()).toMatchObject({ paused: false })
    await expectFirstUnaffected()
  })
})

test('error: a lowered coupon limit takes the notes above it off offer, and a higher one brings them back', async () => {
  await change(['setMaxCouponLimit', 300n], { undo: ['setMaxCouponLimit', 1000n] })
  await poll(() => tenorsOf(8453)).toBe('notes_unavailable')
  expect((await service.get('/notes?chainid=8453&maturity=7')).status).toBe(500)
  await poll(() => rateOf(8453)).toMatchObject({
    status: 'rejecting',
    fixedRates: [],
    statusReason: 'The pool accepts coupons up to 300 bps and refuses the notes of 7 days.',
  })
  await poll(async () => (await service.get('/rate')).body.chainid).toBe('324')
  await poll(async () => (await service.examine()).fail).toEqual([
    expect.stringMatching(
      /^notes: chain 8453: the pool accepts coupons up to 300 bps and refuses the notes of 7 days\. They are withheld\.$/,
    ),
    expect.stringContaining(
      'chain 8453: coupon limit: the pool accepts up to 300 bps, but there are coupons of 369 bps',
    ),
    expect.stringContaining('chain 8453: notes on offer: the pool refuses 1 of 1: its coupon is outside'),
  ])
  await poll(() => poolInIndex()).toMatchObject({ maxCouponLimit: '300' })
  await poll(async () => (await service.client.chains())[1]?.limits.maxCoupon).toBe(300n)
  await expectFirstUnaffected()

  // The next period is signed on the first chain only, until the limit is raised.
  service.clock.hold(Number(boundary - 500n) * 1000)
  await poll(async () => (await nextOf(8453)).refusal).toMatchObject({
    reason: 'coupon_above_pool_limit',
    message: expect.stringContaining('the pool of chain 8453 accepts at most 300 now'),
  })
  await poll(async () => (await nextOf(324)).signed).toBe(true)
  await administer(second, 'setMaxCouponLimit', [900n])
  await poll(() => tenorsOf(8453)).toEqual([7])
  await poll(async () => (await nextOf(8453)).signed).toBe(true)
  expect(await explainLend()).toBeUndefined()
})

test('error: another signer is named by rate, doctor, chains and the SDK', async () => {
  await change(['setVerifierSigner', other], { undo: ['setVerifierSigner', noteSigner.address] })
  await poll(async () => (await rateOf(8453)).status).toBe('rejecting')
  expect((await rateOf(8453)).statusReason).toContain(`The pool’s signer is ${other}`)
  await poll(async () => (await service.examine()).fail).toEqual([
    expect.stringMatching(/^notes: chain 8453: no notes of .* are served: the pool accepts notes signed by/),
    expect.stringContaining(`chain 8453: registered signer: the pool accepts notes of ${other}`),
    expect.stringContaining('chain 8453: fresh note: validatePriceFeed refuses it'),
    expect.stringContaining('chain 8453: notes on offer: the pool refuses 1 of 1: the pool accepts notes signed by'),
  ])
  await poll(() => poolInIndex()).toMatchObject({ signer: other.toLowerCase() })
  await poll(async () => (await service.client.chains())[1]).toMatchObject({
    signer: noteSigner.address,
    registeredSigner: other,
  })
  expect(await explainLend()).toBe('FeedSignatureVerifier__InvalidSigner')
  await expectFirstUnaffected()
})

test('error: a denylisted wallet is known to the index and named by the simulation', async () => {
  const { address } = second.wallets[0] as PrivateKeyAccount
  await change(['addToDenylist', address], { undo: ['removeFromDenylist', address], to: second.denylister })
  const isListed = async () => {
    const query = `{ account(id: "${address.toLowerCase()}") { denylisted } }`
    const { body } = await service.post('/data', { query, variables: { chains: [8453] } })
    return body[0].data.account?.denylisted
  }
  await poll(isListed).toBe(true)
  expect(await explainLend()).toBe('ParabolUSD__Denylisted')
  expect((await service.client.chains())[1]).toMatchObject({ denylister: second.denylister })
})

describe('without RPC, and without a subgraph', () => {
  let apart: TwoChains
  beforeAll(async () => {
    // The first chain has no subgraph. The second one has no RPC, and the index of the other service.
    const urls = [`${service.baseUrl}/subgraphs/8453`]
    const { rpc: _, ...withoutRpc } = chainOf(second)
    const headers = { 'x-forwarded-proto': 'env:FORWARDED_PROTO' }
    apart = await startTwoChains([chainOf(first), { ...withoutRpc, subgraph: { urls, headers } }], {
      atSeconds: boundary - 1_200n,
    })
    await apart.operator.setCurve({ points, by: 'test' })
  })
  afterAll(() => apart.stop())

  test('behavior: a chain with an RPC alone has its floating rate from the contract', async () => {
    await poll(async () => (await apart.get('/notes')).body.data?.length).toBe(4)
    await poll(() => rateOf(324, apart)).toMatchObject({
      ...{ status: 'open', floatingRate: '933', floatingDay: Number(startsAt / day) - 1, isProtocolSynced: true },
      dataBlock: expect.stringMatching(/^\d+$/),
    })
    expect((await apart.client.chains()).map(({ chainId, hasData }) => [chainId, hasData])).toEqual([
      [324, false],
      [8453, true],
    ])
    const { body } = await apart.post('/data', { query: positionsQuery, variables: { chains: [324] } })
    expect(body.code).toBe('invalid_chains')
    // The SDK asks the chains that have data.
    expect(await apart.client.positions(other)).toEqual([{ chain: 8453, positions: [] }])
  })

  test('behavior: a chain with an index alone is open, paused, and beyond its limits by the index', async () => {
    await poll(() => rateOf(8453, apart)).toMatchObject({
      ...{ status: 'open', statusReason: expect.stringContaining('index'), floatingRate: '1244' },
    })
    await administer(second, 'pause', [])
    await poll(async () => (await rateOf(8453, apart)).status).toBe('paused')
    await administer(second, 'unpause', [])
    await poll(async () => (await rateOf(8453, apart)).status).toBe('open')
    await change(['setMaxCouponLimit', 365n], { undo: ['setMaxCouponLimit', 1000n] })
    await poll(async () => (await apart.get('/notes?chainid=8453')).body.availableMaturities).toEqual([30])
    expect((await apart.examine()).warn).toContainEqual(expect.stringMatching(/^chain 8453: rpc: no RPC is configured/))
    expect(await apart.client.chains()).toMatchObject([
      {},
      { limits: { maxCoupon: 365n }, registeredSigner: noteSigner.address },
    ])
  })
})

async function nextOf(chainId: number) {
  const { chains } = await service.operator.showNotes()
  return chains.find((chain) => chain.chainId === chainId)!.next
}

async function poolInIndex() {
  const query = '{ pools { paused signer maxCouponLimit } }'
  const { body } = await service.post('/data', { query, variables: { chains: [8453] } })
  return body[0].data.pools[0]
}

/** Returns the name of the error that a loan on the 7-day note of the second chain ends with. */
async function explainLend(): Promise<string | undefined> {
  const { current } = (await service.operator.showNotes()).chains[1]!
  const { tenorDays: _tenor, times: _times, ...wire } = current.notes[0]!
  const { client, pool, wallets } = second
  const { address } = wallets[0] as PrivateKeyAccount
  const call = lendCalldata({ pool, note: decodeNote(wire), beneficiary: address, principal: dollars(1_000) })
  const result = await simulateCall(client as never, { from: address, call })
  return result.ok ? undefined : result.explanation?.name
}
