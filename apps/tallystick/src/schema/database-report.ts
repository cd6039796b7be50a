import { type Database, type Queryable, readMigrations } from '@tallystick/database'
import { apiSchema, release } from '@tallystick/service'

/** Schema of a database and the replicas on it. */
export type DatabaseReport = Awaited<ReturnType<typeof reportDatabase>>

/** Reports on a database. Changes nothing. */
export async function reportDatabase(database: Database) {
  const { applied, pending, unknown, blocking } = await readMigrations(database, apiSchema)
  // `unknown` was applied by a newer release, and this one runs on it. It does not run on `blocking`.
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

/**
 * Lists the replicas that announced themselves on a database. In an empty database the table may be missing, and with 0.1.0
 * the column `release`: a replica of 0.1.0 has none.
 */
export async function listReplicas(database: Queryable) {
  const [table] = await database.query<{ there: boolean }>(`select to_regclass('replicas') is not null as there`)
  if (!table?.there) return []
  const rows = await database.query<{ name: string; release: string | null; age: number }>(
    `select name, to_jsonb(replicas) ->> 'release' as release,
            greatest(0, extract(epoch from clock_timestamp() - seen_at))::float8 as age
     from replicas order by name, id`,
  )
  return rows.map(({ name, release, age }) => ({ name, release, secondsSinceSeen: Math.round(age) }))
}
