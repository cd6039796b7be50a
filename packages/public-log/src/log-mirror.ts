import { access, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { invalidConfig } from '@tallystick/core'
import {
  type Checkpoint,
  decodeBundle,
  decodeUtf8,
  formatTilePath,
  formatVerifierKey,
  type Tile,
  tileAt,
  tileWidth,
  type VerifierKey,
  verifyCheckpoint,
} from '@tallystick/tlog'
import type { PublicLog } from './create-public-log.ts'
import type { StoredCheckpoint } from './log-store.ts'
import type { BundleReader } from './read-bundle.ts'

/** A copy of the log as files, which any web server can publish. */
export type LogMirror = {
  /** Writes what a checkpoint adds. Call it again to write bundles that have become public since. */
  write(head: StoredCheckpoint): Promise<void>
}

/** Reads and verifies the checkpoint of a mirror. Returns undefined if there is none yet. */
export async function readMirrorHead(directory: string, key: VerifierKey): Promise<Checkpoint | undefined> {
  const note = await readFile(join(directory, 'checkpoint'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    const remedy = 'Set log.mirror to a directory of this user.'
    throw invalidConfig(`The mirror of the public log ${directory} cannot be read (${error.code}). ${remedy}`, {
      cause: error,
    })
  })
  return note === undefined ? undefined : verifyCheckpoint(note, key)
}

type LogMirrorOptions = {
  readonly log: Pick<PublicLog, 'tree' | 'key'>
  readonly readBundle: BundleReader
  /** Size of the checkpoint that the mirror has. */
  readonly mirrored: number
}

export function createLogMirror(directory: string, { log, readBundle, mirrored }: LogMirrorOptions): LogMirror {
  let tilesSize = mirrored
  // Bundles may be missing although a checkpoint covers them.
  let bundlesSize = 0

  const writeBundles = async (size: number) => {
    const first = Math.floor(bundlesSize / tileWidth)
    for (let index = first; index * tileWidth < size; index++) {
      const tile = tileAt({ level: 'entries', index }, size)
      if (!(await isWritten(directory, tile))) {
        const { bundle } = await readBundle(tile)
        // The rest is written once it is public.
        if (!bundle) return
        await writeTile(directory, tile, bundle)
      }
      bundlesSize = index * tileWidth + tile.width
    }
  }
  return {
    write: async (head) => {
      if (tilesSize < head.size || tilesSize === 0) {
        for (const tile of listNewTiles({ from: tilesSize, to: head.size })) {
          await writeTile(directory, tile, log.tree.readTile(tile))
        }
        await writeWhole(join(directory, 'key'), `${formatVerifierKey(log.key)}\n`)
        await writeWhole(join(directory, 'checkpoint'), head.note)
        tilesSize = head.size
      }
      if (bundlesSize < head.size) await writeBundles(head.size)
    },
  }
}

function isWritten(directory: string, tile: Tile): Promise<boolean> {
  return access(join(directory, formatTilePath(tile))).then(
    () => true,
    () => false,
  )
}

/** Lists the tiles of a tree of size `to` that one of size `from` does not have or has narrower. */
function listNewTiles({ from, to }: { readonly from: number; readonly to: number }): Tile[] {
  const tiles: Tile[] = []
  for (let level = 0; Math.floor(to / tileWidth ** level) > 0; level++) {
    const first = Math.floor(Math.floor(from / tileWidth ** level) / tileWidth)
    for (let index = first; tileAt({ level, index }, to).width > 0; index++) tiles.push(tileAt({ level, index }, to))
  }
  return tiles
}

/** Writes a tile and removes narrower ones, except the last before it, which a reader may be about to fetch. */
async function writeTile(directory: string, tile: Tile, bytes: Uint8Array): Promise<void> {
  await writeWhole(join(directory, formatTilePath(tile)), bytes)
  const partial = join(directory, `${formatTilePath({ ...tile, width: tileWidth })}.p`)
  const widths = (await readdir(partial).catch(() => [])).map(Number).filter((width) => width < tile.width)
  const old = widths.sort((a, b) => b - a).slice(1)
  for (const width of old) await rm(join(partial, String(width)), { force: true })
}

/** Writes a file so that it is whole or not there, also after a crash. */
async function writeWhole(path: string, content: Uint8Array | string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const temporary = `${path}.tmp`
  const handle = await open(temporary, 'w', 0o644)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(temporary, path)
}

/** Reads the entries of the mirror's bundles, in their order, up to the first bundle that is missing. */
export async function* readMirrorEntries(directory: string, size: number): AsyncGenerator<string> {
  for (let index = 0; index * tileWidth < size; index++) {
    const bundle = await readWidestBundle(directory, tileAt({ level: 'entries', index }, size))
    const entries = (bundle && decodeBundle(bundle)) ?? []
    for (const entry of entries) yield decodeUtf8(entry)
    if (entries.length < tileWidth) return
  }
}

/** Reads the widest partial bundle up to a width: entries of the last checkpoint may not have been public. */
async function readWidestBundle(directory: string, tile: Tile): Promise<Uint8Array | undefined> {
  const path = join(directory, formatTilePath({ ...tile, width: tileWidth }))
  const whole = tile.width === tileWidth ? await readFile(path).catch(() => undefined) : undefined
  if (whole) return whole
  const widths = (await readdir(`${path}.p`).catch(() => [])).map(Number).filter((width) => width <= tile.width)
  const [widest] = widths.sort((a, b) => b - a)
  return widest === undefined ? undefined : readFile(join(`${path}.p`, String(widest)))
}
