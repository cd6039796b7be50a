import { type Database, type Queryable, readMigrations } from '@tallystick/database'
import { apiSchema, release } from '@tallystick/service'

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

/** Replica that announced itself on the database. */
export type ReplicaRow = {
  readonly name: string
  /** Null for a replica of 0.1.0, which announces no release. */
  readonly release: string | null
  readonly secondsSinceSeen: number
}

/** Lists the replicas of a database. The column `release` may be missing, and in an empty database the table too. */
export async function listReplicas(database: Queryable): Promise<ReplicaRow[]> {
  const [table] = await database.query<{ there: boolean }>(`select to_regclass('replicas') is not null as there`)
  if (!table?.there) return []
  const rows = await database.query<{ name: string; release: string | null; age: number }>(
    `select name, to_jsonb(replicas) ->> 'release' as release,
            greatest(0, extract(epoch from clock_timestamp() - seen_at))::float8 as age
     from replicas order by name, id`,
  )
  return rows.map(({ name, release, age }) => ({ name, release, secondsSinceSeen: Math.round(age) }))
}
