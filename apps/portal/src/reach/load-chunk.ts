import { fetchService, loadFromService } from './page-reachability.ts'

/** The service was updated while the page was open: it no longer has a file of this page. */
export class OutdatedPageError extends Error {
  override name = 'OutdatedPageError' as const
}

/**
 * Imports a part of the page that is not in its first load. A browser may remember a failed import and never repeat it, and
 * a hanging one cannot be stopped. So the files are fetched first, all at once, and the import finds them in the cache.
 */
export function loadChunk<Module>(name: string, load: () => Promise<Module>, signal: AbortSignal): Promise<Module> {
  return loadFromService(async () => {
    await Promise.all(listFiles(name).map((file) => fetchFile(file, signal)))
    return load()
  }, signal)
}

/** Returns the files of a chunk that the first load does not have. The build writes them into the page. */
function listFiles(name: string): readonly string[] {
  const list = document.querySelector<HTMLMetaElement>(`meta[name="chunk:${name}"]`)?.content ?? ''
  return list.split(' ').filter((file) => file !== '')
}

async function fetchFile(file: string, signal: AbortSignal): Promise<void> {
  const response = await fetchService(file, { signal })
  const type = response.headers.get('content-type') ?? ''
  if (response.status === 404 && type.startsWith('application/json')) throw new OutdatedPageError(`${file} is gone.`)
  if (!response.ok || !type.startsWith('text/javascript')) throw new Error(`${file} could not be loaded.`)
  await response.arrayBuffer()
}
