import { createECDH, createPrivateKey, type KeyObject } from 'node:crypto'

/** Returns a key on a curve as OpenSSL has it. Like a KMS, it signs with random nonces and s in either half. */
export function opensslKeyOf(privateKey: string, curve: 'secp256k1' | 'prime256v1' = 'secp256k1'): KeyObject {
  const ecdh = createECDH(curve)
  const d = Buffer.from(privateKey.slice(2), 'hex')
  ecdh.setPrivateKey(d)
  const point = ecdh.getPublicKey()
  const coordinates = { x: point.subarray(1, 33), y: point.subarray(33), d }
  const encoded = Object.entries(coordinates).map(([name, bytes]) => [name, bytes.toString('base64url')])
  const crv = curve === 'secp256k1' ? curve : 'P-256'
  return createPrivateKey({ key: { kty: 'EC', crv, ...Object.fromEntries(encoded) }, format: 'jwk' })
}
