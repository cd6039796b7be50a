import type { Database, Queryable } from '@tallystick/database'
import type { Head } from './block.ts'
import { type Layout, readHead } from './layout.ts'

export type Replacement = {
  /** Store that takes the place of `current`. It has the same schema. */
  readonly draft: Layout
  readonly current: Layout
  /** Returns whether the draft may take the place of the current store. Both are locked. */
  readonly isReady: (heads: { readonly draft: Head; readonly current: Head | undefined }) => boolean
  /** Runs in the transaction. */
  readonly record?: ((transaction: Queryable, head: Head) => Promise<void>) | undefined
}

/** `behind`: the draft is not ready. `busy`: a reader or a writer of the current store does not finish. Nothing changed then. */
export type ReplacementResult = { readonly head: Head } | 'behind' | 'busy'

// Readers wait for the locks as long as this transaction does. Shorter than PostgreSQL's deadlock_timeout of 1 s, so that a
// deadlock with a reader ends this transaction, never the reader's.
const lockTimeoutMs = 200
// SQLSTATE: lock_not_available, deadlock_detected.
const busyCodes = ['55P03', '40P01']

/**
 * Puts a draft in the place of a store, in one transaction. A query of the store sees either all of the old tables or all of
 * the new ones: it holds its locks until it ends, and PostgreSQL resolves the names again for those that waited.
 */
export async function replaceNamespace(database: Database, replacement: Replacement): Promise<ReplacementResult> {
  const { draft, current, isReady, record } = replacement
  try {
    await raiseRevision(database, replacement)
    return await database.transaction(async (transaction) => {
      await transaction.query("select set_config('lock_timeout', $1, true)", [`${lockTimeoutMs}ms`])
      await lockOpening(transaction, current)
      await lockAll(transaction, replacement)
      const heads = { draft: await readHead(transaction, draft), current: await readHead(transaction, current) }
      if (!heads.draft || heads.draft.fault !== undefined || heads.draft.revision <= (heads.current?.revision ?? -1)) {
        return 'behind'
      }
      if (!isReady({ draft: heads.draft, current: heads.current })) return 'behind'
      await transaction.query(`drop schema ${current.schemaName} cascade`)
      await transaction.query(`alter schema ${draft.schemaName} rename to ${current.schemaName}`)
      await record?.(transaction, heads.draft)
      return { head: heads.draft }
    })
  } catch (error) {
    if (busyCodes.includes(String((error as { readonly code?: unknown }).code))) return 'busy'
    throw error
  }
}

/** Deletes a store with all its data. */
export async function dropNamespace(database: Queryable, { schemaName }: Layout): Promise<void> {
  await database.query(`drop schema if exists ${schemaName} cascade`)
}

/** Waits for those who open a store, which may create its tables. */
export async function lockOpening(transaction: Queryable, { namespace }: Layout): Promise<void> {
  await transaction.query('select pg_advisory_xact_lock(hashtext($1))', [`tallystick subgraph ${namespace}`])
}

/**
 * Makes the revision of the draft higher than that of the store, so that no cached answer of the store is taken for one of
 * the draft. It is committed first: a query whose snapshot is older than the replacement reads the draft without what
 * that transaction changed.
 */
export async function raiseRevision(
  transaction: Queryable,
  { draft, current }: Pick<Replacement, 'draft' | 'current'>,
): Promise<void> {
  await transaction.query(
    `update ${draft.meta} as d set revision = c.revision + 1 from ${current.meta} as c where d.revision <= c.revision`,
  )
}

async function lockAll(transaction: Queryable, { draft, current }: Replacement): Promise<void> {
  const tables = [current.blocks, current.meta, ...[...current.tables.values()].map(({ name }) => name)]
  await transaction.query(`lock table ${draft.blocks} in share row exclusive mode`)
  await transaction.query(`lock table ${tables.join(', ')} in access exclusive mode`)
}
