import { createHash, randomBytes, sign } from 'node:crypto'
import { hexToBytes, parseSignature, toHex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { expect, test } from 'vitest'
import { openChainRecover } from '../../../../service/test/kms/chain-recover.ts'
import { opensslKeyOf } from '../../../../service/test/kms/openssl-key.ts'
import {
  encodeDer,
  modulo,
  order,
  pointOf,
  signDigest,
  toBigInt,
} from '../../../../service/test/kms/random-signatures.ts'
import { convertSignature } from './convert-signature.ts'

const privateKey = `0x${'01'.repeat(32)}` as const
const address = privateKeyToAddress(privateKey)
const other = privateKeyToAddress(`0x${'02'.repeat(32)}`)

test('default: the chain’s ecrecover returns the address for random digests', async () => {
  const recover = await openChainRecover()
  const recoveries = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const hash = toHex(randomBytes(32))
      const converted = await convertSignature({ der: signDigest(privateKey, hexToBytes(hash)), digest: hash, address })
      return { hash, ...parseSignature(converted) }
    }),
  )
  expect(new Set(recoveries.map(({ yParity }) => yParity)).size).toBe(2)
  expect(new Set(await recover(recoveries))).toEqual(new Set([address.toLowerCase()]))
})

test('default: signatures of OpenSSL, with s in either half, get a low s and recover to the address', async () => {
  const key = opensslKeyOf(privateKey)
  const halves = new Set<boolean>()
  for (let index = 0; index < 40; index++) {
    const message = Buffer.of(index)
    const der = sign('sha256', message, key)
    // A shorter s is low, and so is its length byte, which is read with it.
    halves.add(toBigInt(der.subarray(-32)) > order / 2n)
    const digest = toHex(createHash('sha256').update(message).digest())
    const converted = await convertSignature({ der, digest, address })
    expect(converted).toMatch(/^0x[0-9a-f]{128}1[bc]$/)
    expect(BigInt(`0x${converted.slice(66, 130)}`)).toBeLessThanOrEqual(order / 2n)
  }
  expect(halves.size).toBe(2)
})

/** Chooses the digest for a nonce and an s, the other way round than signing: s·k − r·d. */
function withNonceAndS(nonce: bigint, s: bigint) {
  const { x: r } = pointOf(nonce)
  const digest = toHex(modulo(s * nonce - r * BigInt(privateKey), order), { size: 32 })
  return { r, s, digest, der: encodeDer({ r, s }) }
}

test.each([
  ['1', 1n, 1n],
  ['one byte with a set bit', 128n, 128n],
  ['half the order', order / 2n, order / 2n],
  ['one more than half the order', order / 2n + 1n, order / 2n],
  ['the order − 1', order - 1n, 1n],
  ['the order − 128', order - 128n, 128n],
])('behavior: s of %s becomes the low one', async (_, s, lowS) => {
  for (const nonce of [3n, order - 3n]) {
    const { r, der, digest } = withNonceAndS(nonce, s)
    const converted = await convertSignature({ der, digest, address })
    expect(converted.slice(0, 130)).toBe(`${toHex(r, { size: 32 })}${toHex(lowS, { size: 32 }).slice(2)}`)
  }
})

test('behavior: r of 21 bytes is padded to 32', async () => {
  // Half of the generator has the smallest x that is known.
  const { r, der, digest } = withNonceAndS((order + 1n) / 2n, 12345n)
  expect(r).toBeLessThan(2n ** 168n)
  const converted = await convertSignature({ der, digest, address })
  expect(converted.slice(0, 66)).toBe(toHex(r, { size: 32 }))
})

test('error: a signature of another key, of another digest, or that no key made is rejected', async () => {
  const { r, s, der, digest } = withNonceAndS(7n, 12345n)
  // No point of the curve has the x 5.
  const impossible = encodeDer({ r: 5n, s })
  for (const input of [
    { der, digest, address: other },
    { der, digest: toHex(1n, { size: 32 }), address },
    { der: encodeDer({ r, s: s + 1n }), digest, address },
    { der: impossible, digest, address },
  ]) {
    await expect(convertSignature(input)).rejects.toMatchObject({
      failure: 'wrong_key',
      message: `The KMS returned a signature by another key than that of ${input.address}. Nothing was published. Check the KMS key and signer.address.`,
    })
  }
})

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex')
const one = '02 01 01'
const anyDigest = toHex(1n, { size: 32 })

async function expectMalformed(der: Uint8Array) {
  await expect(convertSignature({ der, digest: anyDigest, address })).rejects.toMatchObject({
    failure: 'malformed',
    code: 'signer_failed',
    retryable: true,
    message: 'The KMS returned a signature that is not valid DER. Nothing was published.',
  })
}

test.each([
  ['nothing', ''],
  ['a single byte', '30'],
  ['an empty sequence', '30 00'],
  ['a set', `31 06 ${one} ${one}`],
  ['an integer', one],
  ['r and s without DER', '01'.repeat(64)],
  ['a length one too small', `30 05 ${one} ${one}`],
  ['a length one too great', `30 07 ${one} ${one}`],
  ['a long form of a short length', `30 81 06 ${one} ${one}`],
  ['a long form of the length of an integer', `30 07 02 81 01 01 ${one}`],
  ['an indefinite length', `30 80 ${one} ${one} 00 00`],
  ['a byte after the sequence', `30 06 ${one} ${one} 00`],
  ['r alone', `30 03 ${one}`],
  ['a third integer', `30 09 ${one} ${one} ${one}`],
  ['a byte after s', `30 07 ${one} ${one} 00`],
  ['an octet string for r', `30 06 04 01 01 ${one}`],
  ['a boolean for s', `30 06 ${one} 01 01 ff`],
  ['an empty r', `30 05 02 00 ${one}`],
  ['an empty s', `30 05 ${one} 02 00`],
  ['an s without its length', `30 04 ${one} 02`],
  ['an r beyond the end', '30 04 02 7f 01 01'],
  ['an s beyond the end', `30 06 ${one} 02 02 01`],
])('error: rejects %s', async (_, hex) => {
  await expectMalformed(bytes(hex))
})

test.each([
  ['a negative one', '02 01 80'],
  ['minus one', '02 01 ff'],
  ['32 bytes without the zero that keeps them positive', `02 20 ${'ff'.repeat(32)}`],
  ['a superfluous zero', '02 02 00 01'],
  ['zero in two bytes', '02 02 00 00'],
  ['two zeros before a set bit', '02 03 00 00 80'],
  ['zero', '02 01 00'],
  ['the order', `02 21 00 ${order.toString(16)}`],
  ['one more than the order', `02 21 00 ${(order + 1n).toString(16)}`],
  ['2^256 − 1', `02 21 00 ${'ff'.repeat(32)}`],
  ['2^256', `02 21 01 ${'00'.repeat(32)}`],
  ['34 bytes', `02 22 01 ${'00'.repeat(33)}`],
  ['34 bytes with a zero', `02 22 00 ff ${'00'.repeat(32)}`],
])('error: rejects %s as r and as s', async (_, integer) => {
  for (const content of [bytes(integer + one), bytes(one + integer)]) {
    await expectMalformed(Buffer.concat([Buffer.of(0x30, content.length), content]))
  }
})

test('error: rejects every other tag, length and first byte, a cut signature and a long one', async () => {
  // r has 33 bytes, from the offset 4 on, and so has s.
  const valid = encodeDer({ r: 2n ** 255n + 7n, s: order - 9n })
  for (const offset of [0, 1, 2, 3, 4, 37, 38, 39]) {
    for (let byte = 0; byte < 256; byte++) {
      if (byte !== valid[offset]) await expectMalformed(Buffer.from(valid).fill(byte, offset, offset + 1))
    }
  }
  for (let length = 0; length < valid.length; length++) await expectMalformed(valid.subarray(0, length))
  await expectMalformed(randomBytes(100_000))
})
