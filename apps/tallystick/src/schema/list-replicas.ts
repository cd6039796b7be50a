import type { Queryable } from '@tallystick/database'

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
