import { readFileSync } from 'node:fs'
import { type Hex, keccak256, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import type { Note, NoteDomain } from './note.ts'
import { noteStatusAt } from './note.ts'
import { hashNote, noteTypedData } from './note-typed-data.ts'
import { findSignatureFault, verifyNote } from './verify-note.ts'

const vector = JSON.parse(readFileSync(new URL('../../vectors/note.json', import.meta.url), 'utf8'))
const domain: NoteDomain = {
  name: vector.domain.name,
  version: vector.domain.version,
  verifyingContract: vector.domain.verifyingContract,
}
const note: Note = {
  chainId: vector.domain.chainId,
  maturityTimestamp: BigInt(vector.message.maturityTimestamp),
  coupon: BigInt(vector.message.coupon),
  validAfter: BigInt(vector.message.validAfter),
  validBefore: BigInt(vector.message.validBefore),
  startedAt: 1737522000n,
  signature: vector.signature,
}
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

describe('published vector', () => {
  test('default: type hash and digest', () => {
    const encoded = 'PriceFeed(uint128 maturityTimestamp,uint256 coupon,uint128 validAfter,uint128 validBefore)'
    expect(keccak256(toHex(encoded))).toBe(vector.typehash)
    expect(hashNote(note, domain)).toBe(vector.digest)
  })

  test('default: the known key produces the published bytes, with the leading zero byte', async () => {
    const account = privateKeyToAccount(vector.privateKey)
    expect(account.address).toBe(vector.signer)
    const signature = await account.signTypedData(noteTypedData(note, domain))
    expect(signature).toBe(`${vector.signature.r}${vector.signature.s.slice(2)}1c`)
  })

  test('default: verifies', async () => {
    expect(await verifyNote(note, { domain, signer: vector.signer })).toEqual({ valid: true, signer: vector.signer })
  })
})

describe('verifyNote', () => {
  const signer = vector.signer
  test.each([
    ['coupon', { coupon: note.coupon + 1n }],
    ['maturity', { maturityTimestamp: note.maturityTimestamp + 1n }],
    ['valid after', { validAfter: note.validAfter - 1n }],
    ['valid before', { validBefore: note.validBefore + 1n }],
    ['chain', { chainId: 1 }],
  ])('error: rejects a note with another %s', async (_, change) => {
    const result = await verifyNote({ ...note, ...change }, { domain, signer })
    expect(result).toMatchObject({ valid: false, reason: expect.stringContaining('signed by 0x') })
  })

  test.each([
    ['pool', { verifyingContract: '0x0000000000000000000000000000000000000001' }],
    ['version', { version: '2' }],
    ['name', { name: 'Other' }],
  ])('error: rejects a domain with another %s', async (_, change) => {
    const other = { ...domain, ...change } as NoteDomain
    expect(await verifyNote(note, { domain: other, signer })).toMatchObject({ valid: false })
  })

  test('error: says what is wrong with the form of a signature', async () => {
    const wrong = { ...note, signature: { ...note.signature, v: 1 as 27 } }
    expect(await verifyNote(wrong, { domain, signer })).toEqual({ valid: false, reason: 'v is 1, not 27 or 28' })
  })

  test('error: rejects an r that is no valid signature of any key', async () => {
    const impossible = { ...note, signature: { ...note.signature, r: toHex(order - 1n, { size: 32 }) } }
    expect(await verifyNote(impossible, { domain, signer })).toMatchObject({ valid: false })
    const zero = { ...note, signature: { ...note.signature, r: toHex(0n, { size: 32 }) } }
    expect(await verifyNote(zero, { domain, signer })).toMatchObject({ valid: false })
  })

  test('behavior: integers up to the maximum of their type are hashed in full', () => {
    const uint256Max = 2n ** 256n - 1n
    const uint128Max = 2n ** 128n - 1n
    const widest = { ...note, coupon: uint256Max, maturityTimestamp: uint128Max }
    expect(hashNote(widest, domain)).not.toBe(hashNote({ ...widest, coupon: uint256Max - 1n }, domain))
    expect(() => hashNote({ ...note, coupon: uint256Max + 1n }, domain)).toThrow()
  })
})

describe('findSignatureFault', () => {
  const { r, s } = vector.signature as { r: Hex; s: Hex }
  test.each([
    ['high s', { r, s: toHex(order - BigInt(s), { size: 32 }), v: 27 }, 's is in the upper half of the curve order'],
    ['v 0', { r, s, v: 0 }, 'v is 0, not 27 or 28'],
    ['v 1', { r, s, v: 1 }, 'v is 1, not 27 or 28'],
    ['short r', { r: '0x4908', s, v: 28 }, 'r is not 32 bytes of hex'],
    ['garbage', { r: 'hello', s, v: 28 }, 'r is not 32 bytes of hex'],
    ['empty s', { r, s: '', v: 28 }, 's is not 32 bytes of hex'],
    ['text before r', { r: `x${r}`, s, v: 28 }, 'r is not 32 bytes of hex'],
    ['another character in s', { r, s: `${s.slice(0, -1)}g`, v: 28 }, 's is not 32 bytes of hex'],
    [
      's above half the order',
      { r, s: toHex(order / 2n + 1n, { size: 32 }), v: 27 },
      's is in the upper half of the curve order',
    ],
  ])('error: reports %s', (_, signature, fault) => {
    expect(findSignatureFault(signature)).toBe(fault)
  })

  test('default: a good signature has no fault', () => {
    expect(findSignatureFault({ r, s, v: 28 })).toBeUndefined()
    expect(findSignatureFault({ r, s, v: 27 })).toBeUndefined()
    expect(findSignatureFault({ r, s: toHex(order / 2n, { size: 32 }), v: 28 })).toBeUndefined()
  })
})

test('behavior: both ends of the window are excluded', () => {
  const window = { validAfter: 99n, validBefore: 200n }
  expect([99n, 100n, 199n, 200n].map((now) => noteStatusAt(window, now))).toEqual([
    'not-yet-valid',
    'usable',
    'usable',
    'expired',
  ])
})
