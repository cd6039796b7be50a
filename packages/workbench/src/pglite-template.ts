import { existsSync } from 'node:fs'
import { access, constants, cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'

/**
 * Copies an empty embedded database to a path where there is none. The first boot of one takes seconds, a copy does not.
 * If another process was faster, its database stays.
 */
export async function copyPgliteTemplate(path: string): Promise<void> {
  const draft = await mkdtemp(`${path}.draft-`)
  try {
    await cp(await findPgliteTemplate(), draft, { recursive: true })
    await renameNew(draft, path)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/**
 * Returns the directory of an empty embedded database, to be copied. It is made once for this version of the engine and
 * kept in the cache directory beside the installed packages.
 */
export async function findPgliteTemplate(): Promise<string> {
  const engine = join(dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite')), '..')
  const { version } = JSON.parse(await readFile(join(engine, 'package.json'), 'utf8')) as { version: string }
  const cache = join(engine, '../../.cache/tallystick')
  const template = join(cache, `pglite-${version}`)
  if (existsSync(template)) return template
  const isKept = await makeDirectory(cache)
  const draft = await mkdtemp(join(isKept ? cache : tmpdir(), 'pglite-draft-'))
  const pglite = await PGlite.create(draft)
  await pglite.close()
  if (!isKept) return draft
  // Under its name only when it is whole: a process may be killed half way.
  await renameNew(draft, template)
  await rm(draft, { recursive: true, force: true })
  return template
}

/** Returns whether the directory is there and can be written to. Packages may be installed by another user. */
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
