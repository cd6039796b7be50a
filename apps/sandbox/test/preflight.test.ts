// @module-tag server

import { poolAbi } from '@tallystick/contracts'
import { periodAt } from '@tallystick/core'
import { findFreePort } from '@tallystick/workbench/free-port'
import { decodeFunctionData, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Chain, noteSigner, send, startChain, startsAt } from './chain.ts'
import { type Interfere, ignoreOverrides, type ProxiedCall, refuseOverrides, startRpcProxy } from './rpc-proxy.ts'
import { startOnChain } from './service-on-chain.ts'

const { end: boundary } = periodAt(startsAt)
const other = privateKeyToAccount(`0x${'02'.repeat(32)}`).address

let chain: Chain
let headSeconds = 0n
beforeAll(async () => {
  chain = await startChain()
  await mineAt(boundary - 200n)
})
afterAll(() => chain.stop())

/** Each test begins two minutes before a boundary after the last one's: time on a chain only goes forward. */
async function standBeforeBoundary(): Promise<bigint> {
  let next = periodAt(headSeconds).end
  if (next - headSeconds < 130n) next = periodAt(next).end
  await mineAt(next - 120n)
  return next
}

async function mineAt(second: bigint): Promise<void> {
  await chain.client.setNextBlockTimestamp({ timestamp: second })
  await chain.client.mine({ blocks: 1 })
  headSeconds = second
}

async function registerSigner(address: string): Promise<void> {
  headSeconds += 1n
  const change = { from: chain.admin.address, to: chain.pool, functionName: 'setVerifierSigner' }
  await send(chain, { ...change, args: [address], at: headSeconds })
}

async function registerOtherSigner(): Promise<void> {
  await registerSigner(other)
  onTestFinished(() => registerSigner(noteSigner.address))
}

/** Returns a reader of whether the notes of the current and of the next period are signed. */
const signedIn = (showNotes: Awaited<ReturnType<typeof startOnChain>>['showNotes']) => async () => {
  const { current, next } = await showNotes()
  return [current.signed, next.signed]
}

async function setCouponLimit(bps: number): Promise<void> {
  headSeconds += 1n
  const change = { from: chain.admin.address, to: chain.pool, functionName: 'setMaxCouponLimit' }
  await send(chain, { ...change, args: [BigInt(bps)], at: headSeconds })
}

type Points = Readonly<Record<number, number>>
type Coupon = { readonly coupon: string }

/** Sets a curve and returns the start of the period from which it is in force. */
async function setCurve(operator: Awaited<ReturnType<typeof startOnChain>>['operator'], points: Points) {
  const { curve } = await operator.setCurve({ points })
  return BigInt(Date.parse(curve?.effectiveFrom as string) / 1000)
}

const failCalls: Interfere = () => ({ error: { code: -32000, message: 'backend unavailable' } })

/** Returns whether a call shows the pool a note of the period that begins at `start`. */
function isCallOf({ method, params }: ProxiedCall, start: bigint): boolean {
  const validAfter = (start - 1n).toString(16).padStart(64, '0')
  return method === 'eth_call' && JSON.stringify(params).includes(validAfter)
}

function couponOf({ params }: ProxiedCall): bigint {
  const { data } = params[0] as { readonly data: Hex }
  const { functionName, args } = decodeFunctionData({ abi: poolAbi, data })
  const [first, second] = args as readonly { readonly coupon: bigint }[]
  return (functionName === 'lend' ? second : first)?.coupon as bigint
}

const total = (outcome: string) => `tallystick_preflight_total{chain="324",outcome="${outcome}"}`
const refused = 'tallystick_preflight_refused{chain="324"}'
const unchecked = 'tallystick_preflight_unchecked{chain="324"}'

describe('require', () => {
  test('default: the pool takes the notes of now and, minutes before their time, those of the next period', async () => {
    const next = await standBeforeBoundary()
    const { showNotes, metric } = await startOnChain(chain, { preflight: 'require', atSeconds: next - 119n })
    // At once, unless the chain takes more than the 3 s that it has for a check.
    await expect.poll(signedIn(showNotes)).toEqual([true, true])
    const metrics = () => Promise.all([total('accepted'), refused, unchecked].map(metric))
    await expect.poll(metrics).toEqual([2, 0, 0])
  })

  test('error: a pool that has another signer registered: nothing is stored until it has ours', async () => {
    const next = await standBeforeBoundary()
    await registerOtherSigner()
    const { showNotes, metric, log } = await startOnChain(chain, { preflight: 'require', atSeconds: next - 119n })
    const { current } = await showNotes()
    expect(current).toMatchObject({
      signed: false,
      notes: [],
      refusal: {
        reason: 'preflight_refused',
        message: expect.stringContaining(`the pool accepts notes signed by ${other}, but this one was signed by`),
      },
    })
    expect(current.refusal?.message).toContain('refuses the 7-day note')
    expect(await metric(refused)).toBe(1)
    expect(log()).toContain('"reason":"preflight_refused"')
    await registerSigner(noteSigner.address)
    await expect.poll(signedIn(showNotes)).toEqual([true, true])
    await expect.poll(() => metric(refused)).toBe(0)
  })

  test('error: an address without code takes every call, and is refused all the same', async () => {
    const next = await standBeforeBoundary()
    const setting = { preflight: 'require', atSeconds: next - 119n, pool: other } as const
    const { showNotes } = await startOnChain(chain, setting)
    expect((await showNotes()).current.refusal?.message).toContain('there is no contract at the pool’s address')
  })

  test('error: with no RPC that answers, nothing is published, and the reason has no URL', async () => {
    const next = await standBeforeBoundary()
    const rpc = [`http://127.0.0.1:${await findFreePort()}/a-secret-key`]
    const { showNotes, log } = await startOnChain(chain, { preflight: 'require', atSeconds: next - 119n, rpc })
    const { current } = await showNotes()
    expect(current).toMatchObject({ signed: false, refusal: { reason: 'preflight_unavailable' } })
    expect(current.refusal?.message).toMatch(/RPC 127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)/)
    expect(log()).not.toContain('a-secret-key')
  })

  test('error: an RPC of another chain is not believed', async () => {
    const next = await standBeforeBoundary()
    const proxy = await startRpcProxy(chain.client.transport.url as string, (call) =>
      call.method === 'eth_chainId' ? { pass: { ...call, method: 'eth_blockNumber' } } : undefined,
    )
    onTestFinished(proxy.stop)
    const { showNotes } = await startOnChain(chain, { preflight: 'require', atSeconds: next - 119n, rpc: [proxy.url] })
    expect((await showNotes()).current.refusal?.message).toMatch(/serves chain \d+, not chain 324/)
    expect(proxy.calls().some(({ method }) => method === 'eth_call')).toBe(false)
  })

  test.each([
    ['refuses', refuseOverrides],
    ['passes over', ignoreOverrides],
  ])('behavior: a node that %s a block time holds the next notes back until the boundary', async (_, interfere) => {
    const next = await standBeforeBoundary()
    const proxy = await startRpcProxy(chain.client.transport.url as string, interfere)
    onTestFinished(proxy.stop)
    const setting = { preflight: 'require', atSeconds: next - 119n, rpc: [proxy.url] } as const
    const { showNotes, metric, clock } = await startOnChain(chain, setting)
    const ahead = await showNotes()
    expect(ahead.current.signed).toBe(true)
    expect(ahead.next).toMatchObject({
      signed: false,
      refusal: {
        reason: 'preflight_unavailable',
        message: expect.stringContaining('cannot simulate a future block time'),
      },
    })
    clock.hold(Number(next) * 1000)
    await expect.poll(async () => (await showNotes()).current.refusal?.message).toContain('has no block in the period')
    await mineAt(next)
    await expect.poll(async () => (await showNotes()).current.signed).toBe(true)
    expect(await metric(refused)).toBe(0)
  })
})

describe('require, with another curve', () => {
  const lower = { 7: 359, 30: 352 }

  test.each([
    ['cannot look ahead', refuseOverrides],
    ['does not answer calls', failCalls],
  ])('error: a node that %s has seen the signatures: no others are signed for the period', async (_, interfere) => {
    const next = await standBeforeBoundary()
    let isFaulty = true
    const proxy = await startRpcProxy(chain.client.transport.url as string, (call) =>
      isFaulty && isCallOf(call, next) ? interfere(call) : undefined,
    )
    onTestFinished(proxy.stop)
    const setting = { preflight: 'require', atSeconds: next - 119n, rpc: [proxy.url] } as const
    const { showNotes, operator, clock, journal } = await startOnChain(chain, setting)
    await expect.poll(async () => (await showNotes()).next.refusal?.reason).toBe('preflight_unavailable')
    expect(await setCurve(operator, lower)).toBe(periodAt(next).end)
    isFaulty = false
    clock.hold(Number(next) * 1000)
    await mineAt(next)
    await expect.poll(async () => (await showNotes()).current.notes.map(({ coupon }) => coupon)).toEqual(['369', '362'])
    const shown = proxy.calls().flatMap((call) => (isCallOf(call, next) ? [couponOf(call)] : []))
    expect(new Set(shown)).toEqual(new Set([369n, 362n]))
    expect((await journal()).filter((line) => line.includes('"coupon":"359"'))).toEqual([])
  })

  test('behavior: while the node of one replica fails, another one signs and publishes the same terms', async () => {
    const next = await standBeforeBoundary()
    const proxy = await startRpcProxy(chain.client.transport.url as string, (call) =>
      isCallOf(call, next) ? failCalls(call) : undefined,
    )
    onTestFinished(proxy.stop)
    const setting = { preflight: 'require', atSeconds: next - 119n } as const
    const waiting = await startOnChain(chain, { ...setting, rpc: [proxy.url] })
    await expect.poll(async () => (await waiting.showNotes()).next.refusal?.reason).toBe('preflight_unavailable')
    expect(await setCurve(waiting.operator, lower)).toBe(periodAt(next).end)
    const other = await startOnChain(chain, { ...setting, databaseUrl: waiting.databaseUrl })
    await expect.poll(async () => (await other.showNotes()).next.signed).toBe(true)
    for (const { clock } of [waiting, other]) clock.hold(Number(next) * 1000)
    for (const { get } of [waiting, other]) {
      await expect
        .poll(async () => (await get('/notes')).body.data?.map(({ coupon }: Coupon) => coupon))
        .toEqual(['369', '362'])
    }
    const journals = [...(await waiting.journal()), ...(await other.journal())]
    expect(journals.filter((line) => line.includes('"coupon":"359"'))).toEqual([])
  })

  test('behavior: notes beyond the limits of the pool are voided in the journal and replaced', async () => {
    const next = await standBeforeBoundary()
    await setCouponLimit(365)
    onTestFinished(() => setCouponLimit(1_000))
    // Without logs the limits are unknown before the preflight.
    const proxy = await startRpcProxy(chain.client.transport.url as string, ({ method }) =>
      method === 'eth_getLogs' ? { error: { code: -32601, message: 'no logs' } } : undefined,
    )
    onTestFinished(proxy.stop)
    const setting = { preflight: 'require', atSeconds: next - 119n, rpc: [proxy.url] } as const
    const { showNotes, operator, journal } = await startOnChain(chain, setting)
    await expect.poll(async () => (await showNotes()).current.refusal?.reason).toBe('preflight_refused')
    // The pool would accept the signed note of 30 days, so its coupon stays.
    // An attempt that is running claims the period for an instant.
    const isInForce = async (points: Points) => (await setCurve(operator, points)) < next
    await expect.poll(() => isInForce({ 7: 359, 30: 361 })).toBe(true)
    await expect.poll(async () => (await showNotes()).current.refusal?.reason).toBe('journal_contradicted')
    await expect.poll(() => isInForce({ 7: 359, 30: 362 })).toBe(true)
    await expect.poll(async () => (await showNotes()).current.notes.map(({ coupon }) => coupon)).toEqual(['359', '362'])
    const voided = (await journal()).filter((line) => line.includes('"kind":"discard"'))
    expect(voided).toContainEqual(expect.stringMatching(/"maturities":\["\d+"\].*"by":"preflight"/))
  })
})

describe('warn', { tags: 'slow' }, () => {
  test('default: the notes are there at once, and the pool is heard', async () => {
    const next = await standBeforeBoundary()
    const { showNotes, metric } = await startOnChain(chain, { preflight: 'warn', atSeconds: next - 119n })
    expect((await showNotes()).next.signed).toBe(true)
    await expect.poll(() => metric(total('accepted'))).toBe(2)
    expect([await metric(refused), await metric(unchecked)]).toEqual([0, 0])
  })

  test('error: a pool that has another signer registered raises the alarm, and ends it when it has ours', async () => {
    const next = await standBeforeBoundary()
    await registerOtherSigner()
    const { showNotes, metric, log } = await startOnChain(chain, { preflight: 'warn', atSeconds: next - 119n })
    expect((await showNotes()).current.signed).toBe(true)
    await expect.poll(() => metric(refused)).toBe(1)
    expect(log()).toContain('preflight: the pool of chain 324 refuses the 7-day note')
    await registerSigner(noteSigner.address)
    await expect.poll(() => metric(refused)).toBe(0)
  })

  test('behavior: a node that cannot look ahead is asked after the boundary; the notes are there on time', async () => {
    const next = await standBeforeBoundary()
    const proxy = await startRpcProxy(chain.client.transport.url as string, refuseOverrides)
    onTestFinished(proxy.stop)
    const setting = { preflight: 'warn', atSeconds: next - 119n, rpc: [proxy.url] } as const
    const { showNotes, metric, clock } = await startOnChain(chain, setting)
    expect((await showNotes()).next.signed).toBe(true)
    await expect.poll(() => metric(total('too_early'))).toBeGreaterThan(0)
    await expect.poll(() => metric(total('accepted'))).toBe(1)
    await mineAt(next)
    clock.hold(Number(next) * 1000)
    await expect.poll(() => metric(total('accepted'))).toBe(2)
    expect(await metric(unchecked)).toBe(0)
  })

  test('error: with no RPC that answers, the notes are there and the metric says that nobody looked', async () => {
    const next = await standBeforeBoundary()
    const rpc = [`http://127.0.0.1:${await findFreePort()}`]
    const { showNotes, metric } = await startOnChain(chain, { preflight: 'warn', atSeconds: next - 119n, rpc })
    expect((await showNotes()).current.signed).toBe(true)
    await expect.poll(() => metric(total('unavailable'))).toBeGreaterThan(0)
    expect([await metric(refused), await metric(unchecked)]).toEqual([0, 1])
  })
})

test('behavior: off shows no note to a pool', { tags: 'slow' }, async () => {
  const next = await standBeforeBoundary()
  const proxy = await startRpcProxy(chain.client.transport.url as string)
  onTestFinished(proxy.stop)
  const setting = { preflight: 'off', atSeconds: next - 119n, rpc: [proxy.url] } as const
  const { showNotes, metric, clock } = await startOnChain(chain, setting)
  clock.hold(Number(next) * 1000)
  await expect.poll(async () => (await showNotes()).current.notes[0]?.signature_valid_after).toBe(`${next - 1n}`)
  const { signature } = (await showNotes()).current.notes[0] as { signature: { r: string } }
  const shown = proxy.calls().filter(({ params }) => JSON.stringify(params).includes(signature.r.slice(2)))
  expect(shown).toEqual([])
  expect(await metric(total('accepted'))).toBeUndefined()
})
