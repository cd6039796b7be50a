import { TallystickError } from '@tallystick/core'
import { type KnownMigrations, readMigrations, type SchemaState, scopeOf } from './applied-migrations.ts'
import type { Database, Queryable } from './database.ts'
import { type AppliedMigration, compareReleases, type Migration } from './migration.ts'

export type MigrateResult = {
  /** Names of the migrations that this call applied. */
  readonly applied: readonly string[]
  /** Migrations of a newer release that this release runs on. */
  readonly unknown: readonly AppliedMigration[]
}

const lockSeconds = 3
const lockNotAvailable = '55P03'

/**
 * Runs the pending migrations of a scope in order, in one transaction. If replicas start together, one migrates and the
 * others wait. Throws if a newer release has applied a migration that this release cannot run on.
 */
export async function migrate(database: Database, known: KnownMigrations): Promise<MigrateResult> {
  return changeSchema(database, async (transaction) => {
    await transaction.query(
      `create table if not exists migrations (
         scope text not null, position int not null, name text not null, applied_at timestamptz not null default now(),
         primary key (scope, position))`,
    )
    const { applied, pending, unknown, blocking } = await readMigrations(transaction, known)
    if (blocking) throw databaseTooNew(database.label, blocking.name)
    // Releases since 0.2.0 record more. 0.1.0 names its columns, so that it works with them too.
    if (pending.some(({ since }) => since !== undefined)) {
      await transaction.query(
        'alter table migrations add column if not exists since text, add column if not exists works_with text',
      )
    }
    for (const [index, migration] of pending.entries()) {
      for (const statement of migration.statements) await transaction.query(statement)
      await recordMigration(transaction, { ...migration, scope: known.scope, position: applied.length + index })
    }
    return { applied: pending.map(({ name }) => name), unknown }
  })
}

async function recordMigration(
  transaction: Queryable,
  { scope, position, name, since, worksWith }: Migration & { readonly scope: string; readonly position: number },
): Promise<void> {
  const values = [scopeOf(scope, worksWith), position, name]
  if (since === undefined) {
    await transaction.query('insert into migrations (scope, position, name) values ($1, $2, $3)', values)
    return
  }
  await transaction.query(
    'insert into migrations (scope, position, name, since, works_with) values ($1, $2, $3, $4, $5)',
    [...values, since, worksWith ?? null],
  )
}

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

/** Runs a transaction that changes the schema: one at a time among all processes, and never behind a long transaction. */
async function changeSchema<Result>(
  database: Database,
  work: (transaction: Queryable) => Promise<Result>,
): Promise<Result> {
  const result = database.transaction(async (transaction) => {
    await transaction.query("select pg_advisory_xact_lock(hashtext('tallystick migrations'))")
    // A migration that waits for a table blocks the requests of all replicas on it, for example during a backup.
    await transaction.query(`set local lock_timeout = '${lockSeconds}s'`)
    return work(transaction)
  })
  return result.catch((error) => {
    throw (error as { code?: unknown }).code === lockNotAvailable ? tablesInUse(database.label, error) : error
  })
}

export function databaseTooNew(label: string, name: string): TallystickError {
  return new TallystickError({
    code: 'database_too_new',
    message: `The ${label} has the migration "${name}", which this version does not know. Run the version that applied it or a newer one.`,
    retryable: false,
  })
}

function tablesInUse(label: string, cause: unknown): TallystickError {
  return new TallystickError({
    code: 'database_unavailable',
    message: `The schema of ${label} cannot be changed: a long transaction, such as a backup, has used a table for more than ${lockSeconds} s. Nothing was changed. Retry when that transaction has ended.`,
    retryable: true,
    cause,
  })
}
