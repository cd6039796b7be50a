import { formatTilePath, type Tile, tileWidth } from './tile.ts'

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
