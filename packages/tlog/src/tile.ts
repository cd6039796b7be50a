import { hashBytes, nodeHash } from './merkle-hash.ts'
import type { TreeNode } from './merkle-range.ts'

/** Hashes in a full tile, and entries in a full bundle. */
export const tileWidth = 256
/** Levels of the tree in a tile. */
export const tileHeight = 8

/** A tile of hashes, or a bundle of entries. */
export type Tile = {
  /** A tile of level n has hashes of complete subtrees of level 8n. */
  readonly level: number | 'entries'
  readonly index: number
  /** 1 to 256. A tile with fewer than 256 hashes is partial. */
  readonly width: number
}

/** Returns the path of a tile below the log's URL, such as `tile/0/x001/234.p/5` (C2SP tlog-tiles). */
export function formatTilePath({ level, index, width }: Tile): string {
  const digits = String(index)
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').replace(/...(?=.)/g, 'x$&/')
  return `tile/${level}/${groups}${width === tileWidth ? '' : `.p/${width}`}`
}

/** Returns the place of the tile with the leaves below a node, or with the node itself. */
export function placeOf({ level, index }: TreeNode): { readonly level: number; readonly index: number } {
  return { level: Math.floor(level / tileHeight), index: Math.floor(index / 2 ** (tileHeight - (level % tileHeight))) }
}

/** Returns the widest tile at a place in a tree of a size. Its width is 0 or less if the tree has no such tile. */
export function tileAt({ level, index }: Pick<Tile, 'level' | 'index'>, size: number): Tile {
  const count = level === 'entries' ? size : Math.floor(size / 2 ** (level * tileHeight))
  return { level, index, width: Math.min(tileWidth, count - index * tileWidth) }
}

/** Returns the hash of a node from the tile at the place of `placeOf`. */
export function hashOfNode({ level, index }: TreeNode, tile: Uint8Array): Uint8Array {
  const count = 2 ** (level % tileHeight)
  const first = (index * count) % tileWidth
  return rootOfHashes(tile.subarray(first * hashBytes, (first + count) * hashBytes))
}

/** Returns the root of a complete subtree from the hashes of one of its levels. */
export function rootOfHashes(hashes: Uint8Array): Uint8Array {
  if (hashes.length <= hashBytes) return hashes
  const middle = hashes.length / 2
  return nodeHash(rootOfHashes(hashes.subarray(0, middle)), rootOfHashes(hashes.subarray(middle)))
}

/** Parses the path of a tile. Returns undefined unless it is exactly what `formatTilePath` returns for some tile. */
export function parseTilePath(path: string): Tile | undefined {
  const match = /^tile\/(entries|\d{1,2})\/((?:x\d{3}\/){0,4}\d{3})(?:\.p\/(\d{1,3}))?$/.exec(path)
  if (!match) return undefined
  const [, level = '', groups = '', width] = match
  const index = Number(groups.replaceAll(/[x/]/g, ''))
  const tile: Tile = {
    level: level === 'entries' ? level : Number(level),
    index,
    width: width === undefined ? tileWidth : Number(width),
  }
  const isValid = tile.width >= 1 && (width === undefined || tile.width < tileWidth) && formatTilePath(tile) === path
  return isValid ? tile : undefined
}
