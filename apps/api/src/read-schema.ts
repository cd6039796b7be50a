import type { Queryable } from '@tallystick/database'
import { apiMigrations } from './migrations.ts'

/** State of a database's schema relative to this version. */
export type SchemaReading = {
  readonly state: 'current' | 'empty' | 'older' | 'newer'
  /** First migration that this version does not know. */
  readonly unknown?: string | undefined
  /** Migrations that are not applied. */
  readonly missing: readonly string[]
}

/** Reads which migrations are applied. */
export async function readSchema(database: Queryable): Promise<SchemaReading> {
  const [table] = await database.query<{ there: boolean }>(`select to_regclass('migrations') is not null as there`)
  const applied = table?.there
    ? await database.query<{ name: string }>(`select name from migrations where scope = 'api' order by position`)
    : []
  const unknown = applied.find(({ name }, position) => apiMigrations[position]?.name !== name)
  if (unknown) return { state: 'newer', unknown: unknown.name, missing: [] }
  const missing = apiMigrations.slice(applied.length).map(({ name }) => name)
  if (missing.length === 0) return { state: 'current', missing }
  return { state: applied.length === 0 ? 'empty' : 'older', missing }
}
