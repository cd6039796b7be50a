import { createHash, sign } from 'node:crypto'
import { toHex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { expect, test } from 'vitest'
import { openChainRecover } from '../../../../service/test/kms/chain-recover.ts'
import { checkConversions } from '../../../../service/test/kms/check-conversions.ts'
import { opensslKeyOf } from '../../../../service/test/kms/openssl-key.ts'
import {
  encodeDer,
  listMultiples,
  modulo,
  order,
  pointOf,
  type RandomSignature,
  signRandomDigests,
  toBigInt,
} from '../../../../service/test/kms/random-signatures.ts'
import { convertSignature } from './convert-signature.ts'

const privateKey = `0x${'01'.repeat(32)}` as const
const address = privateKeyToAddress(privateKey)
const other = privateKeyToAddress(`0x${'02'.repeat(32)}`)

// `npm run kms-million` does the same with a million digests.
async function checkRandomDigests(batchCount: number) {
  const recover = await openChainRecover()
  const multiples = listMultiples(250)
  const batches = Array.from({ length: batchCount }, () => signRandomDigests(BigInt(privateKey), multiples))
  const signatures = batches.flat()
  expect(signatures.filter(({ v }) => v === 27).length).toBeGreaterThan(signatures.length / 4)
  await checkConversions(signatures, { address, recover })
  // A wrong v and another address are noticed.
  const [first] = signatures as [RandomSignature]
  await expect(checkConversions([{ ...first, v: 55 - first.v }], { address, recover })).rejects.toThrow('not 0x')
  await expect(checkConversions([first], { address: other, recover })).rejects.toMatchObject({ failure: 'wrong_key' })
}

test('default: random digests get r, the low s and the v by which ecrecover returns the address', () =>
  checkRandomDigests(1))

test('default: 3,000 random digests get the same', { tags: ['slow'] }, () => checkRandomDigests(12))

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

test('error: bytes that are not DER are malformed', async () => {
  const input = { der: Buffer.from('no signature'), digest: toHex(1n, { size: 32 }), address }
  await expect(convertSignature(input)).rejects.toMatchObject({ failure: 'malformed' })
})
