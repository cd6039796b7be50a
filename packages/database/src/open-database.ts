import { TallystickError } from '@tallystick/core'
import type { Database, OpenOptions } from './database.ts'

/**
 * Opens the database of a URL: `postgres://user@host/name`, or `file:<directory>` for an embedded one. The embedded database
 * is created if missing and can be open in one process at a time. An engine is loaded on first use.
 */
export async function openDatabase(url: string, options: OpenOptions = {}): Promise<Database> {
  if (/^postgres(ql)?:\/\//.test(url)) return (await import('./postgres.ts')).openPostgres(url, options)
  if (url.startsWith('file:') && url.length > 'file:'.length) {
    return (await import('./pglite/open-pglite.ts')).openPglite(url.replace(/^file:(\/\/)?/, ''))
  }
  throw new TallystickError({
    code: 'invalid_config',
    message: 'The database must be "postgres://…" or "file:<directory>".',
    retryable: false,
  })
}
