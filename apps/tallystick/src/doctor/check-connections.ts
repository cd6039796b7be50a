import type { Database } from '@tallystick/database'
import { type Config, countConnections, type Findings } from '@tallystick/service'
import { listReplicas } from '../schema/list-replicas.ts'

// A replica announces itself every 2 s. One that ended without a shutdown has no connections.
const liveSeconds = 10
// For the command line, a rebuild of an index and cancelled statements.
const spare = 10

/** Checks that PostgreSQL accepts as many connections as its replicas may open. */
export async function checkConnections(
  findings: Findings,
  { database, config }: { readonly database: Database; readonly config: Config },
): Promise<void> {
  if (database.engine !== 'postgres') return
  const allowed = await readAllowed(database)
  const replicas = (await listReplicas(database)).filter(({ secondsSinceSeen }) => secondsSinceSeen < liveSeconds)
  const count = Math.max(replicas.length, 1)
  const each = countConnections(config)
  const needed = count * each + spare
  const found = `${count} ${count === 1 ? 'replica' : 'replicas'} with up to ${each} connections and ${spare} more need ${needed}, this user may open ${allowed}`
  if (needed <= allowed) findings.ok('connections', found)
  else findings.warn('connections', found, 'Raise max_connections of PostgreSQL, or the limit of its database or user.')
}

/** Reads the lowest limit for the present user. Reserved connections are for superusers and, from PostgreSQL 16, a role. */
async function readAllowed(database: Database): Promise<number> {
  const [row] = await database.query<{ allowed: number }>(
    `select least(
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
         - coalesce(current_setting('reserved_connections', true), '0')::int,
       (select nullif(datconnlimit, -1) from pg_database where datname = current_database()),
       (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user)) as allowed`,
  )
  return row?.allowed ?? 0
}
