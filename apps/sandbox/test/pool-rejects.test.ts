// @module-tag server

import { noteTypedData, periodAt } from '@tallystick/core'
import { type Address, type Hex, recoverTypedDataAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { atMost } from '../../../packages/base/test/test-time.ts'
import { minterRole } from '../src/protocol/deploy-protocol.ts'
import { type Chain, dollars, domainOf, noPartner, noteSigner, send, startChain, startsAt } from './chain.ts'
import { refuseOverrides, startRpcProxy } from './rpc-proxy.ts'
import { poolWaits, startOnChain } from './service-on-chain.ts'

const otherKey: Hex = `0x${'02'.repeat(32)}`
const other = privateKeyToAccount(otherKey).address
const waits = poolWaits(5_000)
type Service = Awaited<ReturnType<typeof startOnChain>>

let chain: Chain
let headSeconds = startsAt + 3_600n
beforeAll(async () => {
  chain = await startChain()
  await mineAt(headSeconds)
})
afterAll(() => chain.stop())

async function mineAt(second: bigint): Promise<void> {
  await chain.client.setNextBlockTimestamp({ timestamp: second })
  await chain.client.mine({ blocks: 1 })
  headSeconds = second
}

async function administer(to: Address, functionName: string, ...args: unknown[]): Promise<void> {
  headSeconds += 1n
  await send(chain, { from: chain.admin.address, to, functionName, args, at: headSeconds })
}

const poll = (read: () => unknown) => expect.poll(read)
const problem = (name: string) => `tallystick_pool_problem{chain="324",problem="${name}"}`
const statusOf = async (service: Service) => (await service.get('/rate')).body.chains[0]
const notesStatus = async (service: Service) => (await service.get('/notes')).status
const lastEvent = async ({ database }: Service) => {
  const [row] = await database.query<{ data: string }>(
    `select data from events where type = 'status' order by id desc limit 1`,
  )
  return row && JSON.parse(row.data)
}

describe('roles and tokens', () => {
  const start = (setting: object = {}) =>
    startOnChain(chain, { preflight: 'warn', atSeconds: headSeconds + 10n, waits, ...setting })

  test('error: a pool that may not mint pays no claim: notes are withheld, and everybody says why', async () => {
    const service = await start({ waits: { ...waits, 'state of a chain': atMost(100) } })
    await poll(() => lastEvent(service)).toMatchObject({ status: 'open' })
    expect(await notesStatus(service)).toBe(200)
    await administer(chain.token, 'revokeRole', minterRole, chain.pool)
    onTestFinished(() => administer(chain.token, 'grantRole', minterRole, chain.pool))
    const clause = 'the pool may not mint the dollar, so it cannot pay claims'
    await poll(async () => (await service.get('/notes')).body.message).toContain(`are withheld: ${clause}.`)
    await poll(() => service.metric(problem('wiring'))).toBe(1)
    expect(await statusOf(service)).toMatchObject({ status: 'rejecting', statusReason: `T${clause.slice(1)}.` })
    await poll(() => lastEvent(service)).toMatchObject({ status: 'rejecting', availableMaturities: [] })
    const { status, pool } = await service.readyz()
    expect([status, pool?.severity]).toEqual([200, 'warn'])
    const { chains, findings } = await service.status()
    expect(chains[0]?.poolStatus).toBe('rejecting')
    const remedy = `Call grantRole(MINTER_ROLE, ${chain.pool}) on the dollar ${chain.token} from its admin role.`
    expect(findings).toContainEqual(
      expect.objectContaining({ severity: 'fail', subject: 'notes of chain 324', remedy }),
    )

    await administer(chain.token, 'grantRole', minterRole, chain.pool)
    await poll(() => notesStatus(service)).toBe(200)
    await poll(async () => (await statusOf(service)).status).toBe('open')
  })

  test('error: a position token that names another pool is found by a simulated lend', { tags: 'slow' }, async () => {
    const service = await start()
    expect(await notesStatus(service)).toBe(200)
    await administer(chain.positions, 'setReserveStabilityPool', chain.admin.address)
    onTestFinished(() => administer(chain.positions, 'setReserveStabilityPool', chain.pool))
    await poll(async () => (await statusOf(service)).status).toBe('rejecting')
    expect((await statusOf(service)).statusReason).toContain('The position token does not accept the pool')
  })

  test('behavior: without state overrides that is not found, and nothing is alarmed', { tags: 'slow' }, async () => {
    const proxy = await startRpcProxy(chain.client.transport.url as string, refuseOverrides)
    onTestFinished(proxy.stop)
    await administer(chain.positions, 'setReserveStabilityPool', chain.admin.address)
    onTestFinished(() => administer(chain.positions, 'setReserveStabilityPool', chain.pool))
    const service = await start({ rpc: [proxy.url] })
    const isOpen = { severity: 'ok', message: 'open' }
    await poll(async () => (await service.readyz()).pool).toMatchObject(isOpen)
    const seen = proxy.calls().length
    await poll(() => proxy.calls().length).toBeGreaterThan(seen + 60)
    expect((await service.readyz()).pool).toMatchObject(isOpen)
  })

  test('error: a dollar or a position token other than the configured one is a fault', { tags: 'slow' }, async () => {
    const service = await start({ dollar: chain.positions })
    await poll(async () => (await statusOf(service)).status).toBe('rejecting')
    expect((await service.readyz()).pool?.message).toBe(
      `the pool’s dollar is ${chain.token}, but chains[].dollar is ${chain.positions}`,
    )
  })
})

describe('a planned change of the signer', () => {
  /** Starts two services in a row: one signs this period, the other, with the announced key, the next one. */
  async function rotate(keys: { readonly from: Hex; readonly to: Hex }) {
    const boundary = periodAt(headSeconds + 1_000n).end
    await mineAt(boundary - 700n)
    const setting = { preflight: 'require', waits } as const
    const before = await startOnChain(chain, { ...setting, atSeconds: boundary - 700n, signerKey: keys.from })
    const databaseUrl = before.databaseUrl
    expect(await notesStatus(before)).toBe(200)
    await before.stop()
    await mineAt(boundary - 500n)
    const nextSigner = privateKeyToAccount(keys.to).address
    const changed = { ...setting, atSeconds: boundary - 500n, signerKey: keys.to, nextSigner, databaseUrl }
    const service = await startOnChain(chain, changed)
    await poll(async () => (await service.showNotes()).next.signer).toBe(nextSigner)
    const goTo = async (second: bigint) => {
      await mineAt(second)
      service.clock.hold(Number(second) * 1000)
    }
    return { service, boundary, goTo, nextSigner }
  }

  const seven = async (service: Service) => {
    const { body } = await service.get('/notes?maturity=7')
    const [note] = body.data
    const terms = {
      chainId: 324,
      coupon: BigInt(note.coupon),
      maturityTimestamp: BigInt(note.maturity_timestamp),
      validAfter: BigInt(note.signature_valid_after),
      validBefore: BigInt(note.signature_valid_before),
    }
    const signer = await recoverTypedDataAddress({
      ...noteTypedData(terms, domainOf(chain)),
      signature: note.signature,
    } as never)
    return { terms, signature: note.signature, signer }
  }

  async function lendOn(service: Service): Promise<void> {
    const { terms, signature } = await seven(service)
    const from = chain.wallets[0]!.address
    const allow = { from, to: chain.token, functionName: 'approve', args: [chain.pool, dollars(1_000)] }
    await send(chain, { ...allow, at: ++headSeconds })
    const params = { beneficiary: from, partnerId: noPartner, partnerFeeBPS: 0n, principal: dollars(1_000) }
    await send(chain, {
      from,
      to: chain.pool,
      functionName: 'lend',
      args: [params, terms, signature],
      at: ++headSeconds,
    })
  }

  test('default: with the transaction before the boundary, /notes has no gap, and a loan on the new notes succeeds', async () => {
    const { service, boundary, goTo, nextSigner } = await rotate({ from: `0x${'01'.repeat(32)}`, to: otherKey })
    onTestFinished(() => administer(chain.pool, 'setVerifierSigner', noteSigner.address))
    expect((await seven(service)).signer).toBe(noteSigner.address)
    await poll(() => service.metric(problem('signer_change'))).toBe(1)
    await goTo(boundary - 60n)
    await administer(chain.pool, 'setVerifierSigner', nextSigner)
    await poll(async () => (await service.readyz()).pool?.message).toContain(
      `the signer is being changed as announced: the pool’s signer is ${nextSigner}, not ${noteSigner.address}`,
    )
    expect(await notesStatus(service)).toBe(200)
    expect(await statusOf(service)).toMatchObject({ status: 'open', statusReason: expect.stringContaining(nextSigner) })
    expect((await service.readyz()).pool?.severity).toBe('ok')
    await goTo(boundary + 1n)
    expect((await seven(service)).signer).toBe(nextSigner)
    await poll(() => service.metric(problem('signer_change'))).toBe(0)
    await lendOn(service)
    expect(service.log()).not.toContain('notes withheld')
    expect(await service.metric(problem('signer'))).toBe(0)
    expect(await service.metric('tallystick_preflight_refused{chain="324"}')).toBe(0)
  })

  test('behavior: a late transaction is waited for 5 minutes, then the notes are withheld until it is mined', {
    tags: 'slow',
  }, async () => {
    const { service, boundary, goTo, nextSigner } = await rotate({ from: `0x${'01'.repeat(32)}`, to: otherKey })
    onTestFinished(() => administer(chain.pool, 'setVerifierSigner', noteSigner.address))
    await goTo(boundary + 1n)
    await poll(async () => (await service.readyz()).pool?.message).toContain('is being changed as announced')
    await goTo(boundary + 299n)
    expect(await notesStatus(service)).toBe(200)
    await goTo(boundary + 300n)
    await poll(async () => (await service.get('/notes')).body.message).toContain(
      `withheld: the pool’s signer is ${noteSigner.address}, not ${nextSigner}`,
    )
    await administer(chain.pool, 'setVerifierSigner', nextSigner)
    await poll(() => notesStatus(service)).toBe(200)
    await lendOn(service)
  })

  test('error: hours before the boundary the announced signer rejects the notes like any other', {
    tags: 'slow',
  }, async () => {
    await mineAt(periodAt(headSeconds).end + 3_600n)
    const setting = { preflight: 'warn', atSeconds: headSeconds + 10n, waits, nextSigner: other } as const
    const service = await startOnChain(chain, setting)
    expect(await notesStatus(service)).toBe(200)
    await administer(chain.pool, 'setVerifierSigner', other)
    onTestFinished(() => administer(chain.pool, 'setVerifierSigner', noteSigner.address))
    await poll(() => notesStatus(service)).toBe(500)
    await poll(async () => (await statusOf(service)).status).toBe('rejecting')
    expect((await service.status()).findings[0]?.remedy).toContain('the signer that signer.next announces')
  })
})

test('error: nine unreported days are counted in status and /rate, and the pool stays open', async () => {
  const today = headSeconds / 86_400n
  await administer(chain.pool, 'updatePreviousFloatingIncome', today - 10n, 1n, [1n])
  const service = await startOnChain(chain, { preflight: 'warn', atSeconds: headSeconds + 10n, waits })
  await poll(() => service.metric(problem('income'))).toBe(1)
  const since = new Date(Number(today - 9n) * 86_400_000).toISOString().slice(0, 10)
  const { chains, findings } = await service.status()
  expect(chains[0]?.poolStatus).toBe('open')
  expect(findings).toContainEqual({
    severity: 'warn',
    subject: 'pool of chain 324',
    message: `the floating income of 9 days (UTC) is not reported, since ${since}: a claim pays too little until it is`,
    remedy: `Report it with updatePreviousFloatingIncome(${today - 9n}, 9, …) from the reporter’s role.`,
  })
  expect(await statusOf(service)).toMatchObject({
    status: 'open',
    syncReason: expect.stringContaining(`The floating income of 9 days (UTC), since ${since}, has not been set.`),
  })
})

test('behavior: a claim of a mature position that the index knows is simulated', { tags: 'slow' }, async () => {
  const note = (await startOnChain(chain, { preflight: 'off', atSeconds: headSeconds + 10n })).get('/notes?maturity=7')
  const [{ signature, ...wire }] = (await note).body.data
  const from = chain.wallets[1]!.address
  const terms = {
    ...{ coupon: wire.coupon, maturityTimestamp: wire.maturity_timestamp },
    ...{ validAfter: wire.signature_valid_after, validBefore: wire.signature_valid_before },
  }
  const params = { beneficiary: from, partnerId: noPartner, partnerFeeBPS: 0n, principal: dollars(1_000) }
  await send(chain, { from, to: chain.token, functionName: 'approve', args: [chain.pool, dollars(1_000)] })
  await send(chain, { from, to: chain.pool, functionName: 'lend', args: [params, terms, signature] })
  await mineAt(BigInt(wire.maturity_timestamp) + 3_600n)
  const proxy = await startRpcProxy(chain.client.transport.url as string)
  onTestFinished(proxy.stop)
  const subgraph = { embedded: { positions: chain.positions, startBlock: 0 } }
  const setting = {
    preflight: 'warn',
    atSeconds: headSeconds + 10n,
    waits,
    subgraph,
    rpc: [proxy.url],
  } as const
  const service = await startOnChain(chain, setting)
  const hasClaimed = () => proxy.calls().some((call) => JSON.stringify(call).includes('"data":"0xaad3ec96'))
  await poll(hasClaimed).toBe(true)
  expect(await statusOf(service)).toMatchObject({ status: 'open' })
})
