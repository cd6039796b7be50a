import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeDer } from '../../../../service/test/kms/random-signatures.ts'
import { SignerError } from '../signer.ts'
import { secp256k1Order as n, parseDerSignature } from './parse-der-signature.ts'

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex')
const ones = '01'.repeat(32)
/** A sequence of two elements, whose lengths are right. */
const sequenceOf = (r: string, s: string) => {
  const content = bytes(r + s)
  return Buffer.concat([Buffer.of(0x30, content.length), content])
}
const one = '02 01 01'

test.each([
  ['the least', 1n, 1n],
  ['the greatest', n - 1n, n - 1n],
  ['a first bit that is set', 2n ** 255n, 2n ** 255n - 1n],
  ['the two halves of the order', n / 2n, n / 2n + 1n],
  ['short ones', 127n, 128n],
  ['31 bytes', 2n ** 248n - 1n, 2n ** 247n],
])('default: parses r and s: %s', (_, r, s) => {
  expect(parseDerSignature(encodeDer({ r, s }))).toEqual({ r, s })
})

test.each([
  ['nothing', '', 'it is not a DER sequence'],
  ['a single byte', '30', 'its length is wrong'],
  ['an empty sequence', '30 00', 'r is not a DER integer'],
  ['a set', `31 06 ${one} ${one}`, 'it is not a DER sequence'],
  ['an integer', one, 'it is not a DER sequence'],
  ['r and s without DER', ones + ones, 'it is not a DER sequence'],
  ['a length one too small', `30 05 ${one} ${one}`, 'its length is wrong'],
  ['a length one too great', `30 07 ${one} ${one}`, 'its length is wrong'],
  ['a long form of a short length', `30 81 06 ${one} ${one}`, 'its length is wrong'],
  ['an indefinite length', `30 80 ${one} ${one} 00 00`, 'its length is wrong'],
  ['a byte after the sequence', `30 06 ${one} ${one} 00`, 'its length is wrong'],
  ['r alone', `30 03 ${one}`, 's is not a DER integer'],
  ['a third integer', `30 09 ${one} ${one} ${one}`, 'it has bytes after s'],
  ['a byte after s', `30 07 ${one} ${one} 00`, 'it has bytes after s'],
  ['an octet string for r', `30 06 04 01 01 ${one}`, 'r is not a DER integer'],
  ['a boolean for s', `30 06 ${one} 01 01 ff`, 's is not a DER integer'],
  ['an empty r', `30 05 02 00 ${one}`, 'r has a wrong length'],
  ['an empty s', `30 05 ${one} 02 00`, 's has a wrong length'],
  ['an s without its length', `30 04 ${one} 02`, 's has a wrong length'],
  ['an r beyond the end', '30 04 02 7f 01 01', 'r has a wrong length'],
  ['an s beyond the end', `30 06 ${one} 02 02 01`, 's has a wrong length'],
])('error: rejects %s', (_, hex, fault) => {
  expectFault(bytes(hex), fault)
})

test.each([
  ['a negative one', '02 01 80', 'is negative'],
  ['minus one', '02 01 ff', 'is negative'],
  ['32 bytes without the zero that keeps them positive', `02 20 ${'ff'.repeat(32)}`, 'is negative'],
  ['a superfluous zero', '02 02 00 01', 'has a superfluous zero byte'],
  ['zero in two bytes', '02 02 00 00', 'has a superfluous zero byte'],
  ['two zeros before a set bit', '02 03 00 00 80', 'has a superfluous zero byte'],
  ['zero', '02 01 00', 'is not from 1 to n − 1'],
  ['the order', `02 21 00 ${n.toString(16)}`, 'is not from 1 to n − 1'],
  ['one more than the order', `02 21 00 ${(n + 1n).toString(16)}`, 'is not from 1 to n − 1'],
  ['2^256 − 1', `02 21 00 ${'ff'.repeat(32)}`, 'is not from 1 to n − 1'],
  ['2^256', `02 21 01 ${'00'.repeat(32)}`, 'is not from 1 to n − 1'],
  ['34 bytes', `02 22 01 ${'00'.repeat(33)}`, 'is longer than 33 bytes'],
  ['34 bytes with a zero', `02 22 00 ff ${'00'.repeat(32)}`, 'is longer than 33 bytes'],
])('error: rejects %s as r and as s', (_, integer, fault) => {
  expectFault(sequenceOf(integer, one), `r ${fault}`)
  expectFault(sequenceOf(one, integer), `s ${fault}`)
})

test('error: changed, cut and random bytes never throw anything but a SignerError, and never pass as another encoding', () => {
  const valid = encodeDer({ r: 2n ** 255n + 7n, s: n - 9n })
  for (let length = 0; length < valid.length; length++) expectFault(valid.subarray(0, length))
  const changed = fc
    .tuple(fc.nat(valid.length - 1), fc.nat(255), fc.nat(valid.length - 1), fc.nat(255))
    .map(([i, x, j, y]) => {
      const copy = Buffer.from(valid)
      copy[i] = x
      copy[j] = y
      return copy
    })
  fc.assert(
    fc.property(fc.oneof(changed, fc.uint8Array({ maxLength: 80 })), (input) => {
      const parsed = parseOrFault(input)
      // DER has one encoding of a value, so bytes that pass are those.
      if (parsed) expect(encodeDer(parsed).equals(input)).toBe(true)
    }),
    { numRuns: 2_000 },
  )
  expectFault(randomBytes(100_000))
})

function parseOrFault(input: Uint8Array) {
  try {
    return parseDerSignature(input)
  } catch (error) {
    expect(error).toBeInstanceOf(SignerError)
    return undefined
  }
}

function expectFault(input: Uint8Array, fault = '') {
  const error = (() => {
    try {
      return parseDerSignature(input)
    } catch (error) {
      return error
    }
  })()
  expect(error).toBeInstanceOf(SignerError)
  expect(error).toMatchObject({ failure: 'malformed', code: 'signer_failed', retryable: true })
  expect((error as Error).message).toContain(`The KMS returned a signature that is not valid DER: ${fault}`)
}
