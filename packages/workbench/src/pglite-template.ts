import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { access, constants, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { PGlite } from '@electric-sql/pglite'

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
  const draft = await mkdtemp(`${path}.draft-`)
  try {
    await copyDirectory(await findPgliteTemplate(template), draft)
    await renameNew(draft, path)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** Copies the content of a directory into one that exists. Node's `cp` takes ten times as long for a database. */
export async function copyDirectory(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-R', `${from}/.`, to])
}

/**
 * Returns the directory of a template, by default of an empty database. The template is created once for this version of the
 * engine and stored in the cache directory of the installed packages.
 */
export async function findPgliteTemplate({ name, make }: PgliteTemplate = emptyTemplate): Promise<string> {
  const engine = join(dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite')), '..')
  const { version } = JSON.parse(await readFile(join(engine, 'package.json'), 'utf8')) as { version: string }
  const cache = join(engine, '../../.cache/tallystick')
  const path = join(cache, `pglite-${version}-${name}`)
  if (existsSync(path)) return path
  const isKept = await makeDirectory(cache)
  const draft = await mkdtemp(join(isKept ? cache : tmpdir(), 'pglite-draft-'))
  await make(draft)
  if (!isKept) return draft
  // Renamed when complete, because a process may be killed while it creates one.
  await renameNew(draft, path)
  await rm(draft, { recursive: true, force: true })
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
