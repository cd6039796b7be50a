import { emptyRoot, equalBytes, nodeHash } from '../src/merkle-hash.ts'
import { type LeafRange, powerOfTwoUpTo, type TreeHead } from '../src/merkle-range.ts'

// Proofs as RFC 9162 verifies them. Readers of a log need none: they verify by tiles (`createVerifiedTree`).

export type InclusionProof = {
  readonly index: number
  readonly size: number
  readonly root: Uint8Array
  readonly leaf: Uint8Array
  /** From the leaf to the root. */
  readonly hashes: readonly Uint8Array[]
}

/** Returns whether a proof shows that a tree contains a leaf (RFC 9162 §2.1.3.2). */
export function verifyInclusion({ index, size, root, leaf, hashes }: InclusionProof): boolean {
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) return false
  let node = index
  let last = size - 1
  let hash = leaf
  for (const other of hashes) {
    if (last === 0) return false
    if (node % 2 === 1 || node === last) {
      hash = nodeHash(other, hash)
      while (node % 2 === 0 && node !== 0) {
        node /= 2
        last = Math.floor(last / 2)
      }
    } else {
      hash = nodeHash(hash, other)
    }
    node = Math.floor(node / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 && equalBytes(hash, root)
}

/** Returns whether a proof shows that a tree extends an older one (RFC 9162 §2.1.4.2). */
export function verifyConsistency(older: TreeHead, newer: TreeHead, proof: readonly Uint8Array[]): boolean {
  if (older.size > newer.size) return false
  if (older.size === newer.size) return proof.length === 0 && equalBytes(older.root, newer.root)
  if (older.size === 0) return proof.length === 0 && equalBytes(older.root, emptyRoot())
  const hashes = isPowerOfTwo(older.size) ? [older.root, ...proof] : [...proof]
  const [first, ...rest] = hashes
  if (!first) return false
  let node = older.size - 1
  let last = newer.size - 1
  while (node % 2 === 1) {
    node = Math.floor(node / 2)
    last = Math.floor(last / 2)
  }
  let oldHash = first
  let newHash = first
  for (const other of rest) {
    if (last === 0) return false
    if (node % 2 === 1 || node === last) {
      oldHash = nodeHash(other, oldHash)
      newHash = nodeHash(other, newHash)
      while (node % 2 === 0 && node !== 0) {
        node /= 2
        last = Math.floor(last / 2)
      }
    } else {
      newHash = nodeHash(newHash, other)
    }
    node = Math.floor(node / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 && equalBytes(oldHash, older.root) && equalBytes(newHash, newer.root)
}

function isPowerOfTwo(size: number): boolean {
  return powerOfTwoUpTo(size) === size
}

/** Lists the ranges of a consistency proof between two sizes (RFC 6962 §2.1.2). */
export function consistencyRanges(oldSize: number, newSize: number): readonly LeafRange[] {
  if (oldSize === 0 || oldSize === newSize) return []
  const ranges: LeafRange[] = []
  let from = 0
  let to = newSize
  while (oldSize < to) {
    const middle = from + powerOfTwoUpTo(to - from - 1)
    if (oldSize <= middle) {
      ranges.unshift({ from: middle, to })
      to = middle
    } else {
      ranges.unshift({ from, to: middle })
      from = middle
    }
  }
  // The verifier knows the hash of the whole old tree.
  if (from > 0) ranges.unshift({ from, to })
  return ranges
}
