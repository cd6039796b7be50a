import { TallystickError } from '@tallystick/core/error/tallystick-error'
import type { Database } from './database.ts'

/** Step of a schema: a name, which never changes after its release, and its statements in order. */
export type Migration = { readonly name: string; readonly statements: readonly string[] }

/**
 * Runs the pending migrations of a scope in order, in one transaction. If replicas start together, one migrates and the
 * others wait.
 */
export async function migrate(
  database: Database,
  { scope, migrations }: { readonly scope: string; readonly migrations: readonly Migration[] },
): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.query("select pg_advisory_xact_lock(hashtext('tallystick migrations'))")
    await transaction.query(
      `create table if not exists migrations (
         scope text not null, position int not null, name text not null, applied_at timestamptz not null default now(),
         primary key (scope, position))`,
    )
    const applied = await transaction.query<{ name: string }>(
      'select name from migrations where scope = $1 order by position',
      [scope],
    )
    applied.forEach(({ name }, position) => {
      if (migrations[position]?.name !== name) throw databaseTooNew(database.label, name)
    })
    for (const [position, { name, statements }] of migrations.entries()) {
      if (position < applied.length) continue
      for (const statement of statements) await transaction.query(statement)
      await transaction.query('insert into migrations (scope, position, name) values ($1, $2, $3)', [
        scope,
        position,
        name,
      ])
    }
  })
}

export function databaseTooNew(label: string, name: string): TallystickError {
  return new TallystickError({
    code: 'database_too_new',
    message: `The ${label} has the migration "${name}", which this version does not know. Run the version that applied it or a newer one.`,
    retryable: false,
  })
}
