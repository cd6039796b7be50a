import { type KnownMigrations, readMigrations, type SchemaState, scopeOf } from './applied-migrations.ts'
import type { Database, Queryable } from './database.ts'
import { changeSchema, databaseTooNew } from './migrate.ts'
import { compareReleases, type Migration } from './migration.ts'

export type RevertOptions = {
  /** Release whose schema stays. */
  readonly to: string
  /** Called in the transaction before anything changes. Throws to reject the revert. */
  readonly before: (transaction: Queryable, undone: readonly Migration[]) => Promise<void>
}

/**
 * Takes back the applied migrations of releases after `to`, newest first, in one transaction. Uses the statements of this
 * program and none from the database. Returns the migrations that were taken back.
 */
export async function revertMigrations(
  database: Database,
  known: KnownMigrations,
  { to, before }: RevertOptions,
): Promise<readonly Migration[]> {
  return changeSchema(database, async (transaction) => {
    const state = await readMigrations(transaction, known)
    const [unknown] = state.unknown
    if (unknown) throw databaseTooNew(database.label, unknown.name)
    const undone = planRevert(known, state, to)
    if (undone.length > 0) await before(transaction, undone)
    for (const { name, undo = [], worksWith } of undone) {
      for (const statement of undo) await transaction.query(statement)
      const scope = scopeOf(known.scope, worksWith)
      await transaction.query('delete from migrations where scope = $1 and name = $2', [scope, name])
    }
    return undone
  })
}

/** Lists the applied migrations of releases after `to`, newest first. */
export function planRevert(
  { migrations }: Pick<KnownMigrations, 'migrations'>,
  { applied, unknown }: Pick<SchemaState, 'applied' | 'unknown'>,
  to: string,
): readonly Migration[] {
  return migrations
    .slice(0, applied.length - unknown.length)
    .filter(({ since }) => since !== undefined && compareReleases(since, to) > 0)
    .reverse()
}
