import { type LogSource, MissingTileError, WrongTileError } from './log-source.ts'
import { equalBytes, hashBytes, leafHash } from './merkle-hash.ts'
import { joinSubtrees, nodesOf, rootOf, type TreeHead, type TreeNode } from './merkle-range.ts'
import { formatTilePath, hashOfNode, placeOf, rootOfHashes, type Tile, tileAt, tileHeight, tileWidth } from './tile.ts'

/**
 * Right edge of a tree: the last, partial tile of each level, from the leaves on. The root and every later tree follow from it.
 * At most 255 hashes per level.
 */
export type TreeEdge = readonly Uint8Array[]

/** A tree that is read by tiles. Each tile is verified against the tree's root before it is used. */
export type VerifiedTree = {
  readonly size: number
  readEdge(): Promise<TreeEdge>
  /** Returns the widest tile at a place of the tree. A full tile is cached unless `fresh`. */
  readTile(place: { readonly level: number; readonly index: number; readonly fresh?: boolean }): Promise<Uint8Array>
  /** Returns the root of the tree when it was smaller. */
  rootAt(size: number): Promise<Uint8Array>
  /** Returns whether the tree has an entry at an index. */
  includes(entry: Uint8Array, index: number): Promise<boolean>
}

const cachedMax = 64
const tileBytes = tileWidth * hashBytes

/**
 * Creates the tree of a checkpoint. It reads nothing before it is used. `known` is its edge, if that was read before.
 * Methods throw `MissingTileError` or `WrongTileError`.
 */
export function createVerifiedTree(source: LogSource, head: TreeHead, known?: TreeEdge): VerifiedTree {
  const { size } = head
  const cache = new Map<string, Promise<Uint8Array>>()
  let edge = known && Promise.resolve(known)
  const readEdge = () => {
    edge ??= fetchEdge(source, head)
    return edge
  }
  const readTile: VerifiedTree['readTile'] = async ({ level, index, fresh = false }) => {
    const tile = tileAt({ level, index }, size)
    if (tile.width < tileWidth) return (await readEdge())[level] as Uint8Array
    const path = formatTilePath(tile)
    const cached = fresh ? undefined : cache.get(path)
    if (cached) return cached
    const node = { level: (level + 1) * tileHeight, index }
    const both = Promise.all([fetchTile(source, tile), readTile({ ...placeOf(node), fresh })])
    const verified = both.then(([hashes, above]) => {
      if (equalBytes(rootOfHashes(hashes), hashOfNode(node, above))) return hashes
      throw new WrongTileError(path)
    })
    if (cache.size >= cachedMax) cache.clear()
    cache.set(path, verified)
    verified.catch(() => cache.delete(path))
    return verified
  }
  const readNode = async (node: TreeNode) => hashOfNode(node, await readTile(placeOf(node)))
  return {
    size,
    readEdge,
    readTile,
    rootAt: async (smaller) => joinSubtrees(await Promise.all(nodesOf({ from: 0, to: smaller }).map(readNode))),
    includes: async (entry, index) => index < size && equalBytes(leafHash(entry), await readNode({ level: 0, index })),
  }
}

/** Returns the root of a tree from its edge. */
export function rootOfEdge(size: number, edge: TreeEdge): Uint8Array {
  // Every complete subtree at the right edge is below a partial tile.
  return rootOf(size, (node) => hashOfNode(node, edge[placeOf(node).level] as Uint8Array))
}

async function fetchEdge(source: LogSource, { size, root }: TreeHead): Promise<TreeEdge> {
  const tiles: Tile[] = []
  for (let count = size; count > 0; count = Math.floor(count / tileWidth)) {
    tiles.push({ level: tiles.length, index: Math.floor(count / tileWidth), width: count % tileWidth })
  }
  const edge = await Promise.all(tiles.map((tile) => (tile.width === 0 ? new Uint8Array() : fetchTile(source, tile))))
  if (equalBytes(rootOfEdge(size, edge), root)) return edge
  throw new WrongTileError(`The last tiles of ${size} entries`, 'do not have the root of the checkpoint')
}

/** Reads a tile. A log need not keep a partial tile once the tile is full (C2SP tlog-tiles). */
async function fetchTile(source: LogSource, tile: Tile): Promise<Uint8Array> {
  const path = formatTilePath(tile)
  const full = formatTilePath({ ...tile, width: tileWidth })
  const { bytes } = await source.read(path, tileBytes)
  const found = bytes ?? (path === full ? undefined : (await source.read(full, tileBytes)).bytes)
  if (!found) throw new MissingTileError(path)
  const width = tile.width * hashBytes
  if (found.length !== width && found.length !== tileBytes) throw new WrongTileError(path)
  return found.subarray(0, width)
}
