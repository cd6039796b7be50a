import type { Queryable } from './database.ts'
import { type AppliedMigration, compareReleases, type Migration } from './migration.ts'

/** Applied migrations of a scope, compared with those that a program knows. */
export type SchemaState = {
  readonly applied: readonly AppliedMigration[]
  /** Known migrations that are not applied. */
  readonly pending: readonly Migration[]
  /** Applied migrations that the program does not know. A newer release applied them. */
  readonly unknown: readonly AppliedMigration[]
  /** First unknown migration that this release cannot run on. */
  readonly blocking?: AppliedMigration | undefined
}

export type KnownMigrations = {
  readonly scope: string
  readonly migrations: readonly Migration[]
  /** Release of this program. Without it, every unknown migration is blocking. */
  readonly release?: string | undefined
}

// Release 0.1.0 does not start if the scope has a migration that it does not know. It does not read this one.
const openScopeOf = (scope: string) => `${scope} since 0.2.0`
const strictRelease = '0.1.0'

/** Returns the scope that a migration is recorded in: where 0.1.0 reads it only if 0.1.0 must not run on it. */
export function scopeOf(scope: string, worksWith: string | undefined): string {
  const isOpen = worksWith !== undefined && compareReleases(worksWith, strictRelease) <= 0
  return isOpen ? openScopeOf(scope) : scope
}

/** Reads the applied migrations of a scope. Changes nothing. */
export async function readMigrations(database: Queryable, known: KnownMigrations): Promise<SchemaState> {
  const { scope, migrations, release } = known
  const columns = await database.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = to_regclass('migrations') and attnum > 0`,
  )
  // The database of 0.1.0 has the table without the two columns.
  const extra = columns.some(({ name }) => name === 'works_with')
    ? 'since, works_with'
    : 'null as since, null as works_with'
  const rows =
    columns.length === 0
      ? []
      : await database.query<{ name: string; since: string | null; works_with: string | null }>(
          `select name, ${extra} from migrations where scope = any($1) order by position`,
          [[scope, openScopeOf(scope)]],
        )
  const applied = rows.map((row) => ({
    name: row.name,
    since: row.since ?? undefined,
    worksWith: row.works_with ?? undefined,
  }))
  const unknown = applied.filter(({ name }, position) => migrations[position]?.name !== name)
  const isUsable = ({ worksWith }: AppliedMigration, position: number) =>
    position >= migrations.length &&
    release !== undefined &&
    worksWith !== undefined &&
    compareReleases(worksWith, release) <= 0
  const blocking = applied.find((one, position) => unknown.includes(one) && !isUsable(one, position))
  return { applied, pending: migrations.slice(applied.length), unknown, blocking }
}
