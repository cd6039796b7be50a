import { decodeBundle, entryBytesMax } from './entry-bundle.ts'
import { type LogSource, WrongTileError } from './log-source.ts'
import { equalBytes, leafHash } from './merkle-hash.ts'
import { formatTilePath, hashOfNode, tileWidth } from './tile.ts'
import type { VerifiedTree } from './verified-tree.ts'

/** A log and its tree at a checkpoint. */
export type ReadableLog = { readonly source: LogSource; readonly tree: VerifiedTree }

/** The first entries of a bundle. */
export type EntryRange = { readonly index: number; readonly width: number }

type Entries = readonly Uint8Array[]
type FoundEntries = { readonly entries?: Entries; readonly isWithheld?: boolean | undefined }

const bundleBytesMax = tileWidth * (entryBytesMax + 2)

/**
 * Reads the first entries of a bundle. Returns none if the log does not serve them. Throws `WrongTileError` if the tree has
 * others. `served` is the width of the bundle that is read.
 */
export async function findEntries(
  { source, tree }: ReadableLog,
  { index, width }: EntryRange,
  served: number = width,
): Promise<FoundEntries> {
  const path = formatTilePath({ level: 'entries', index, width: served })
  const { bytes, isWithheld } = await source.read(path, bundleBytesMax)
  if (!bytes) return { isWithheld }
  const all = decodeBundle(bytes)
  if (all?.length !== served) throw new WrongTileError(path, `does not consist of ${served} entries`)
  const entries = all.slice(0, width)
  const leaves = await tree.readTile({ level: 0, index })
  const wrong = entries.findIndex(
    (entry, at) => !equalBytes(leafHash(entry), hashOfNode({ level: 0, index: at }, leaves)),
  )
  if (wrong >= 0) throw new WrongTileError(path, `has another entry ${index * tileWidth + wrong} than the tree`)
  return { entries }
}

/**
 * Finds the longest part of a bundle with more than `known` entries in a log that consists of files: the full bundle, in whose
 * place it need not keep partial ones, or a narrower one.
 */
export async function findOtherEntries(
  log: ReadableLog,
  { index, width, known }: EntryRange & { readonly known: number },
): Promise<Entries | undefined> {
  let found = width < tileWidth ? await findEntries(log, { index, width }, tileWidth) : {}
  for (let narrower = width - 1; !found.entries && narrower > known; narrower--) {
    found = await findEntries(log, { index, width: narrower })
  }
  return found.entries
}
