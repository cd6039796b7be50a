import { hashBytes, nodeHash } from './merkle-hash.ts'
import { joinSubtrees, nodesOf, type ReadNode } from './merkle-range.ts'
import { type Tile, tileHeight, tileWidth } from './tile.ts'

/** Append-only Merkle tree in memory. It keeps the hash of every complete subtree, 64 bytes per leaf. */
export type MerkleTree = {
  readonly size: number
  append(leaf: Uint8Array): void
  readonly readNode: ReadNode
  /** Returns a tile of hashes. */
  readTile(tile: Tile): Uint8Array
}

/** Creates an empty tree. `hashNodes` computes the same as `nodeHash`, for example with the functions of a platform. */
export function createMerkleTree(hashNodes = nodeHash): MerkleTree {
  const levels: ReturnType<typeof createHashList>[] = []
  const listOf = (level: number) => {
    levels[level] ??= createHashList()
    return levels[level]
  }
  return {
    get size() {
      return listOf(0).length
    },
    append: (leaf) => {
      let hash = leaf
      for (let level = 0; ; level++) {
        const list = listOf(level)
        list.push(hash)
        if (list.length % 2 === 1) return
        hash = hashNodes(list.slice(list.length - 2, list.length - 1), list.slice(list.length - 1, list.length))
      }
    },
    readNode: ({ level, index }) => listOf(level).slice(index, index + 1),
    readTile: ({ level, index, width }) =>
      listOf(Number(level) * tileHeight).slice(index * tileWidth, index * tileWidth + width),
  }
}

/** Hashes in one growing array: an object per hash would take several times the memory. */
function createHashList() {
  let bytes = new Uint8Array(16 * hashBytes)
  let length = 0
  return {
    get length() {
      return length
    },
    push: (hash: Uint8Array) => {
      if (hash.length !== hashBytes) throw new RangeError(`a hash has ${hashBytes} bytes, not ${hash.length}`)
      if ((length + 1) * hashBytes > bytes.length) {
        const larger = new Uint8Array(bytes.length * 2)
        larger.set(bytes)
        bytes = larger
      }
      bytes.set(hash, length * hashBytes)
      length += 1
    },
    slice: (from: number, to: number): Uint8Array => {
      if (from < 0 || to > length || from > to)
        throw new RangeError(`there are no hashes ${from} to ${to} of ${length}`)
      return bytes.slice(from * hashBytes, to * hashBytes)
    },
  }
}

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
