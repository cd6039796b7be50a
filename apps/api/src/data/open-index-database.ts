import { type Database, openDatabase } from '@tallystick/database'
import type { Closers } from '../closers.ts'
import type { Config } from '../config.ts'
import { connectionsMax } from '../database-connections.ts'

/**
 * Opens the database of the embedded subgraphs. It is the service's database, on PostgreSQL with separate connections, so
 * that keys, notes and readiness never wait for a connection that a query holds.
 */
export async function openIndexDatabase(
  { chains, database: url }: Pick<Config, 'chains' | 'database'>,
  { database, closers }: { readonly database: Database; readonly closers: Pick<Closers, 'push'> },
): Promise<Database> {
  if (database.engine === 'pglite' || !chains.some(({ subgraph }) => subgraph?.embedded)) return database
  const opened = await openDatabase(url.reveal(), { connectionsMax: connectionsMax.index })
  closers.push('database of the indexes', () => opened.close())
  return opened
}
