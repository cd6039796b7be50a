import { nodeHash } from './merkle-hash.ts'
import { joinSubtrees, nodesOf } from './merkle-range.ts'
import type { MerkleTree } from './merkle-tree.ts'

/** Returns the root that a tree would have after more leaves, without appending them. */
export function rootAfter(tree: Pick<MerkleTree, 'size' | 'readNode'>, leaves: readonly Uint8Array[]): Uint8Array {
  const stack = nodesOf({ from: 0, to: tree.size }).map((node) => ({ level: node.level, hash: tree.readNode(node) }))
  for (const leaf of leaves) {
    let top = { level: 0, hash: leaf }
    for (let left = stack.at(-1); left?.level === top.level; left = stack.at(-1)) {
      top = { level: top.level + 1, hash: nodeHash(left.hash, top.hash) }
      stack.pop()
    }
    stack.push(top)
  }
  return joinSubtrees(stack.map(({ hash }) => hash))
}
