import { SignerError } from '../signer.ts'

export type EcdsaSignature = { readonly r: bigint; readonly s: bigint }

/** Order of secp256k1 (SEC 2, §2.4.1). */
export const secp256k1Order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

const sequenceTag = 0x30
const integerTag = 0x02
// 32 bytes, and a zero byte before a value whose first bit is set.
const integerBytesMax = 33

/**
 * Parses an ECDSA signature on secp256k1 in DER (RFC 3279 §2.2.3): a sequence of the integers r and s. Throws
 * `SignerError` for any other bytes, also for those that only BER allows, and unless r and s are from 1 to n − 1.
 */
export function parseDerSignature(bytes: Uint8Array): EcdsaSignature {
  // Both integers together are shorter than 128 bytes, so every length is one byte.
  if (bytes[0] !== sequenceTag) throw malformed('it is not a DER sequence')
  if (bytes.length < 2 || bytes[1] !== bytes.length - 2) throw malformed('its length is wrong')
  const r = parseInteger(bytes, { name: 'r', offset: 2 })
  const s = parseInteger(bytes, { name: 's', offset: r.end })
  if (s.end !== bytes.length) throw malformed('it has bytes after s')
  return { r: r.value, s: s.value }
}

function parseInteger(
  bytes: Uint8Array,
  { name, offset }: { readonly name: 'r' | 's'; readonly offset: number },
): { readonly value: bigint; readonly end: number } {
  const [tag, length = 0] = bytes.subarray(offset)
  if (tag !== integerTag) throw malformed(`${name} is not a DER integer`)
  const content = bytes.subarray(offset + 2, offset + 2 + length)
  const [first = 0, second = 0] = content
  if (length === 0 || content.length !== length) throw malformed(`${name} has a wrong length`)
  if (length > integerBytesMax) throw malformed(`${name} is longer than ${integerBytesMax} bytes`)
  if (first >= 0x80) throw malformed(`${name} is negative`)
  if (first === 0 && length > 1 && second < 0x80) throw malformed(`${name} has a superfluous zero byte`)
  const value = BigInt(`0x${Buffer.from(content).toString('hex')}`)
  if (value === 0n || value >= secp256k1Order) throw malformed(`${name} is not from 1 to n − 1`)
  return { value, end: offset + 2 + length }
}

function malformed(fault: string): SignerError {
  return new SignerError({
    failure: 'malformed',
    message: `The KMS returned a signature that is not valid DER: ${fault}. Nothing was published.`,
  })
}
