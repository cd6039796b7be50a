import { existsSync } from 'node:fs'
import { access, constants, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { packDirectory, unpackDirectory } from './pack-directory.ts'

/** Embedded database that is created once and copied. */
export type PgliteTemplate = {
  /** Unique name of the content. */
  readonly name: string
  /** Creates the database in an empty directory and closes it. */
  make(path: string): Promise<void>
}

const emptyTemplate: PgliteTemplate = {
  name: 'empty',
  make: async (path) => {
    const pglite = await PGlite.create(path)
    await pglite.close()
  },
}

/**
 * Copies a template, by default an empty database, to a path that does not exist. The first start of a database takes
 * seconds, a copy does not. An existing database at the path stays.
 */
export async function copyPgliteTemplate(path: string, template?: PgliteTemplate): Promise<void> {
  const packed = await readFile(await findPgliteTemplate(template))
  const draft = await mkdtemp(`${path}.draft-`)
  try {
    unpackDirectory(packed, draft)
    await renameNew(draft, path)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/**
 * Returns the packed file of a template, by default of an empty database. The template is created once for this version of
 * the engine and stored in the build of this package, with which a release ships it.
 */
export async function findPgliteTemplate({ name, make }: PgliteTemplate = emptyTemplate): Promise<string> {
  const { resolve } = createRequire(import.meta.url)
  const engine = join(dirname(resolve('@electric-sql/pglite')), '../package.json')
  const { version } = JSON.parse(await readFile(engine, 'utf8')) as { version: string }
  const templates = join(dirname(resolve('@tallystick/workbench/package.json')), 'dist/templates')
  const path = join(templates, `pglite-${version}-${name}.br`)
  if (existsSync(path)) return path
  const isKept = await makeDirectory(templates)
  const draft = await mkdtemp(join(tmpdir(), 'pglite-draft-'))
  const database = join(draft, 'db')
  await mkdir(database)
  await make(database)
  const packed = packDirectory(database)
  await rm(database, { recursive: true })
  if (!isKept) return write(join(draft, 'db.br'), packed)
  await rm(draft, { recursive: true })
  // Renamed when complete, because a process may be killed while it writes one.
  await rename(await write(`${path}.${process.pid}`, packed), path)
  return path
}

async function write(path: string, content: Buffer): Promise<string> {
  await writeFile(path, content)
  return path
}

/** Creates a directory. Returns whether it is writable: packages may be installed by another user. */
async function makeDirectory(path: string): Promise<boolean> {
  try {
    await mkdir(path, { recursive: true })
    await access(path, constants.W_OK)
    return true
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  }
}

/** Renames a directory, unless the new name is taken. */
async function renameNew(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}
