import { createHash } from 'node:crypto'

// Part of a verifier that was written from the specifications alone. This file: RFC 6962 §2.1, with its recursive
// definitions. D[from:to] is a range of leaves.

/** Returns MTH(D[from:to]). */
export type HashOfRange = (from: number, to: number) => Buffer

export function hashLeaf(entry: Uint8Array): Buffer {
  return createHash('sha256').update('\0').update(entry).digest()
}

export function hashNode(left: Uint8Array, right: Uint8Array): Buffer {
  return createHash('sha256').update('\x01').update(left).update(right).digest()
}

/** Returns the largest power of two smaller than n. */
export function splitAt(n: number): number {
  let k = 1
  while (k * 2 < n) k *= 2
  return k
}

/** MTH(D[n]) of the hashes of its leaves. */
export function rootOfHashes(hashes: readonly Uint8Array[]): Buffer {
  if (hashes.length === 0) return createHash('sha256').digest()
  if (hashes.length === 1) return Buffer.from(hashes[0] as Uint8Array)
  const k = splitAt(hashes.length)
  return hashNode(rootOfHashes(hashes.slice(0, k)), rootOfHashes(hashes.slice(k)))
}

/** PATH(m, D[from:to]) of RFC 6962 §2.1.1. */
export function makePath(m: number, [from, to]: readonly [number, number], mth: HashOfRange): Buffer[] {
  const n = to - from
  if (n === 1) return []
  const k = splitAt(n)
  return m < k
    ? [...makePath(m, [from, from + k], mth), mth(from + k, to)]
    : [...makePath(m - k, [from + k, to], mth), mth(from, from + k)]
}

/** Returns the root to which a path leads from leaf m of n, or undefined if its length is wrong. */
export function followPath(
  leaf: Buffer,
  { m, n, path }: { readonly m: number; readonly n: number; readonly path: readonly Buffer[] },
): Buffer | undefined {
  const last = path.at(-1)
  if (n === 1) return last ? undefined : leaf
  if (!last) return undefined
  const k = splitAt(n)
  const rest = path.slice(0, -1)
  const below = m < k ? followPath(leaf, { m, n: k, path: rest }) : followPath(leaf, { m: m - k, n: n - k, path: rest })
  if (!below) return undefined
  return m < k ? hashNode(below, last) : hashNode(last, below)
}

/** PROOF(m, D[n]) of RFC 6962 §2.1.2. */
export function makeProof(m: number, n: number, mth: HashOfRange): Buffer[] {
  return makeSubproof({ m, from: 0, to: n, isWhole: true }, mth)
}

type Subproof = { readonly m: number; readonly from: number; readonly to: number; readonly isWhole: boolean }

function makeSubproof({ m, from, to, isWhole }: Subproof, mth: HashOfRange): Buffer[] {
  const n = to - from
  if (m === n) return isWhole ? [] : [mth(from, to)]
  const k = splitAt(n)
  return m <= k
    ? [...makeSubproof({ m, from, to: from + k, isWhole }, mth), mth(from + k, to)]
    : [...makeSubproof({ m: m - k, from: from + k, to, isWhole: false }, mth), mth(from, from + k)]
}

type Step = { readonly m: number; readonly n: number; readonly proof: readonly Buffer[]; readonly isWhole: boolean }
type Roots = { readonly old: Buffer; readonly new: Buffer }

/** Returns the roots of both trees by a proof of consistency, or undefined if its length is wrong. */
export function followProof(oldRoot: Buffer, { m, n, proof, isWhole }: Step): Roots | undefined {
  const last = proof.at(-1)
  if (m === n) {
    if (isWhole) return last ? undefined : { old: oldRoot, new: oldRoot }
    return last && proof.length === 1 ? { old: last, new: last } : undefined
  }
  if (!last) return undefined
  const k = splitAt(n)
  const rest = proof.slice(0, -1)
  if (m <= k) {
    const left = followProof(oldRoot, { m, n: k, proof: rest, isWhole })
    return left && { old: left.old, new: hashNode(left.new, last) }
  }
  const right = followProof(oldRoot, { m: m - k, n: n - k, proof: rest, isWhole: false })
  return right && { old: hashNode(last, right.old), new: hashNode(last, right.new) }
}
