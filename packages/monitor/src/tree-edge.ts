import {
  decodeBase64,
  emptyRoot,
  encodeBase64,
  hashBytes,
  hashOfNode,
  nodeHash,
  rootOf,
  tileWidth,
} from '@tallystick/tlog'

/**
 * Right edge of a tree: the hashes of the last, partial tile of each level, from the leaves on. The root and every later tree
 * follow from it. At most 255 hashes per level.
 */
export type TreeEdge = {
  readonly size: number
  readonly levels: readonly (readonly Uint8Array[])[]
}

export const emptyEdge: TreeEdge = { size: 0, levels: [] }

/** Returns the edge of a tree with further leaves. */
export function extendEdge(edge: TreeEdge, leaves: readonly Uint8Array[]): TreeEdge {
  const levels = edge.levels.map((hashes) => [...hashes])
  for (const leaf of leaves) pushHash(levels, 0, leaf)
  return { size: edge.size + leaves.length, levels }
}

function pushHash(levels: Uint8Array[][], level: number, hash: Uint8Array): void {
  levels[level] ??= []
  const hashes = levels[level]
  hashes.push(hash)
  if (hashes.length < tileWidth) return
  const full = hashes.splice(0)
  pushHash(levels, level + 1, rootOfTile(full))
}

/** Returns the hash of a full tile: its place in the tile above. */
export function rootOfTile(hashes: readonly Uint8Array[]): Uint8Array {
  let nodes = hashes
  while (nodes.length > 1) {
    nodes = nodes.flatMap((hash, at) => (at % 2 === 0 ? [nodeHash(hash, nodes[at + 1] as Uint8Array)] : []))
  }
  return nodes[0] as Uint8Array
}

export function rootOfEdge({ size, levels }: TreeEdge): Uint8Array {
  if (size === 0) return emptyRoot()
  const tiles = levels.map((hashes) => Buffer.concat(hashes))
  // Every complete subtree at the right edge is below a partial tile.
  return rootOf(size, (node) => hashOfNode(node, tiles[Math.floor(node.level / 8)] as Buffer))
}

/** Returns the edge as base64, one text per level. */
export function encodeEdge({ levels }: TreeEdge): string[] {
  return levels.map((hashes) => encodeBase64(Buffer.concat(hashes)))
}

/** Decodes an edge. Returns undefined unless it belongs to a tree of this size. */
export function decodeEdge(size: number, texts: readonly string[]): TreeEdge | undefined {
  const levels: Uint8Array[][] = []
  let count = size
  for (const text of texts) {
    const bytes = decodeBase64(text)
    if (bytes?.length !== (count % tileWidth) * hashBytes) return undefined
    levels.push(splitHashes(bytes))
    count = Math.floor(count / tileWidth)
  }
  return count === 0 ? { size, levels } : undefined
}

/** Splits a tile into its hashes. */
export function splitHashes(tile: Uint8Array): Uint8Array[] {
  return Array.from({ length: tile.length / hashBytes }, (_, at) => tile.slice(at * hashBytes, (at + 1) * hashBytes))
}
