import { formatLogEntry, type LogEntry, publicFrom } from '@tallystick/core'
import type { Migration, Queryable } from '@tallystick/database'
import type { LogRange, SetKey } from '@tallystick/issuer'
import { encodeUtf8, entryBytesMax, leafHash } from '@tallystick/tlog'

// The index of an entry is its place in the tree, so it never changes. Hashes of the tree's nodes follow from the leaves.
export const logMigrations: readonly Migration[] = [
  {
    name: 'public log',
    statements: [
      `create table log_entries (
         index bigint primary key, leaf_hash bytea not null, entry text not null, public_from bigint not null)`,
      `create table log_checkpoints (
         size bigint primary key, root bytea not null, note text not null, signed_at bigint not null)`,
      'create table log_signers (log_index bigint primary key, chain_id bigint not null, signer text not null)',
      'alter table curves add column log_index bigint unique',
      'alter table note_sets add column log_index bigint unique',
    ],
  },
]

export const logChannel = 'tallystick_log'

/** Entry of the log as it is stored. */
export type StoredEntry = {
  readonly index: number
  readonly leaf: Uint8Array
  /** One line of JSON. Its bytes are what is hashed. */
  readonly line: string
  /** When its bytes become public, Unix seconds. */
  readonly publicFrom: bigint
}

/** Signed state of the log as it is stored. */
export type StoredCheckpoint = { readonly size: number; readonly root: Uint8Array; readonly note: string }

/**
 * Appends an entry and returns its index. The lock lasts until the transaction ends, so that indexes have no gaps and are
 * visible in their order. Lock `curves` first, if at all.
 */
export async function appendEntry(transaction: Queryable, entry: LogEntry): Promise<number> {
  const line = formatLogEntry(entry)
  const { length } = encodeUtf8(line)
  if (length > entryBytesMax) {
    throw new RangeError(`an entry of the public log has ${length} bytes, more than ${entryBytesMax}`)
  }
  await transaction.query('lock table log_entries in exclusive mode')
  const index = await countEntries(transaction)
  await insertEntry(transaction, { index, line, entry })
  return index
}

/** Inserts an entry. `line` is its text. */
export async function insertEntry(
  transaction: Queryable,
  { index, line, entry }: Pick<StoredEntry, 'index' | 'line'> & { readonly entry: LogEntry },
): Promise<void> {
  const insert = 'insert into log_entries (index, leaf_hash, entry, public_from) values ($1, $2, $3, $4)'
  await transaction.query(insert, [index, leafHash(encodeUtf8(line)), line, publicFrom(entry) ?? 0n])
}

export async function countEntries(database: Queryable): Promise<number> {
  const [row] = await database.query<{ count: bigint }>('select coalesce(max(index) + 1, 0) as count from log_entries')
  return Number(row?.count ?? 0n)
}

/** Reads the entries from `from` up to, but not including, `to`. */
export async function readEntries(database: Queryable, { from, to }: LogRange): Promise<StoredEntry[]> {
  return database.query<StoredEntry>(
    `select index::float8 as index, leaf_hash as leaf, entry as line, public_from as "publicFrom" from log_entries
     where log_entries.index >= $1 and log_entries.index < $2 order by log_entries.index`,
    [from, to],
  )
}

/** Reads the leaves from `from` up to, but not including, `to`. Throws if one is missing. */
export async function readLeaves(database: Queryable, { from, to }: LogRange): Promise<Uint8Array[]> {
  if (from >= to) return []
  const rows = await database.query<{ leaf: Uint8Array }>(
    'select leaf_hash as leaf from log_entries where index >= $1 and index < $2 order by index',
    [from, to],
  )
  if (rows.length !== to - from) throw new MissingEntriesError(`entries ${from} to ${to - 1} are not all stored`)
  return rows.map(({ leaf }) => new Uint8Array(leaf))
}

/** Returns the SHA-256 in hex of the leaves from `from` up to, but not including, `to`, computed by the database. */
export async function digestLeaves(database: Queryable, { from, to }: LogRange): Promise<string> {
  const [row] = await database.query<{ digest: string | null }>(
    `select encode(sha256(string_agg(leaf_hash, ''::bytea order by index)), 'hex') as digest from log_entries
     where index >= $1 and index < $2`,
    [from, to],
  )
  return row?.digest ?? ''
}

/** Thrown if the database lacks entries that a checkpoint covers. */
export class MissingEntriesError extends Error {
  override readonly name = 'MissingEntriesError'
}

/** Returns the newest checkpoint. */
export async function findCheckpoint(database: Queryable): Promise<StoredCheckpoint | undefined> {
  const [row] = await database.query<{ size: bigint; root: Uint8Array; note: string }>(
    'select size, root, note from log_checkpoints order by size desc limit 1',
  )
  return row && { size: Number(row.size), root: new Uint8Array(row.root), note: row.note }
}

export async function insertCheckpoint(
  transaction: Queryable,
  { size, root, note, signedAt }: StoredCheckpoint & { readonly signedAt: bigint },
): Promise<void> {
  const statement = 'insert into log_checkpoints (size, root, note, signed_at) values ($1, $2, $3, $4)'
  await transaction.query(statement, [size, root, note, signedAt])
}

/** Returns the index of the entry of a set. Undefined if the set does not exist or is not logged. */
export async function findSetIndex(database: Queryable, { chainId, periodStart }: SetKey): Promise<number | undefined> {
  const [row] = await database.query<{ log_index: bigint | null }>(
    'select log_index from note_sets where chain_id = $1 and period_start = $2',
    [chainId, periodStart],
  )
  return row?.log_index == null ? undefined : Number(row.log_index)
}
