import { randomUUID } from 'node:crypto'
import { link, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { TallystickError } from '@tallystick/core'
import { makePrivate } from './make-private.ts'

type Holder = { readonly pid: number; readonly host: string; readonly started: string }

/** Lock held by another process: the locked path and the lock folder. */
export type HeldLock = Holder & { readonly directory: string; readonly folder: string }

const noHolder: Holder = { pid: 0, host: '', started: '' }

/**
 * Locks a directory or a file against other processes until the returned function is called or this process ends.
 *
 * Node has no flock. A stale lock file cannot simply be deleted: two processes could delete it at once and both would hold
 * the lock. So the lock is a folder of numbered files, each naming its holder, and the highest number holds the lock. A
 * process that finds this holder dead creates the next number, which only one process can. The highest file is never
 * deleted, so numbers are never reused.
 */
export async function lockDirectory(
  directory: string,
  { inUse = databaseInUse }: { readonly inUse?: (lock: HeldLock) => TallystickError } = {},
): Promise<() => Promise<void>> {
  const folder = `${directory}.lock`
  await makePrivate(folder)
  const draft = join(folder, `${randomUUID()}.draft`)
  const self = { pid: process.pid, host: hostname(), started: await startOf(process.pid) }
  await writeFile(draft, JSON.stringify(self), { mode: 0o600 })
  try {
    for (;;) {
      const highest = await highestIn(folder)
      const holder = highest === 0 ? noHolder : await readHolder(join(folder, String(highest)))
      if (await isAlive(holder)) throw inUse({ ...holder, directory, folder })
      const mine = highest + 1
      // link() is atomic: no process sees a partial file, and only one process creates it.
      if (!(await linkOnce(draft, join(folder, String(mine))))) continue
      if ((await highestIn(folder)) !== mine) continue
      await removeBelow(folder, mine)
      return () => release(join(folder, String(mine)))
    }
  } finally {
    await rm(draft, { force: true })
  }
}

async function highestIn(folder: string): Promise<number> {
  const numbers = (await readdir(folder)).filter((name) => /^\d+$/.test(name)).map(Number)
  return Math.max(0, ...numbers)
}

async function readHolder(path: string): Promise<Holder> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Holder
  } catch {
    // The file is gone or damaged, so the holder is unknown.
    return noHolder
  }
}

/** Returns whether the holder runs. A holder on another machine cannot be checked and counts as alive. */
async function isAlive(holder: Holder): Promise<boolean> {
  if (holder.pid <= 0) return false
  if (holder.host !== hostname()) return true
  try {
    process.kill(holder.pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  return (await startOf(holder.pid)) === holder.started
}

/** Returns the start time of a process on Linux, otherwise ''. A process id alone may have been reused. */
async function startOf(pid: number): Promise<string> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}

async function linkOnce(draft: string, path: string): Promise<boolean> {
  return link(draft, path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false
      throw error
    },
  )
}

async function removeBelow(folder: string, highest: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (/^\d+$/.test(name) && Number(name) < highest) await rm(join(folder, name), { force: true })
  }
}

async function release(path: string): Promise<void> {
  const draft = `${path}.released`
  await writeFile(draft, JSON.stringify(noHolder), { mode: 0o600 })
  await rename(draft, path)
}

function databaseInUse({ directory, folder, pid, host }: HeldLock): TallystickError {
  return new TallystickError({
    code: 'database_in_use',
    message:
      `The embedded database in ${directory} is in use by process ${pid} on ${host}. ` +
      'Stop that process, or use PostgreSQL to run several processes. ' +
      `If no process uses it, delete ${folder}.`,
    retryable: false,
    details: { pid, host },
  })
}
