import { chmod, lstat, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'

// Permissions of the group and of others.
const foreignRights = 0o077

/**
 * Creates a directory that only its owner can access, regardless of the umask. Removes the permissions of others from an
 * existing one and its content. Does not change a directory of another owner: `tallystick doctor` reports it.
 */
export async function makePrivate(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  if (process.platform !== 'win32') await closeToOthers(directory)
}

async function closeToOthers(path: string): Promise<void> {
  const found = await lstat(path)
  if (found.isSymbolicLink() || (found.mode & foreignRights) === 0 || found.uid !== process.geteuid?.()) return
  // The directory first: from then on its content is inaccessible to others.
  await chmod(path, found.mode & 0o700)
  if (!found.isDirectory()) return
  for (const name of await readdir(path)) await closeToOthers(join(path, name))
}
