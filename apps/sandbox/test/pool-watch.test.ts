// @module-tag server

import { periodAt } from '@tallystick/core'
import type { Address } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Chain, noteSigner, send, startChain, startsAt } from './chain.ts'
import { type Interfere, startRpcProxy } from './rpc-proxy.ts'
import { poolWaits, startOnChain } from './service-on-chain.ts'

const { end: boundary } = periodAt(startsAt)
const other = privateKeyToAccount(`0x${'02'.repeat(32)}`).address
const waits = poolWaits(1_000)
// Returns one to every call, as paused() of a token does that is.
const pausedCode = '0x600160005260206000f3'

let chain: Chain
let headSeconds = boundary - 3_600n
const undos: (() => Promise<void>)[] = []
const defer = (undo: () => Promise<void>) => void undos.push(undo)
let strict: Awaited<ReturnType<typeof startOnChain>>

beforeAll(async () => {
  chain = await startChain()
  await chain.client.setNextBlockTimestamp({ timestamp: headSeconds })
  await chain.client.mine({ blocks: 1 })
  const setting = { atSeconds: headSeconds + 100n, waits, defer }
  strict = await startOnChain(chain, { ...setting, preflight: 'require' })
})
afterAll(async () => {
  for (const undo of undos.reverse()) await undo()
  await chain.stop()
})

async function change(functionName: string, ...args: unknown[]): Promise<void> {
  headSeconds += 1n
  await send(chain, { from: chain.admin.address, to: chain.pool, functionName, args, at: headSeconds })
}

async function registerOther(): Promise<void> {
  await change('setVerifierSigner', other)
  onTestFinished(() => change('setVerifierSigner', noteSigner.address))
}

const problem = (name: string) => `tallystick_pool_problem{chain="324",problem="${name}"}`
const poll = (read: () => unknown) => expect.poll(read)
const lines = (service: typeof strict, text: string) => service.log().split(text).length - 1

test('default: a pool that is open and takes the notes has no problem, and every series is there', async () => {
  await poll(async () => (await strict.readyz()).pool).toMatchObject({ severity: 'ok', message: 'open' })
  for (const name of [
    'pool_paused',
    'position_token_paused',
    'dollar_paused',
    'signer',
    'signer_change',
    'limits',
    'wiring',
    'refused',
    'income',
    'unknown',
  ])
    expect([name, await strict.metric(problem(name))]).toEqual([name, 0])
  const { body } = await strict.get('/rate')
  expect(body.chains[0]).toMatchObject({ status: 'open', statusReason: 'The pool is not paused.' })
})

describe('another signer in mid-period', () => {
  test('error: with "require" the notes are withheld, and back when the pool takes them again', async () => {
    const before = await strict.get('/notes')
    expect(before.status).toBe(200)
    await registerOther()
    await poll(async () => (await strict.get('/notes')).body.code).toBe('notes_unavailable')
    await poll(() => strict.metric(problem('signer'))).toBe(1)
    expect(await strict.metric('tallystick_notes_unavailable{chain="324"}')).toBe(1)
    expect(await strict.metric('tallystick_rail_refusals_total{chain="324",reason="pool_signer"}')).toBe(1)
    await expectWithheld(strict)
    expect((await strict.showNotes()).current).toMatchObject({ signed: true, refusal: { reason: 'pool_signer' } })
    expect(await strict.database.query('select 1 from note_sets')).toHaveLength(1)
    expect(lines(strict, '"problem":"signer"')).toBe(1)

    await change('setVerifierSigner', noteSigner.address)
    await poll(async () => (await strict.get('/notes')).body).toEqual(before.body)
    await poll(() => strict.metric(problem('signer'))).toBe(0)
    expect((await strict.readyz()).status).toBe(200)
    await poll(async () => (await strict.showNotes()).current.refusal).toBeNull()
    expect(strict.log()).toContain('notes released')
  })

  /** Every reader of the state says the same, and why. A balancer keeps the replica: `/notes` and `/rate` say it too. */
  async function expectWithheld(service: typeof strict): Promise<void> {
    const clause = `the pool’s signer is ${other}, not ${noteSigner.address}`
    const { status, body } = await service.get('/notes')
    expect([status, body.message]).toEqual([
      500,
      `The notes of 7, 30 days on chain 324 are withheld: ${clause}. Retry in 5 seconds.`,
    ])
    expect(body.details).toEqual({ withheld: [{ chainid: '324', maturities: [7, 30], reason: clause }] })
    const { status: ready, pool } = await service.readyz()
    expect([ready, pool?.severity]).toEqual([200, 'warn'])
    expect(pool?.message).toContain(`the pool accepts notes signed by ${other}`)
    expect((await service.get('/rate')).body.chains[0]).toMatchObject({
      status: 'rejecting',
      statusReason: `T${clause.slice(1)}.`,
      fixedRates: [],
    })
    const { chains, findings } = await service.status()
    expect(chains[0]).toMatchObject({ poolStatus: 'rejecting', notes: 0 })
    expect(findings.map(({ severity, subject }) => [severity, subject])).toContainEqual(['fail', 'notes of chain 324'])
    for (const { remedy } of findings.filter(({ subject }) => /^(notes|pool) of/.test(subject))) {
      expect(remedy).toContain(`setVerifierSigner(${noteSigner.address})`)
      expect(remedy).toContain(`the key of ${other} in signer.key (private-key)`)
    }
  }

  test.each(['warn', 'off'] as const)(
    'error: with "%s" they are withheld too, after two checks, and released after one',
    { tags: 'slow' },
    async (preflight) => {
      const setting = { preflight, atSeconds: headSeconds + 100n, waits } as const
      const lenient = await startOnChain(chain, setting)
      expect((await lenient.get('/notes')).status).toBe(200)
      await registerOther()
      await poll(async () => (await lenient.get('/notes')).status).toBe(500)
      await poll(() => lenient.metric(problem('signer'))).toBe(1)
      await expectWithheld(lenient)
      expect(lenient.log()).toContain(`notes withheld: the pool accepts notes signed by ${other}`)
      await change('setVerifierSigner', noteSigner.address)
      await poll(async () => (await lenient.get('/notes')).status).toBe(200)
    },
  )

  test('error: with "require" a restart does not hand them out either', async () => {
    await registerOther()
    const { databaseUrl } = strict
    const setting = { preflight: 'require', atSeconds: headSeconds + 100n, waits, databaseUrl } as const
    const again = await startOnChain(chain, setting)
    expect((await again.get('/notes')).body.code).toBe('notes_unavailable')
    await change('setVerifierSigner', noteSigner.address)
    await poll(async () => (await strict.get('/notes')).status).toBe(200)
  })

  test('behavior: one refusal alone, of a node that lies or lags, withholds nothing', { tags: 'slow' }, async () => {
    let refusals = 0
    const refuseOnce: Interfere = ({ params }) => {
      if (refusals > 0 || !isNextLie || !JSON.stringify(params).includes('0xbe7b54a1')) return undefined
      refusals += 1
      return { error: { code: 3, message: 'execution reverted', data: `0x258b9f04${'0'.repeat(128)}` } }
    }
    let isNextLie = false
    const proxy = await startRpcProxy(chain.client.transport.url as string, refuseOnce)
    onTestFinished(proxy.stop)
    const setting = { preflight: 'require', atSeconds: headSeconds + 100n, waits } as const
    const service = await startOnChain(chain, { ...setting, rpc: [proxy.url] })
    isNextLie = true
    await poll(() => refusals).toBe(1)
    const seen = proxy.calls().length
    // Two looks later: each is more than five calls.
    await poll(() => proxy.calls().length).toBeGreaterThan(seen + 25)
    expect(service.log()).not.toContain('notes withheld')
    expect((await service.get('/notes')).status).toBe(200)
    expect(await service.metric(problem('signer'))).toBe(0)
  })
})

describe('a pause', () => {
  async function expectPaused(name: string, sentence: string): Promise<void> {
    await poll(() => strict.metric(problem(name))).toBe(1)
    expect(strict.log()).toContain(`"problem":"${name}"`)
    const { status, pool } = await strict.readyz()
    expect([status, pool?.severity, pool?.message]).toEqual([200, 'warn', expect.stringContaining('is paused')])
    const [rates] = (await strict.get('/rate')).body.chains
    expect(rates).toMatchObject({ status: 'paused', statusReason: expect.stringContaining(sentence) })
    // It may end soon, so the third check in a row withholds the notes.
    await poll(async () => (await strict.get('/notes')).status).toBe(500)
    const { body } = await strict.get('/notes')
    expect(body.message).toContain(`are withheld: ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`)
    expect((await strict.readyz()).status).toBe(200)
    expect((await strict.status()).chains[0]?.poolStatus).toBe('paused')
  }

  test('error: of the pool is told, and so is its end', async () => {
    await change('pause')
    await expectPaused('pool_paused', 'The pool is paused.')
    await change('unpause')
    await poll(() => strict.metric(problem('pool_paused'))).toBe(0)
    await poll(async () => (await strict.get('/rate')).body.chains[0].status).toBe('open')
    await poll(async () => (await strict.get('/notes')).status).toBe(200)
    expect(strict.log()).toContain('pool: recovered')
  })

  test.each([
    ['positions', 'position_token_paused', 'The position token is paused.'],
    ['token', 'dollar_paused', 'The dollar is paused.'],
  ] as const)('error: of %s alone is told', async (contract, name, sentence) => {
    const address: Address = chain[contract]
    const bytecode = (await chain.client.getCode({ address })) as `0x${string}`
    await chain.client.setCode({ address, bytecode: pausedCode })
    await expectPaused(name, sentence)
    await chain.client.setCode({ address, bytecode })
    await poll(() => strict.metric(problem(name))).toBe(0)
  })
})

test('error: a limit that the notes on offer break is told, and one that they keep has its line', async () => {
  await change('setMaxCouponLimit', 365n)
  await poll(() => strict.metric(problem('limits'))).toBe(1)
  const { pool } = await strict.readyz()
  expect(pool?.message).toBe('the pool accepts coupons up to 365 bps and refuses the notes of 7 days')
  expect((await strict.get('/rate')).body.chains[0]).toMatchObject({
    status: 'open',
    statusReason: 'The pool accepts coupons up to 365 bps and refuses the notes of 7 days.',
  })
  await poll(async () => (await strict.get('/notes')).body.message).toContain(
    'The notes of 7 days on chain 324 are withheld: the pool accepts coupons up to 365 bps',
  )
  await change('setMaxCouponLimit', 100n)
  await poll(async () => (await strict.get('/rate')).body.chains[0].status).toBe('rejecting')
  await change('setMaxCouponLimit', 1000n)
  await poll(() => strict.metric(problem('limits'))).toBe(0)
  await change('setMinMaturityLimit', 8n * 86_400n)
  await poll(async () => (await strict.readyz()).pool?.message).toContain('requires 691200 s to maturity')
  await change('setMinMaturityLimit', 172_800n)
  await change('setMinLendLimit', 1n)
  await poll(() => lines(strict, '"limit":"minLendLimit"')).toBe(1)
  await poll(async () => (await strict.readyz()).pool?.severity).toBe('ok')
})

test('error: a lowered limit is found also through an RPC that returns no logs, by a simulated loan', {
  tags: 'slow',
}, async () => {
  const refuseLogs: Interfere = ({ method }) =>
    method === 'eth_getLogs'
      ? { error: { code: -32005, message: 'query returned more than 10000 results' } }
      : undefined
  const proxy = await startRpcProxy(chain.client.transport.url as string, refuseLogs)
  onTestFinished(proxy.stop)
  const setting = { preflight: 'warn', atSeconds: headSeconds + 100n, waits, rpc: [proxy.url] } as const
  const service = await startOnChain(chain, setting)
  const tenors = async () => (await service.get('/notes')).body.availableMaturities
  await poll(async () => (await service.readyz()).pool?.severity).toBe('ok')
  expect(await tenors()).toEqual([7, 30])
  await change('setMaxCouponLimit', 365n)
  onTestFinished(() => change('setMaxCouponLimit', 1000n))
  await poll(tenors).toEqual([30])
  await poll(() => service.metric(problem('limits'))).toBe(1)
  await change('setMaxCouponLimit', 369n)
  await poll(tenors).toEqual([7, 30])
})

test('error: an RPC that is away keeps the last verdict for a while, then the state is unknown, and no route fails', {
  tags: 'slow',
}, async () => {
  const proxy = await startRpcProxy(chain.client.transport.url as string)
  const setting = { preflight: 'require', atSeconds: headSeconds + 100n, waits } as const
  const service = await startOnChain(chain, { ...setting, rpc: [proxy.url] })
  await proxy.stop()
  expect(await service.metric(problem('unknown'))).toBe(0)
  await poll(() => service.metric(problem('unknown'))).toBe(1)
  const { status, pool } = await service.readyz()
  expect([status, pool?.severity, pool?.message]).toEqual([200, 'warn', expect.stringContaining('cannot be reached')])
  for (const path of ['/notes', '/rate', '/portal.json', '/history/notes'])
    expect([path, (await service.get(path)).status < 500]).toEqual([path, true])
  const [rates] = (await service.get('/rate')).body.chains
  expect(rates).toMatchObject({ status: 'unknown', statusReason: 'The pool cannot be read.' })
  expect(lines(service, '"problem":"unknown"')).toBe(1)
})
