import { secp256k1 } from '@noble/curves/secp256k1'
import { type Address, type Hex, isAddressEqual, recoverAddress } from 'viem'
import { SignerError } from '../signer.ts'

export type DerSignature = {
  readonly der: Uint8Array
  /** The 32 bytes that were signed. */
  readonly digest: Hex
  /** Address of the KMS key. */
  readonly address: Address
}

// A sequence of two integers, each of 32 bytes and a zero byte before a first bit that is set.
const derBytesMax = 2 + 2 * (2 + 33)

/**
 * Converts the signature of a KMS to the 65 bytes r, s, v of `ecrecover`. A KMS returns s in either half of the order and
 * no recovery id: a high s becomes n − s (EIP-2), and the ids 0 and 1 are tried. Throws `SignerError` if neither gives the
 * address.
 */
export async function convertSignature({ der, digest, address }: DerSignature): Promise<Hex> {
  const compact = parseSignature(der).normalizeS().toCompactHex()
  for (const v of [27, 28]) {
    const signature: Hex = `0x${compact}${v.toString(16)}`
    const recovered = await recoverAddress({ hash: digest, signature }).catch(() => undefined)
    if (recovered && isAddressEqual(recovered, address)) return signature
  }
  throw new SignerError({
    failure: 'wrong_key',
    message: `The KMS returned a signature by another key than that of ${address}. Nothing was published. Check the KMS key and signer.address.`,
  })
}

/** Parses a signature in DER (RFC 3279 §2.2.3). BER is rejected, and r and s must be from 1 to n − 1. */
function parseSignature(der: Uint8Array) {
  try {
    if (der.length <= derBytesMax) return secp256k1.Signature.fromDER(der)
  } catch {
    // Reported below. The message of the library can contain the whole number.
  }
  throw new SignerError({
    failure: 'malformed',
    message: 'The KMS returned a signature that is not valid DER. Nothing was published.',
  })
}
