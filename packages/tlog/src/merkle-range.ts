import { emptyRoot, nodeHash } from './merkle-hash.ts'

/** Root of a complete subtree: `level` 0 is a leaf, and the node covers 2^level leaves from `index` × 2^level on. */
export type TreeNode = { readonly level: number; readonly index: number }

/** Size and root of a tree. */
export type TreeHead = { readonly size: number; readonly root: Uint8Array }

/** Leaves from `from` up to, but not including, `to`. */
export type LeafRange = { readonly from: number; readonly to: number }

/** Reads the hash of a complete subtree. */
export type ReadNode = (node: TreeNode) => Uint8Array

/** Returns the root of a tree of a size. */
export function rootOf(size: number, readNode: ReadNode): Uint8Array {
  return joinSubtrees(nodesOf({ from: 0, to: size }).map(readNode))
}

/** Returns the hash of the complete subtrees that `nodesOf` lists. */
export function joinSubtrees(hashes: readonly Uint8Array[]): Uint8Array {
  return hashes.length === 0 ? emptyRoot() : hashes.reduceRight((right, left) => nodeHash(left, right))
}

/** Splits a range of a proof into complete subtrees, from left to right. */
export function nodesOf({ from, to }: LeafRange): readonly TreeNode[] {
  const nodes: TreeNode[] = []
  let at = from
  while (at < to) {
    const leaves = powerOfTwoUpTo(to - at)
    nodes.push({ level: Math.log2(leaves), index: at / leaves })
    at += leaves
  }
  return nodes
}

/** Returns the largest power of two that is not above a number. `Math.log2` is exact for powers of two only. */
export function powerOfTwoUpTo(number: number): number {
  let power = 1
  while (power * 2 <= number) power *= 2
  return power
}

/** Returns the hash of a range of a proof. */
export function hashRange(range: LeafRange, readNode: ReadNode): Uint8Array {
  return joinSubtrees(nodesOf(range).map(readNode))
}

/** Lists the ranges of an inclusion proof, from the leaf to the root (RFC 6962 §2.1.1). */
export function inclusionRanges(index: number, size: number): readonly LeafRange[] {
  const ranges: LeafRange[] = []
  let from = 0
  let to = size
  while (to - from > 1) {
    const middle = from + powerOfTwoUpTo(to - from - 1)
    if (index < middle) {
      ranges.unshift({ from: middle, to })
      to = middle
    } else {
      ranges.unshift({ from, to: middle })
      from = middle
    }
  }
  return ranges
}

/** Returns the hashes of an inclusion proof, from the leaf to the root. */
export function proveInclusion(index: number, size: number, readNode: ReadNode): readonly Uint8Array[] {
  return inclusionRanges(index, size).map((range) => hashRange(range, readNode))
}
