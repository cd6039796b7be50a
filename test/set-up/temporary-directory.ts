import { mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRunning } from '../../packages/workbench/src/is-running.ts'

const memoryDirectory = '/dev/shm'
const prefix = 'tallystick-tests-'
// Several times what a run of all tests needs at a time.
const bytesMin = 4 * 2 ** 30

/**
 * Creates the directory for the temporary files of this run. It is in memory if the system has a file system there with
 * enough space: the tests create hundreds of databases, and on a disk each takes most of a second.
 */
export function createTemporaryDirectory(): string {
  const parent = isUsable() ? memoryDirectory : tmpdir()
  removeAbandoned(parent)
  const directory = join(parent, `${prefix}${process.pid}`)
  mkdirSync(directory, { recursive: true })
  process.once('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  return directory
}

/** Returns whether the file system in memory exists, has space and may contain programs. PostgreSQL is copied to it. */
function isUsable(): boolean {
  if (process.platform !== 'linux') return false
  try {
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === memoryDirectory)
    const { bavail, bsize } = statfsSync(memoryDirectory)
    return mount !== undefined && !/\b(noexec|ro)\b/.test(mount) && bavail * bsize >= bytesMin
  } catch {
    return false
  }
}

/** Removes directories of runs that were killed. */
function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(prefix) || isRunning(Number(name.slice(prefix.length)))) continue
    rmSync(join(parent, name), { recursive: true, force: true })
  }
}
