import { poolAbi } from '@tallystick/contracts'
import type { NoteTerms } from '@tallystick/core'
import { concat, keccak256, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Chain,
  chainId,
  dollars,
  findRefusal,
  mine,
  noPartner,
  noteSigner,
  revertBeforeEach,
  type Signature,
  send,
  signNote,
  startChain,
  startsAt,
} from './chain.ts'

// The window of an evening note: it opens long after the chain is set up.
const terms: NoteTerms = {
  chainId,
  maturityTimestamp: startsAt + 30n * 86_400n,
  coupon: 401n,
  validAfter: startsAt + 3_599n,
  validBefore: startsAt + 7_200n,
}
const inside = terms.validAfter + 60n

let chain: Chain
beforeAll(async () => {
  chain = await startChain()
  await send(chain, {
    from: chain.wallets[0]!.address,
    to: chain.token,
    functionName: 'approve',
    args: [chain.pool, dollars(1_000_000)],
  })
})
afterAll(() => chain.stop())
revertBeforeEach(() => chain)

test('default: a note signed through core is accepted, by the view and by lend', async () => {
  const signature = await signNote(chain, terms)
  expect(await findRefusal(chain, view(terms, signature, inside))).toBeUndefined()
  expect(await mine(chain, lend(terms, signature, inside))).toMatchObject({ status: 'success' })
})

test('default: the pool’s domain is the one core signs for', async () => {
  const { client, pool } = chain
  const type = 'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'
  const words = [
    keccak256(toHex(type)),
    keccak256(toHex('NoteSignatureVerifier')),
    keccak256(toHex('1')),
    toHex(chainId, { size: 32 }),
    toHex(BigInt(pool), { size: 32 }),
  ]
  const separator = await client.readContract({ address: pool, abi: poolAbi, functionName: 'DOMAIN_SEPARATOR' })
  expect(separator).toBe(keccak256(concat(words)))
})

describe('behavior: the window excludes both its ends, to the second', () => {
  test.each([
    ['at validAfter', terms.validAfter, ['FeedSignatureVerifier__FeedNotYetValid', terms.validAfter]],
    ['the second after it', terms.validAfter + 1n, undefined],
    ['the second before validBefore', terms.validBefore - 1n, undefined],
    ['at validBefore', terms.validBefore, ['FeedSignatureVerifier__FeedExpired', terms.validBefore]],
  ])('%s', async (_, at, refusal) => {
    const signature = await signNote(chain, terms)
    expect(await findRefusal(chain, view(terms, signature, at))).toEqual(refusal)
    expect(await findRefusal(chain, lend(terms, signature, at))).toEqual(refusal)
    const receipt = await mine(chain, lend(terms, signature, at))
    expect(receipt.status).toBe(refusal ? 'reverted' : 'success')
    expect((await chain.client.getBlock({ blockNumber: receipt.blockNumber })).timestamp).toBe(at)
  })
})

describe('error: a note with one field altered is not the signer’s', () => {
  test.each([
    ['maturity', { maturityTimestamp: terms.maturityTimestamp + 1n }],
    ['coupon', { coupon: terms.coupon + 1n }],
    ['valid after', { validAfter: terms.validAfter - 1n }],
    ['valid before', { validBefore: terms.validBefore + 1n }],
  ])('%s', async (_, change) => {
    const signature = await signNote(chain, terms)
    const refusal = await findRefusal(chain, view({ ...terms, ...change }, signature, inside))
    expect(refusal).toEqual(['FeedSignatureVerifier__InvalidSigner', expect.any(String), noteSigner.address])
    expect(refusal?.[1]).not.toBe(noteSigner.address)
    expect(await mine(chain, lend({ ...terms, ...change }, signature, inside))).toMatchObject({ status: 'reverted' })
  })

  test('signed for another chain', async () => {
    const signature = await signNote(chain, { ...terms, chainId: 1 })
    expect(await findRefusal(chain, view(terms, signature, inside))).toEqual([
      'FeedSignatureVerifier__InvalidSigner',
      expect.any(String),
      noteSigner.address,
    ])
  })
})

test('error: a note signed by another key names both signers', async () => {
  const other = privateKeyToAccount(`0x${'02'.repeat(32)}`)
  const signature = await signNote(chain, terms, other)
  const refusal = ['FeedSignatureVerifier__InvalidSigner', other.address, noteSigner.address]
  expect(await findRefusal(chain, view(terms, signature, inside))).toEqual(refusal)
  expect(await findRefusal(chain, lend(terms, signature, inside))).toEqual(refusal)
})

describe('error: a signature no key could have made', () => {
  test.each([
    ['v 0', { v: 0 }],
    ['v 1', { v: 1 }],
    ['v 29', { v: 29 }],
    ['r zero', { r: `0x${'00'.repeat(32)}` }],
    ['s zero', { s: `0x${'00'.repeat(32)}` }],
  ] as const)('%s', async (_, change) => {
    const signature = { ...(await signNote(chain, terms)), ...change }
    const refusal = await findRefusal(chain, view(terms, signature, inside))
    expect(refusal).toEqual(['FeedSignatureVerifier__InvalidSignature'])
  })
})

test('behavior: the high s of the same signature is taken, since the pool runs plain ecrecover', async () => {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  const { v, r, s } = await signNote(chain, terms)
  const high = { v: v === 27 ? 28 : 27, r, s: toHex(order - BigInt(s), { size: 32 }) }
  expect(await findRefusal(chain, view(terms, high, inside))).toBeUndefined()
})

test('error: a note that matures inside its window is refused from maturity on', async () => {
  const short = { ...terms, maturityTimestamp: inside }
  const signature = await signNote(chain, short)
  const refusal = ['FeedSignatureVerifier__InvalidMaturityTimestamp', inside]
  expect(await findRefusal(chain, view(short, signature, inside))).toEqual(refusal)
  expect(await findRefusal(chain, view(short, signature, inside - 1n))).toBeUndefined()
})

test('behavior: a new signer’s notes are taken, the old one’s no longer', async () => {
  const other = privateKeyToAccount(`0x${'02'.repeat(32)}`)
  const change = { from: chain.admin.address, to: chain.pool, functionName: 'setVerifierSigner' }
  const receipt = await send(chain, { ...change, args: [other.address] })
  expect(receipt.logs[0]?.topics).toEqual([
    keccak256(toHex('FeedSignatureVerifier__SignerChanged(address)')),
    toHex(BigInt(other.address), { size: 32 }),
  ])
  expect(await findRefusal(chain, view(terms, await signNote(chain, terms, other), inside))).toBeUndefined()
  expect(await findRefusal(chain, view(terms, await signNote(chain, terms), inside))).toEqual([
    'FeedSignatureVerifier__InvalidSigner',
    noteSigner.address,
    other.address,
  ])
  const zero = `0x${'00'.repeat(20)}`
  expect(await findRefusal(chain, { ...change, args: [zero] })).toEqual(['ReserveStabilityPool__ZeroAddress'])
})

function view(note: NoteTerms, signature: Signature, at: bigint) {
  const from = chain.wallets[0]!.address
  return { from, to: chain.pool, functionName: 'validatePriceFeed', args: [note, signature], at }
}

function lend(note: NoteTerms, signature: Signature, at: bigint) {
  const from = chain.wallets[0]!.address
  const params = { beneficiary: from, partnerId: noPartner, partnerFeeBPS: 0n, principal: dollars(1_000) }
  return { from, to: chain.pool, functionName: 'lend', args: [params, note, signature], at }
}
