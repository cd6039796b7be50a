import { createPublicKey, type KeyObject } from 'node:crypto'
import { invalidConfig } from '@tallystick/core'
import type { Address } from 'viem'
import { publicKeyToAddress } from 'viem/accounts'
import { SignerError } from '../signer.ts'

/** Public key as a KMS returns it: SubjectPublicKeyInfo (RFC 5280), as DER bytes or PEM text. */
export type SpkiPublicKey = Uint8Array | string

/**
 * Returns the address of a public key. Throws `SignerError` if it cannot be parsed, and an `invalid_config` error if it is
 * not on secp256k1. OpenSSL checks that the point is on the curve.
 */
export function addressOfPublicKey(spki: SpkiPublicKey): Address {
  const key = parsePublicKey(spki)
  const curve = key.asymmetricKeyDetails?.namedCurve
  if (key.asymmetricKeyType !== 'ec' || curve !== 'secp256k1') {
    throw invalidConfig(
      `The KMS key is of type ${curve ?? key.asymmetricKeyType}, not secp256k1. Create a key of that type: the type of a key cannot be changed.`,
    )
  }
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  const [hexX, hexY] = [x, y].map((coordinate) =>
    Buffer.from(coordinate, 'base64url').toString('hex').padStart(64, '0'),
  )
  return publicKeyToAddress(`0x04${hexX}${hexY}`)
}

function parsePublicKey(spki: SpkiPublicKey): KeyObject {
  try {
    if (typeof spki === 'string') return createPublicKey({ key: spki, format: 'pem' })
    return createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' })
  } catch {
    throw new SignerError({ failure: 'malformed', message: 'The KMS returned a public key that cannot be parsed.' })
  }
}
