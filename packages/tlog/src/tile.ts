import { hashBytes, nodeHash } from './merkle-hash.ts'
import type { TreeNode } from './merkle-range.ts'

/** Hashes in a full tile, and entries in a full bundle. */
export const tileWidth = 256
const tileHeight = 8

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
  const groups = [String(index % 1000).padStart(3, '0')]
  for (let rest = Math.floor(index / 1000); rest > 0; rest = Math.floor(rest / 1000)) {
    groups.unshift(`x${String(rest % 1000).padStart(3, '0')}`)
  }
  return `tile/${level}/${groups.join('/')}${width === tileWidth ? '' : `.p/${width}`}`
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

/** Returns the tile of a tree that contains the leaves below a node, or the node itself. */
export function tileOf({ level, index }: TreeNode, size: number): Tile {
  const tileLevel = Math.floor(level / tileHeight)
  const firstHash = index * 2 ** (level - tileLevel * tileHeight)
  return tileAt({ level: tileLevel, index: Math.floor(firstHash / tileWidth) }, size)
}

/** Returns the widest tile at a place in a tree of a size. Its width is 0 or less if the tree has no such tile. */
export function tileAt({ level, index }: Pick<Tile, 'level' | 'index'>, size: number): Tile {
  const count = level === 'entries' ? size : Math.floor(size / 2 ** (level * tileHeight))
  return { level, index, width: Math.min(tileWidth, count - index * tileWidth) }
}

/** Returns the hash of a node from the tile that `tileOf` names. */
export function hashOfNode({ level, index }: TreeNode, tile: Uint8Array): Uint8Array {
  const height = level - Math.floor(level / tileHeight) * tileHeight
  const first = (index * 2 ** height) % tileWidth
  let hashes = Array.from({ length: 2 ** height }, (_, at) =>
    tile.subarray((first + at) * hashBytes, (first + at + 1) * hashBytes),
  )
  while (hashes.length > 1) {
    hashes = hashes.flatMap((hash, at) => (at % 2 === 0 ? [nodeHash(hash, hashes[at + 1] as Uint8Array)] : []))
  }
  return hashes[0] as Uint8Array
}
