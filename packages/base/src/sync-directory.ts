import { open } from 'node:fs/promises'

/**
 * Writes the entries of a directory to disk. Without this, a power failure may lose a new or renamed file, even if its
 * content was synced. Does nothing on Windows, which cannot sync a directory (EPERM).
 */
export async function syncDirectory(path: string, platform: NodeJS.Platform = process.platform): Promise<void> {
  if (platform === 'win32') return
  const directory = await open(path, 'r')
  await directory.sync().finally(() => directory.close())
}
