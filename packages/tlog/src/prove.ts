import { joinSubtrees, type LeafRange, nodesOf, powerOfTwoUpTo, type ReadNode } from './merkle-range.ts'

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
    const middle = from + splitOf(to - from)
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

/** Returns the largest power of two below a size. */
function splitOf(size: number): number {
  return powerOfTwoUpTo(size - 1)
}
