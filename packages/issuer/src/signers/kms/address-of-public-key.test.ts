import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { privateKeyToAddress } from 'viem/accounts'
import { expect, test } from 'vitest'
import { opensslKeyOf } from '../../../../service/test/kms/openssl-key.ts'
import { addressOfPublicKey } from './address-of-public-key.ts'

const derOf = (key: KeyObject) => createPublicKey(key).export({ format: 'der', type: 'spki' })
const pemOf = (key: KeyObject) => createPublicKey(key).export({ format: 'pem', type: 'spki' }) as string

test('default: returns the address of a key in DER and in PEM', () => {
  for (const privateKey of [`0x${'01'.repeat(32)}`, `0x${'07'.repeat(32)}`, `0x${'00'.repeat(31)}01`] as const) {
    const key = opensslKeyOf(privateKey)
    expect(addressOfPublicKey(derOf(key))).toBe(privateKeyToAddress(privateKey))
    expect(addressOfPublicKey(pemOf(key))).toBe(privateKeyToAddress(privateKey))
  }
})

test('behavior: coordinates that begin with zero bytes are padded', () => {
  // Half of the generator: x has 21 bytes.
  const half =
    `0x${((0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n + 1n) / 2n).toString(16)}` as const
  expect(addressOfPublicKey(derOf(opensslKeyOf(half)))).toBe(privateKeyToAddress(half))
})

test('error: a key of another type or curve is refused as a fault of the configuration', () => {
  const ec = opensslKeyOf(`0x${'01'.repeat(32)}`, 'prime256v1')
  expect(() => addressOfPublicKey(derOf(ec))).toThrowErrorMatchingInlineSnapshot(
    `[TallystickError: The KMS key is of type prime256v1, not secp256k1. Create a key of that type: the type of a key cannot be changed.]`,
  )
  const { publicKey } = generateKeyPairSync('ed25519')
  const refusal = expect.objectContaining({ code: 'invalid_config', retryable: false })
  expect(() => addressOfPublicKey(publicKey.export({ format: 'der', type: 'spki' }))).toThrow(refusal)
})

test.each([
  ['nothing', Buffer.alloc(0)],
  ['garbage', Buffer.from('no key')],
  ['an empty text', ''],
  ['a web page', '<html>'],
  ['a point that is not on the curve', corrupt(derOf(opensslKeyOf(`0x${'01'.repeat(32)}`)))],
])('error: %s is malformed', (_, spki) => {
  expect(() => addressOfPublicKey(spki)).toThrow(expect.objectContaining({ failure: 'malformed' }))
})

function corrupt(der: Buffer): Buffer {
  der.writeUInt8((der.at(-1) as number) ^ 1, der.length - 1)
  return der
}
