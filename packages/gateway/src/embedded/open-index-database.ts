import type { Closers, Secret } from '@tallystick/base'
import { type Database, openDatabase } from '@tallystick/database'

/**
 * Opens the database of the embedded subgraphs. It is the service's database, on PostgreSQL with separate connections, so
 * that keys, notes and readiness never wait for a connection that a query holds.
 */
export async function openIndexDatabase(
  url: Secret,
  {
    database,
    connectionsMax,
    closers,
  }: { readonly database: Database; readonly connectionsMax: number; readonly closers: Pick<Closers, 'push'> },
): Promise<Database> {
  if (database.engine === 'pglite') return database
  const opened = await openDatabase(url.reveal(), { connectionsMax })
  closers.push('database of the indexes', () => opened.close())
  return opened
}
