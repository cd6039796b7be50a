import { sha256 } from '@noble/hashes/sha2'

/** Size of a hash, bytes. */
export const hashBytes = 32

const leafPrefix = Uint8Array.of(0)
const nodePrefix = Uint8Array.of(1)

/** Returns the root of an empty tree. */
export function emptyRoot(): Uint8Array {
  return sha256(new Uint8Array())
}

/** Returns the hash of an entry (RFC 6962 §2.1). */
export function leafHash(entry: Uint8Array): Uint8Array {
  return sha256.create().update(leafPrefix).update(entry).digest()
}

/** Returns the hash of a node with two children (RFC 6962 §2.1). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256.create().update(nodePrefix).update(left).update(right).digest()
}

/** Compares public bytes. Not for secrets. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at])
}
