import { type Database, readMigrations } from '@tallystick/database'
import { apiSchema, release } from '@tallystick/service'
import { listReplicas, type ReplicaRow } from './list-replicas.ts'

/** Schema of a database and the replicas on it. */
export type DatabaseReport = {
  readonly database: string
  /** Release of this program. */
  readonly release: string
  readonly migrations: readonly {
    readonly name: string
    readonly since: string
    /** `unknown` was applied by a newer release, and this one runs on it. It does not run on `blocking`. */
    readonly state: 'applied' | 'pending' | 'unknown' | 'blocking'
  }[]
  readonly replicas: readonly ReplicaRow[]
}

/** Reports on a database. Changes nothing. */
export async function reportDatabase(database: Database): Promise<DatabaseReport> {
  const { applied, pending, unknown, blocking } = await readMigrations(database, apiSchema)
  const stateOf = (migration: (typeof applied)[number]) => {
    if (!unknown.includes(migration)) return 'applied'
    return migration === blocking ? 'blocking' : 'unknown'
  }
  const migrations = [
    ...applied.map((migration) => ({ ...migration, state: stateOf(migration) }) as const),
    ...(unknown.length > 0 ? [] : pending.map((migration) => ({ ...migration, state: 'pending' as const }))),
  ]
  return {
    database: database.label,
    release,
    migrations: migrations.map(({ name, since = '0.1.0', state }) => ({ name, since, state })),
    replicas: await listReplicas(database),
  }
}
