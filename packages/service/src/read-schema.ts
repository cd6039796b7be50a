import { type AppliedMigration, type Queryable, readMigrations } from '@tallystick/database'
import { apiSchema } from './migrations.ts'

/** State of a database's schema relative to this version. */
export type SchemaReading = {
  /** `newer` has migrations that this version does not know. */
  readonly state: 'current' | 'empty' | 'older' | 'newer'
  readonly unknown: readonly AppliedMigration[]
  /** First unknown migration that this version cannot run on. */
  readonly blocking?: string | undefined
  /** Migrations that are not applied. */
  readonly missing: readonly string[]
}

/** Reads which migrations are applied. */
export async function readSchema(database: Queryable): Promise<SchemaReading> {
  const { applied, pending, unknown, blocking } = await readMigrations(database, apiSchema)
  const missing = unknown.length > 0 ? [] : pending.map(({ name }) => name)
  const state = (() => {
    if (unknown.length > 0) return 'newer'
    if (missing.length === 0) return 'current'
    return applied.length === 0 ? 'empty' : 'older'
  })()
  return { state, unknown, blocking: blocking?.name, missing }
}

/** Describes the migrations of a newer release that this version runs on. */
export function describeNewer(unknown: readonly AppliedMigration[]): string {
  const names = unknown.map(({ name, since }) => `${name} (${since ?? 'unknown release'})`).join(', ')
  return `the database has migrations of a newer release, which this version runs on: ${names}`
}
