import {
  batchClaimCalldata,
  type Call,
  claimCalldata,
  poolAbi as clientPoolAbi,
  createClient,
  explainRevert,
  lendCalldata,
  type Note,
  permitClaimCalldata,
  permitClaimTypedData,
  permitLendCalldata,
  permitLendTypedData,
  simulateCall,
  verifyNote,
} from '@tallystick/client'
import { dollarTokenAbi, poolAbi, positionTokenAbi } from '@tallystick/contracts'
import { createApiKey, type NoteTerms } from '@tallystick/core'
import { openSubgraph, type Subgraph } from '@tallystick/subgraph'
import { type Address, toFunctionSignature } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lentAt, maturesAt, noteAt } from './calls.ts'
import { balanceOf, type Chain, chainId, dollars, noPartner, noteSigner, send, signNote, startChain } from './chain.ts'
import { indexHistory, type OpenTest, openTest, readHistory } from './subgraph/index-history.ts'

// What the SDK encodes, signs and asks, against the real contracts and the real index of what they did.

let chain: Chain
let ann: PrivateKeyAccount
let bob: PrivateKeyAccount
beforeAll(async () => {
  chain = await startChain()
  ;[ann, bob] = chain.wallets as [PrivateKeyAccount, PrivateKeyAccount]
  await send(chain, {
    to: chain.token,
    functionName: 'approve',
    args: [chain.pool, dollars(1_000_000)],
    from: ann.address,
  })
  await lendThree()
})
afterAll(() => chain.stop())

test('default: the functions of the SDK’s ABI are the contract’s', () => {
  const ours = poolAbi.filter(({ type }) => type === 'function').map((item) => toFunctionSignature(item as never))
  expect(ours).toEqual(expect.arrayContaining(clientPoolAbi.map((item) => toFunctionSignature(item))))
})

describe('behavior: a life of notes', () => {
  test('the pool takes what is lent, by approval and by permit', async () => {
    expect(await ownersOf([1n, 2n, 3n])).toEqual([ann.address, ann.address, bob.address])
  })

  test('explains why the pool reverts', async () => {
    const note = await signedNote(noteAt(lentAt))
    const lend = { pool: chain.pool, note, beneficiary: ann.address, principal: dollars(1_000) }
    const forged = { ...note, coupon: note.coupon + 1n }
    const at = lentAt + 3n
    expect(await refusalOf(ann, { call: lendCalldata(lend), at: note.validBefore })).toBe('The note has expired')
    expect(await refusalOf(ann, { call: lendCalldata({ ...lend, principal: 1n }), at })).toBe('The amount is too small')
    expect(await refusalOf(ann, { call: lendCalldata({ ...lend, note: forged }), at })).toMatch(
      /not signed by the pool’s signer/,
    )
    expect(await refusalOf(ann, { call: lendCalldata({ ...lend, partnerFeeBPS: 1n }), at })).toMatch(/fee has changed/)
    expect(await refusalOf(bob, { call: lendCalldata(lend), at })).toBe('The allowance is too low')
    const claim = claimCalldata({ pool: chain.pool, beneficiary: ann.address, tokenId: 1n, acceptMissingIncome: true })
    expect(await refusalOf(ann, { call: claim, at })).toBe('The position has not matured')
    expect(await refusalOf(bob, { call: claim, at: maturesAt })).toBe('The position is not yours')
    expect(await refusalOf(ann, { call: claim, at: maturesAt })).toBe('The position is not approved')
  })

  test('earnings match the pool, which pays them by approval and by permit', async () => {
    const byAdmin = { from: chain.admin.address, to: chain.pool }
    const lendDay = lentAt / 86_400n
    const restate = {
      ...byAdmin,
      functionName: 'updatePreviousFloatingIncome',
      args: [lendDay, 3n, [7n, 5n, 9n].map(scaled)],
    }
    await send(chain, { ...restate, at: (lendDay + 3n) * 86_400n + 5n })
    const { timestamp: at } = await chain.client.getBlock()
    const computed = await Promise.all([incomeOf('calculateFixedIncome'), incomeOf('calculateFloatingIncome')])
    const before = await openIndex('before')
    const [active] = await before.client.earnings(ann.address, { at })
    expect(active?.earnings?.accrued).toMatchObject({ fixed: computed[0], floating: computed[1] })
    expect(computed[1]).toBeGreaterThan(0n)
    expect(active?.earnings).toMatchObject({ activePositions: 2, activePrincipal: dollars(2_000) })
    await before.close()

    const held = await balanceOf(chain, ann.address)
    const nonce = await chain.client.readContract({
      ...{ address: chain.positions, abi: positionTokenAbi, functionName: 'nonces', args: [1n] },
    })
    // Most days of these positions are never reported.
    const claim = { pool: chain.pool, tokenId: 1n, beneficiary: ann.address, acceptMissingIncome: true } as const
    const deadline = maturesAt + 99n
    const positions = { address: chain.positions, name: 'Tallystick Position', version: '1' }
    const signature = await ann.signTypedData(permitClaimTypedData({ ...claim, positions, chainId, nonce, deadline }))
    const first = permitClaimCalldata({ ...claim, permit: { signature, deadline } })
    await sendCall(ann, { call: first, at: maturesAt + 10n })
    const approval = { to: chain.positions, functionName: 'approve', args: [chain.pool, 2n], from: ann.address }
    await send(chain, approval)
    const claims = [{ tokenId: 2n, beneficiary: ann.address }]
    const second = batchClaimCalldata({ pool: chain.pool, claims, acceptMissingIncome: true })
    await sendCall(ann, { call: second, at: maturesAt + 30n })

    const after = await openIndex('after')
    const [claimed] = await after.client.earnings(ann.address)
    const paid = (await balanceOf(chain, ann.address)) - held - dollars(2_000)
    expect(claimed?.earnings).toMatchObject({ claimed: { net: paid }, accrued: { net: 0n }, activePositions: 0 })
    const [list] = await after.client.positions(ann.address)
    expect(list?.positions?.map(({ tokenId, status }) => [tokenId, status])).toEqual([
      [2n, 'Claimed'],
      [1n, 'Claimed'],
    ])
    const [incomes] = await after.client.floatingIncomes()
    expect(incomes?.days?.map(({ day, floatingIncome }) => [day - lendDay, floatingIncome])).toEqual([
      [2n, scaled(9n)],
      [1n, scaled(5n)],
      [0n, scaled(7n)],
    ])
    await after.close()
  })
})

describe('behavior: simulateCall names the cause before a transaction is sent', () => {
  const byAdmin = (to: Address, functionName: string, args: readonly unknown[] = []) =>
    send(chain, { from: chain.admin.address, to, functionName, args })
  const simulateLend = async (from: PrivateKeyAccount, beneficiary = from) => {
    const { timestamp } = await chain.client.getBlock()
    const lend = { pool: chain.pool, beneficiary: beneficiary.address, principal: dollars(1_000) }
    const call = lendCalldata({ ...lend, note: await signedNote(noteAt(timestamp)) })
    return simulateCall(chain.client, { from: from.address, call })
  }

  test('default: a call that would succeed', async () => {
    expect(await simulateLend(ann)).toEqual({ ok: true, data: '0x' })
  })

  test('a missing approval', async () => {
    const simulation = await simulateLend(bob)
    expect(simulation).toMatchObject({ ok: false, explanation: { title: 'The allowance is too low' } })
  })

  test.each(['pool', 'positions', 'token'] as const)('a pause of the %s', async (contract) => {
    await byAdmin(chain[contract], 'pause')
    expect(await simulateLend(ann)).toMatchObject({
      ok: false,
      explanation: { name: 'EnforcedPause', retryable: true },
    })
    await byAdmin(chain[contract], 'unpause')
  })

  test('a lowered limit', async () => {
    await byAdmin(chain.pool, 'setMaxCouponLimit', [300n])
    const explanation = { name: 'ReserveStabilityPool__InvalidCoupon' }
    expect(await simulateLend(ann)).toMatchObject({ ok: false, explanation })
    await byAdmin(chain.pool, 'setMaxCouponLimit', [1000n])
  })

  test('a sender and a beneficiary on the denylist, by name', async () => {
    await byAdmin(chain.denylister, 'addToDenylist', [bob.address])
    const message = expect.stringContaining(`The account ${bob.address} is on the protocol’s denylist.`)
    const toListed = await simulateLend(ann, bob)
    expect(toListed).toMatchObject({ explanation: { name: 'NonFungibleNotePosition__Denylisted', message } })
    await byAdmin(chain.denylister, 'removeFromDenylist', [bob.address])

    await byAdmin(chain.denylister, 'addToDenylist', [ann.address])
    const fromListed = await simulateLend(ann, bob)
    expect(fromListed).toMatchObject({ explanation: { name: 'ParabolUSD__Denylisted', args: [ann.address] } })
    await byAdmin(chain.denylister, 'removeFromDenylist', [ann.address])
    expect(await simulateLend(ann, bob)).toMatchObject({ ok: true })
  })

  test('a claim whose income is above the dollar’s mint limit', async () => {
    const { timestamp } = await chain.client.getBlock()
    const approval = { to: chain.positions, functionName: 'approve', args: [chain.pool, 3n], from: bob.address }
    await send(chain, { ...approval, at: timestamp < maturesAt ? maturesAt + 60n : timestamp + 1n })
    const call = claimCalldata({ pool: chain.pool, beneficiary: bob.address, tokenId: 3n, acceptMissingIncome: true })
    const simulate = () => simulateCall(chain.client, { from: bob.address, call })
    expect(await simulate()).toMatchObject({ ok: true })
    await byAdmin(chain.token, 'updateMaxMintLimit', [dollars(1)])
    expect(await simulate()).toMatchObject({ ok: false, explanation: { name: 'ParabolUSD__InvalidAmount' } })
  })
})

test('behavior: pages of the real index are read at one block, and once more if it is reverted', async () => {
  const { database, close } = await openTest('postgres')
  const subgraph = await openSubgraph({ database, schema: pagedSchema, namespace: 'pages' })
  const blockAt = (number: number) => ({ ...hashesOf(number), number, timestamp: 1_800_000_000 + number })
  const lend = (tokenId: number) => ({ entity: 'PositionInfo', id: `${tokenId}`, set: pagedPosition(tokenId) })
  await subgraph.commit(
    blockAt(1),
    Array.from({ length: 1_500 }, (_, index) => lend(index + 1)),
  )
  await subgraph.commit(blockAt(2), [lend(1_501)])
  // Before the second page of each list.
  const changes = [
    () => subgraph.commit(blockAt(3), [{ entity: 'PositionInfo', id: '7', set: null }, lend(1_502)]),
    () => subgraph.revert(1),
  ]
  let requests = 0
  const fetch = async (url: string, init: RequestInit) => {
    if (++requests % 2 === 0) await changes.shift()?.()
    return passOn(subgraph)(url, init)
  }
  const client = createClient({ baseUrl: 'https://sandbox.example', chains: [chainId], fetch, retries: 0 })
  const idsOf = async () => (await client.positions(bob.address))[0]?.positions?.map(({ tokenId }) => Number(tokenId))
  const down = (from: number) => Array.from({ length: from }, (_, index) => from - index)

  expect(await idsOf()).toEqual(down(1_501))
  expect(requests).toBe(2)
  // The list of block 3 ends with a reverted block 3. Block 1 still has position 7.
  expect(await idsOf()).toEqual(down(1_500))
  expect(requests).toBe(6)
  await close()
})

const hashesOf = (number: number) => ({
  hash: `0x${number.toString(16).padStart(64, '0')}` as const,
  parentHash: `0x${(number - 1).toString(16).padStart(64, '0')}` as const,
})

const pagedSchema = `type PositionInfo @entity {
  id: ID! tokenId: BigInt! currentOwner: Bytes! initalOwner: Bytes! initiator: Bytes! coupon: BigInt! principal: BigInt!
  lendTimestamp: BigInt! maturityTimestamp: BigInt! partnerFeeBPS: BigInt! partnerId: Bytes! status: String!
  lendTransactionHash: Bytes!
}`

function pagedPosition(tokenId: number) {
  const holder = bob.address.toLowerCase()
  return {
    tokenId: `${tokenId}`,
    currentOwner: holder,
    initalOwner: holder,
    initiator: holder,
    coupon: '401',
    principal: '1',
    lendTimestamp: '1',
    maturityTimestamp: '2',
    partnerFeeBPS: '0',
    partnerId: noPartner,
    status: 'Active',
    lendTransactionHash: `0x${'0d'.repeat(32)}`,
  }
}

const scaled = (income: bigint) => income * 10n ** 16n

async function signedNote(terms: NoteTerms): Promise<Note> {
  const { r, s, v } = await signNote(chain, terms)
  return { ...terms, startedAt: terms.validAfter, signature: { r, s, v: v === 27 ? 27 : 28 } }
}

/** Two positions of Ann's, one of Bob's. */
async function lendThree(): Promise<void> {
  const note = await signedNote(noteAt(lentAt))
  expect(await verifyNote(note, { pool: chain.pool, signer: noteSigner.address })).toMatchObject({ valid: true })
  const lend = { pool: chain.pool, note, principal: dollars(1_000) }
  await sendCall(ann, { call: lendCalldata({ ...lend, beneficiary: ann.address }), at: lentAt })
  await sendCall(ann, { call: lendCalldata({ ...lend, beneficiary: ann.address }), at: lentAt + 1n })

  const deadline = note.validBefore
  const nonce = await chain.client.readContract({
    ...{ address: chain.token, abi: dollarTokenAbi, functionName: 'nonces', args: [bob.address] },
  })
  const token = { address: chain.token, name: 'Tallystick Dollar', version: '1' }
  const typedData = permitLendTypedData({ ...lend, token, chainId, owner: bob.address, nonce, deadline })
  const signature = await bob.signTypedData(typedData)
  const call = permitLendCalldata({ ...lend, beneficiary: bob.address, permit: { signature, deadline } })
  await sendCall(bob, { call, at: lentAt + 2n })
}

type Sending = { readonly call: Call; readonly at: bigint }

async function sendCall(from: PrivateKeyAccount, { call, at }: Sending): Promise<void> {
  await chain.client.setNextBlockTimestamp({ timestamp: at })
  const hash = await chain.client.sendTransaction({ ...call, account: from.address, gas: 5_000_000n, chain: null })
  await chain.client.mine({ blocks: 1 })
  expect((await chain.client.getTransactionReceipt({ hash })).status).toBe('success')
}

/** How the SDK explains what the node says of a call at an instant. */
async function refusalOf(from: PrivateKeyAccount, { call, at }: Sending): Promise<string | undefined> {
  const calling = chain.client.call({ ...call, account: from.address, blockOverrides: { time: at } })
  return calling.then(
    () => undefined,
    (error: unknown) => explainRevert(error)?.title,
  )
}

function ownersOf(tokenIds: readonly bigint[]) {
  const positions = { address: chain.positions, abi: positionTokenAbi, functionName: 'ownerOf' } as const
  return Promise.all(tokenIds.map((tokenId) => chain.client.readContract({ ...positions, args: [tokenId] })))
}

/** Of both of Ann's positions. */
async function incomeOf(functionName: 'calculateFixedIncome' | 'calculateFloatingIncome'): Promise<bigint> {
  const pool = { address: chain.pool, abi: poolAbi, functionName } as const
  const incomes = await Promise.all([1n, 2n].map((tokenId) => chain.client.readContract({ ...pool, args: [tokenId] })))
  return incomes.reduce((total, income) => total + income, 0n)
}

/** The SDK before an index of everything so far. `POST /data` is the gateway's; here it only passes on. */
async function openIndex(namespace: string) {
  const opened: OpenTest = await openTest('postgres')
  const blocks = await readHistory(chain)
  const subgraph = await indexHistory(opened.database, { chain, namespace, blocks })
  const apiKey = createApiKey({ kind: 'test', randomBytes: (length) => new Uint8Array(length) })
  const client = createClient({
    baseUrl: 'https://sandbox.example',
    apiKey,
    chains: [chainId],
    fetch: passOn(subgraph),
  })
  return { client, close: opened.close }
}

function passOn(subgraph: Subgraph) {
  return async (_url: string, init: RequestInit) => {
    const { query, variables } = JSON.parse(String(init.body))
    const { chains: _chains, ...rest } = variables
    const result = await subgraph.execute({ query, variables: rest })
    if (!('data' in result)) {
      const message = result.errors?.[0]?.message
      return Response.json({ message, code: 'upstream_failed', requestId: '1' }, { status: 502 })
    }
    const headers = { 'x-tallystick-chains': `${chainId};block=${subgraph.head?.number}` }
    return Response.json([{ chain: chainId, data: result.data }], { headers })
  }
}
