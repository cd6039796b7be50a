import { TallystickError } from '@tallystick/core'
import type { Database } from './database.ts'
import { openPglite } from './pglite.ts'
import { openPostgres } from './postgres.ts'

/**
 * Opens the database a URL names: `postgres://user@host/name`, or `file:<directory>` for the embedded one, which is
 * made if it is not there and can be open in one process at a time.
 */
export async function openDatabase(url: string): Promise<Database> {
  if (/^postgres(ql)?:\/\//.test(url)) return openPostgres(url)
  if (url.startsWith('file:') && url.length > 'file:'.length) return openPglite(url.replace(/^file:(\/\/)?/, ''))
  throw new TallystickError({
    code: 'invalid_config',
    message: 'The database must be "postgres://…" or "file:<directory>".',
    retryable: false,
  })
}
