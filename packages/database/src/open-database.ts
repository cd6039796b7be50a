import { TallystickError } from '@tallystick/core/error/tallystick-error'
import type { Database, OpenOptions } from './database.ts'

/**
 * Opens the database a URL names: `postgres://user@host/name`, or `file:<directory>` for the embedded one, which is
 * made if it is not there and can be open in one process at a time. Either engine is loaded when it is needed.
 */
export async function openDatabase(url: string, options: OpenOptions = {}): Promise<Database> {
  if (/^postgres(ql)?:\/\//.test(url)) return (await import('./postgres.ts')).openPostgres(url, options)
  if (url.startsWith('file:') && url.length > 'file:'.length) {
    return (await import('./pglite.ts')).openPglite(url.replace(/^file:(\/\/)?/, ''))
  }
  throw new TallystickError({
    code: 'invalid_config',
    message: 'The database must be "postgres://…" or "file:<directory>".',
    retryable: false,
  })
}
