import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'

/** Directory, or file of a size in bytes. */
type Entry = { readonly path: string; readonly size?: number }

// A database packs to 2 MB. The highest quality makes it half as large in ten times the time.
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 24 } }

/** Packs the files and directories of a directory, empty ones too, without times and modes. Equal content gives equal bytes. */
export function packDirectory(directory: string): Buffer {
  const found = readdirSync(directory, { recursive: true, withFileTypes: true })
  const named = found.map((entry) => ({ entry, path: toName(directory, join(entry.parentPath, entry.name)) }))
  // By code units, whatever the language of this machine. A directory is before its content.
  named.sort((a, b) => (a.path < b.path ? -1 : 1))
  const contents: Buffer[] = []
  const entries = named.map(({ entry, path }): Entry => {
    if (entry.isDirectory()) return { path }
    const content = readFileSync(join(directory, path))
    contents.push(content)
    return { path, size: content.length }
  })
  return brotliCompressSync(Buffer.concat([Buffer.from(`${JSON.stringify(entries)}\n`), ...contents]), quality)
}

/** Writes the content of a packed directory into an empty one. It takes half the time that copying takes. */
export function unpackDirectory(packed: Buffer, directory: string): void {
  const bytes = brotliDecompressSync(packed)
  let at = bytes.indexOf('\n') + 1
  for (const { path, size } of JSON.parse(bytes.toString('utf8', 0, at)) as readonly Entry[]) {
    const target = join(directory, path)
    if (size === undefined) mkdirSync(target)
    else {
      writeFileSync(target, bytes.subarray(at, at + size))
      at += size
    }
  }
}

function toName(directory: string, path: string): string {
  return relative(directory, path).replaceAll(sep, '/')
}
