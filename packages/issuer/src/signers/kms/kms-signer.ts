import { hashNote, invalidConfig } from '@tallystick/core'
import { type Address, hexToBytes, isAddressEqual } from 'viem'
import { type Signer, SignerError } from '../signer.ts'
import { addressOfPublicKey, type SpkiPublicKey } from './address-of-public-key.ts'
import { convertSignature } from './convert-signature.ts'

/** The two requests to a KMS that signing needs. Both throw `SignerError`. */
export type Kms = {
  readonly kind: 'aws-kms' | 'gcp-kms'
  /** Throws an `invalid_config` error for a key that cannot sign notes. */
  readPublicKey(): Promise<SpkiPublicKey>
  /** Signs 32 bytes. Returns the signature as DER. */
  signDigest(digest: Uint8Array): Promise<Uint8Array>
}

/**
 * Creates a signer whose key is in a KMS. The address is derived from the public key, and a configured one must be equal.
 * If the public key cannot be read, the configured address is used: each signature must recover to it anyway.
 */
export async function openKmsSigner(kms: Kms, configured?: Address | undefined): Promise<Signer> {
  const found = await readAddress(kms, configured)
  const address = found.address
  if (configured && !isAddressEqual(address, configured)) {
    throw invalidConfig(
      `The KMS key belongs to ${address}, but signer.address is ${configured}. Correct the key or the address.`,
    )
  }
  return {
    kind: kms.kind,
    ...found,
    sign: async (terms, domain) => {
      const digest = hashNote(terms, domain)
      const der = await kms.signDigest(hexToBytes(digest))
      return convertSignature({ der, digest, address })
    },
  }
}

async function readAddress(kms: Kms, configured: Address | undefined): Promise<Pick<Signer, 'address' | 'unchecked'>> {
  try {
    return { address: addressOfPublicKey(await kms.readPublicKey()) }
  } catch (error) {
    if (configured && error instanceof SignerError) return { address: configured, unchecked: error }
    throw error
  }
}
