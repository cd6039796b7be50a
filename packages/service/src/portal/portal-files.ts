import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { etagOf } from '@tallystick/base'

/** File body in one encoding. */
type Variant = { readonly body: Buffer; readonly etag: string }

export type PortalFile = {
  readonly contentType: string
  /** Whether its name contains a hash of its content, so that it can be cached without limit. */
  readonly isHashed: boolean
  readonly plain: Variant
  /** Undefined if there is no compressed file. */
  readonly br: Variant | undefined
  readonly gzip: Variant | undefined
}

/** Files of the built page by URL path. Only these are served. */
export type PortalFiles = ReadonlyMap<string, PortalFile>

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Reads the built page into memory. Returns undefined if it was not built. */
export function readPortalFiles(directory: string): PortalFiles | undefined {
  const page = join(directory, 'index.html')
  if (!existsSync(page)) return undefined
  const assets = join(directory, 'assets')
  const names = readdirSync(assets).filter((name) => contentTypes[extname(name)] !== undefined)
  return new Map([
    ['/', readPortalFile(page, { isHashed: false })],
    ...names.map((name) => [`/assets/${name}`, readPortalFile(join(assets, name), { isHashed: true })] as const),
  ])
}

function readPortalFile(path: string, { isHashed }: { readonly isHashed: boolean }): PortalFile {
  const variant = (suffix: string) => (existsSync(path + suffix) ? readVariant(path + suffix) : undefined)
  return {
    contentType: contentTypes[extname(path)] as string,
    isHashed,
    plain: readVariant(path),
    br: variant('.br'),
    gzip: variant('.gz'),
  }
}

/** Reads a file and computes its ETag. Each encoding has its own, because a strong ETag means identical bytes (RFC 9110 §8.8.1). */
function readVariant(path: string): Variant {
  const body = readFileSync(path)
  return { body, etag: etagOf(body) }
}
