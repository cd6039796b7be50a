import { chmod, lstat, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'

// Rights of the group and of others.
const foreignRights = 0o077

/**
 * Makes a directory that only its owner can use, whatever the umask. One that others could use so far is closed to them
 * with all it holds. A directory of another owner stays as it is: `tallystick doctor` reports it.
 */
export async function makePrivate(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  if (process.platform !== 'win32') await closeToOthers(directory)
}

async function closeToOthers(path: string): Promise<void> {
  const found = await lstat(path)
  if (found.isSymbolicLink() || (found.mode & foreignRights) === 0 || found.uid !== process.geteuid?.()) return
  // The directory first: from then on nobody else gets in.
  await chmod(path, found.mode & 0o700)
  if (!found.isDirectory()) return
  for (const name of await readdir(path)) await closeToOthers(join(path, name))
}
