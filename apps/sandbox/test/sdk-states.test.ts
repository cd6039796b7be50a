// @module-tag server

import {
  type Client,
  createClient,
  lendCalldata,
  type NotesState,
  type ServiceChain,
  simulateCall,
  verifyNote,
} from '@tallystick/client'
import { periodAt } from '@tallystick/core'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Chain, dollars, noteSigner, send, startChain, startsAt } from './chain.ts'
import { poolWaits, startOnChain } from './service-on-chain.ts'

// The SDK before the real service of two chains: one with a pool whose state changes, one without notes, RPC and subgraph.

const { end: boundary } = periodAt(startsAt)
const waits = poolWaits(1_000)
const other = { id: 8453, name: 'other', pool: `0x${'0b'.repeat(20)}` }
const otherSigner = privateKeyToAccount(`0x${'02'.repeat(32)}`).address

let chain: Chain
let service: Awaited<ReturnType<typeof startOnChain>>
let client: Client
let headSeconds = boundary - 3_600n

beforeAll(async () => {
  const undos: (() => unknown)[] = []
  const defer = (undo: () => unknown) => void undos.push(undo)
  chain = await startChain()
  defer(() => chain.stop())
  const subgraph = { embedded: { positions: chain.positions, startBlock: 0 } }
  const setting = { atSeconds: headSeconds + 100n, waits, defer, subgraph, others: [other] }
  service = await startOnChain(chain, { ...setting, preflight: 'warn' })
  client = createClient({ baseUrl: service.baseUrl, apiKey: service.secret, fetch: asProxy, retries: 0 })
  await change('token', 'approve', chain.pool, dollars(1_000))
  return async () => {
    for (const undo of undos.reverse()) await undo()
  }
})

/** Sends a request as the proxy in front of the service does. Without Retry-After, the watch retries sooner. */
async function asProxy(url: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers)
  headers.set('x-forwarded-proto', 'https')
  const response = await fetch(url, { ...init, headers })
  const passedOn = new Headers(response.headers)
  passedOn.delete('retry-after')
  return new Response(response.body, { status: response.status, headers: passedOn })
}

async function change(contract: 'pool' | 'positions' | 'token', functionName: string, ...args: unknown[]) {
  headSeconds += 1n
  await send(chain, { from: chain.admin.address, to: chain[contract], functionName, args, at: headSeconds })
}

/** Changes the pool until the end of the test. */
async function changeForTest(functionName: string, [value, before]: readonly [unknown, unknown]) {
  await change('pool', functionName, value)
  onTestFinished(async () => {
    await change('pool', functionName, before)
    await poll(() => client.notes({ chainId: 324 })).toMatchObject({ notes: { length: 2 } })
  })
}

const poll = (read: () => unknown) => expect.poll(read)
const chainsById = async () =>
  Object.fromEntries((await client.chains()).map((found) => [found.chainId, found])) as Record<324 | 8453, ServiceChain>
const failureOf = (work: Promise<unknown>) => work.catch((error: unknown) => error)
const statusOf = async () => (await client.rate({ chainId: 324 })).chains[0]?.status

test('default: what is known of each chain, and data of the chain that has it', async () => {
  const known = { signer: noteSigner.address, registeredSigner: noteSigner.address, hasData: true }
  const limits = { minLend: dollars(1_000), maxCoupon: 1000n, minMaturitySeconds: 172_800n }
  await poll(async () => (await chainsById())[324]).toMatchObject({ ...known, limits, denylister: chain.denylister })
  expect((await chainsById())[8453]).toMatchObject({
    ...{ signer: noteSigner.address, registeredSigner: null, positionToken: null, dollar: null, denylister: null },
    ...{ limits: { minLend: null, maxCoupon: null, minMaturitySeconds: null }, subgraphUrl: null, hasData: false },
  })
  await poll(async () =>
    (await client.positions(noteSigner.address)).map(({ chain, errors }) => [chain, errors]),
  ).toEqual([[324, undefined]])
  // The chain was behind the clock when the service started.
  await poll(() => client.rate()).toMatchObject({ chainId: 324, fixedRate: 369n })
  expect((await client.rate({ chainId: 8453 })).chains).toMatchObject([{ status: 'unknown', fixedRates: [] }])
})

describe('one state after the other', () => {
  test('no notes: a watch of the chain and tenor goes on, until the notes are there', async () => {
    const filter = { chainId: 8453, maturity: 7 }
    expect(await failureOf(client.notes(filter))).toMatchObject({ name: 'NotesUnavailableError', retryable: true })
    expect(await failureOf(client.notes({ chainId: 8453, maturity: 14 }))).toMatchObject({ code: 'invalid_maturity' })
    const states: NotesState[] = []
    onTestFinished(client.watchNotes((state) => states.push(state), filter))
    await poll(() => states[0]).toMatchObject({ status: 'failing', retryAt: expect.any(Number) })
    await service.operator.setCurve({ points: { 7: 350 }, chainId: 8453, by: 'test' })
    await poll(() => states.at(-1)).toMatchObject({ status: 'ready', notes: [{ chainId: 8453, tenorDays: 7 }] })
  })

  test('paused: /rate says so, and the simulation of a loan too', async () => {
    await change('token', 'pause')
    onTestFinished(() => change('token', 'unpause'))
    await poll(statusOf).toBe('paused')
    expect(await simulateLend()).toMatchObject({ ok: false, explanation: { name: 'EnforcedPause' } })
  })

  test('limit lowered: the chain states it, its notes are withheld, and a note held since is refused', async () => {
    const { notes } = await client.notes({ chainId: 324, maturity: 7 })
    await changeForTest('setMaxCouponLimit', [300n, 1000n])
    await poll(async () => (await chainsById())[324].limits.maxCoupon).toBe(300n)
    await poll(() => failureOf(client.notes({ chainId: 324, maturity: 7 }))).toMatchObject({
      code: 'notes_unavailable',
    })
    const explanation = { title: 'The pool does not accept this coupon' }
    expect(await simulateLend(notes[0])).toMatchObject({ ok: false, explanation })
  })

  test('signer changed: the chain names both signers, and a note held since is not valid for the pool', async () => {
    const { notes } = await client.notes({ chainId: 324, maturity: 7 })
    await changeForTest('setVerifierSigner', [otherSigner, noteSigner.address])
    await poll(async () => (await chainsById())[324].registeredSigner).toBe(otherSigner)
    const { pool, signer, registeredSigner } = (await chainsById())[324]
    expect(signer).toBe(noteSigner.address)
    const verification = await verifyNote(notes[0]!, { pool, signer: registeredSigner! })
    expect(verification).toMatchObject({ valid: false })
    expect(await simulateLend(notes[0])).toMatchObject({
      explanation: { title: expect.stringMatching(/not signed by/) },
    })
  })
})

async function simulateLend(held?: Awaited<ReturnType<Client['notes']>>['notes'][number]) {
  const note = held ?? (await client.notes({ chainId: 324, maturity: 7 })).notes[0]!
  const from = chain.admin.address
  const call = lendCalldata({ pool: chain.pool, note, beneficiary: from, principal: dollars(1_000) })
  return simulateCall(chain.client, { from, call })
}
