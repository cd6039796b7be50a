import { createECDH, randomBytes } from 'node:crypto'
import { integer, sequence } from '@tallystick/workbench/der'

export const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

type Point = { readonly x: bigint; readonly y: bigint }

/** Signs 32 bytes as a KMS does: with a random nonce, s in either half, as DER. */
export function signDigest(privateKey: string, digest: Uint8Array): Buffer {
  const nonce = (toBigInt(randomBytes(32)) % (order - 1n)) + 1n
  const r = pointOf(nonce).x % order
  const s = (invert(nonce, order) * (toBigInt(digest) + r * BigInt(privateKey))) % order
  return encodeDer({ r, s })
}

export function encodeDer({ r, s }: { readonly r: bigint; readonly s: bigint }): Buffer {
  return sequence(integer(toBytes(r)), integer(toBytes(s)))
}

function toBytes(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex')
}

export function toBigInt(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
}

export function pointOf(scalar: bigint): Point {
  const ecdh = createECDH('secp256k1')
  ecdh.setPrivateKey(toBytes(scalar))
  const bytes = ecdh.getPublicKey()
  return { x: toBigInt(bytes.subarray(1, 33)), y: toBigInt(bytes.subarray(33)) }
}

function invert(value: bigint, modulus: bigint): bigint {
  let [a, b, x, y] = [modulo(value, modulus), modulus, 1n, 0n]
  while (b !== 0n) [a, b, x, y] = [b, a % b, y, x - (a / b) * y]
  return modulo(x, modulus)
}

export function modulo(value: bigint, modulus: bigint): bigint {
  const rest = value % modulus
  return rest < 0n ? rest + modulus : rest
}
