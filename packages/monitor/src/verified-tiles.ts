import {
  encodeBase64,
  equalBytes,
  formatTilePath,
  hashBytes,
  hashOfNode,
  nodesOf,
  rootOf,
  type Tile,
  type TreeNode,
  tileAt,
  tileOf,
  tileWidth,
} from '@tallystick/tlog'
import { LogFaultError, MissingTileError } from './log-fault.ts'
import type { LogSource } from './log-source.ts'
import { rootOfEdge, rootOfTile, splitHashes, type TreeEdge } from './tree-edge.ts'

type Hashes = readonly Uint8Array[]

/** Reads the tiles of a tree. Every tile is verified against the tree's edge before it is used. */
export type VerifiedTiles = {
  readonly edge: TreeEdge
  /** Returns the hashes of a tile. A full tile is cached unless `fresh`. */
  read(tile: Pick<Tile, 'index'> & { readonly level: number; readonly fresh?: boolean }): Promise<Hashes>
  /** Returns the root of the tree when it was smaller. */
  rootAt(size: number): Promise<Uint8Array>
}

const cachedMax = 64

export function createVerifiedTiles(source: LogSource, edge: TreeEdge): VerifiedTiles {
  const cache = new Map<string, Hashes>()
  const read: VerifiedTiles['read'] = async ({ level, index, fresh = false }) => {
    const tile = tileAt({ level, index }, edge.size)
    if (tile.width < tileWidth) return edge.levels[level] ?? []
    const path = formatTilePath(tile)
    const cached = fresh ? undefined : cache.get(path)
    if (cached) return cached
    const hashes = await fetchTile(source, tile)
    const above = await read({ level: level + 1, index: Math.floor(index / tileWidth), fresh })
    if (!equalBytes(rootOfTile(hashes), above[index % tileWidth] as Uint8Array)) throw wrongTile(path)
    if (cache.size >= cachedMax) cache.delete(cache.keys().next().value as string)
    cache.set(path, hashes)
    return hashes
  }
  return {
    edge,
    read,
    rootAt: async (size) => {
      const nodes = new Map<string, Uint8Array>()
      for (const node of nodesOf({ from: 0, to: size })) {
        const { level, index } = tileOf(node, edge.size)
        const hashes = await read({ level: level as number, index })
        nodes.set(nameOf(node), hashOfNode(node, Buffer.concat(hashes)))
      }
      return rootOf(size, (node) => nodes.get(nameOf(node)) as Uint8Array)
    },
  }
}

function nameOf({ level, index }: TreeNode): string {
  return `${level}/${index}`
}

/** Reads the edge of a tree: the last tile of each level. Throws `LogFaultError` unless its root is the given one. */
export async function fetchEdge(
  source: LogSource,
  { size, root }: { readonly size: number; readonly root: Uint8Array },
): Promise<TreeEdge> {
  const levels: Hashes[] = []
  for (let count = size, level = 0; count > 0; count = Math.floor(count / tileWidth), level++) {
    const width = count % tileWidth
    levels.push(width === 0 ? [] : await fetchTile(source, { level, index: Math.floor(count / tileWidth), width }))
  }
  const edge = { size, levels }
  if (equalBytes(rootOfEdge(edge), root)) return edge
  throw new LogFaultError({
    kind: 'tile_wrong',
    subject: `size ${size}`,
    message: `The last tiles of the log do not have the root of its checkpoint of ${size} entries.`,
    evidence: { size, root: encodeBase64(root) },
  })
}

/** A log need not keep a partial tile once the tile is full (C2SP tlog-tiles). */
async function fetchTile(source: LogSource, tile: Tile): Promise<Hashes> {
  const path = formatTilePath(tile)
  const partial = await source.read(path, tileWidth * hashBytes)
  const isFull = tile.width === tileWidth
  const { bytes } =
    partial.bytes || isFull
      ? partial
      : await source.read(formatTilePath({ ...tile, width: tileWidth }), tileWidth * hashBytes)
  if (!bytes) throw new MissingTileError(path)
  const isWhole = bytes.length === tile.width * hashBytes || (!partial.bytes && bytes.length === tileWidth * hashBytes)
  if (!isWhole) throw wrongTile(path)
  return splitHashes(bytes.subarray(0, tile.width * hashBytes))
}

function wrongTile(path: string): LogFaultError {
  const message = `${path} is not what the checkpoint includes. Tiles never change, so the copy is damaged or was altered.`
  return new LogFaultError({ kind: 'tile_wrong', subject: path, message })
}
