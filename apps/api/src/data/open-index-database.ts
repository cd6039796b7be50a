import { type Database, openDatabase } from '@tallystick/database'
import type { Config } from '../config.ts'

const connectionsMax = 8

/**
 * The database of the embedded subgraphs: the service's own, but on PostgreSQL with other connections. So keys, notes and
 * readiness never wait for one that a query has.
 */
export async function openIndexDatabase(
  { chains, database: url }: Pick<Config, 'chains' | 'database'>,
  { database, closers }: { readonly database: Database; readonly closers: (() => unknown)[] },
): Promise<Database> {
  if (database.engine === 'pglite' || !chains.some(({ subgraph }) => subgraph?.embedded)) return database
  const opened = await openDatabase(url.reveal(), { connectionsMax })
  closers.push(() => opened.close())
  return opened
}
