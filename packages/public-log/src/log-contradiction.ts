import { invalidConfig } from '@tallystick/core'
import type { Database } from '@tallystick/database'
import type { Refusal } from '@tallystick/issuer'
import {
  type Checkpoint,
  encodeUtf8,
  equalBytes,
  leafHash,
  type MerkleTree,
  rootAfter,
  rootOf,
  type VerifierKey,
  verifyCheckpoint,
} from '@tallystick/tlog'
import type { LogJournal } from './log-journal.ts'
import { countEntries, MissingEntriesError, readEntries, readLeaves, type StoredCheckpoint } from './log-store.ts'

type Facts = { readonly index?: number; readonly size?: number; readonly published?: number }

const doctor = 'Run `tallystick doctor`, which lists the rows that were changed.'

const messages = {
  restored: ({ size, published }: Facts) =>
    `the database has ${size} entries of the public log, but ${published} were published. Was it restored from a backup? ` +
    'Nothing is signed until `tallystick notes reconcile` has copied the others back.',
  journal: ({ index }: Facts) =>
    `entry ${index} of the public log in the database is not the one that this replica published. Was the database ` +
    'restored, and did another replica sign since then? Two versions of the log exist. Stop all replicas, restore the ' +
    'newest backup and run `tallystick notes reconcile`.',
  mirror: () =>
    'the mirror (log.mirror) has another version of the public log than the database. Is it the mirror of another ' +
    'service? If not, two versions of the log exist: restore the newest backup of the database.',
  root: () => `the entries of the public log do not have the root that the checkpoint signs. ${doctor}`,
  entry: ({ index }: Facts) =>
    `entry ${index} of the public log does not have the hash that is stored with it. ${doctor}`,
}

/** Thrown if the log in the database contradicts what was signed or published. */
export class LogContradictionError extends Error {
  override readonly name = 'LogContradictionError'
  readonly kind: keyof typeof messages

  constructor(kind: keyof typeof messages, facts: Facts = {}) {
    super(messages[kind](facts))
    this.kind = kind
  }
}

/** Returns the reason for which nothing is signed after an error, or undefined if the error is another one. */
export function problemOf(error: unknown): Refusal | undefined {
  if (error instanceof MissingEntriesError) return { reason: 'log_contradicted', message: messages.root() }
  if (!(error instanceof LogContradictionError)) return undefined
  return { reason: error.kind === 'restored' ? 'log_restored' : 'log_contradicted', message: error.message }
}

/** The database, and what this replica published besides it. */
export type Published = {
  readonly database: Database
  readonly journal: LogJournal
  /** Checkpoint that the mirror had at the start. */
  readonly mirrored: Checkpoint | undefined
}

/** Throws if a checkpoint is not signed by the configured key. */
export function assertSignedBy({ note }: StoredCheckpoint, key: VerifierKey): void {
  try {
    verifyCheckpoint(note, key)
  } catch {
    throw invalidConfig(
      `The checkpoints of the public log in the database are not signed by the configured key of ${key.name} (log.key). ` +
        'Configure the key that signed them. A log cannot change its key or its origin.',
    )
  }
}

/** Throws if a checkpoint of the database is not one of the tree, which this replica has published. */
export async function assertSameHistory(
  database: Database,
  { stored, tree }: { readonly stored: StoredCheckpoint; readonly tree: MerkleTree },
): Promise<void> {
  if (equalBytes(rootOf(stored.size, tree.readNode), stored.root)) return
  const leaves = await readLeaves(database, { from: 0, to: stored.size })
  const index = leaves.findIndex((leaf, at) => !equalBytes(leaf, tree.readNode({ level: 0, index: at })))
  throw index < 0 ? new LogContradictionError('root') : new LogContradictionError('journal', { index })
}

/** Throws if the tree with more leaves is not the one of the mirror. Compares nothing if the mirror is larger or known. */
export function assertMirrored(
  leaves: readonly Uint8Array[],
  { mirrored, tree }: { readonly mirrored: Checkpoint | undefined; readonly tree: MerkleTree },
): void {
  const added = (mirrored?.size ?? 0) - tree.size
  if (!mirrored || added <= 0 || added > leaves.length) return
  if (!equalBytes(rootAfter(tree, leaves.slice(0, added)), mirrored.root)) throw new LogContradictionError('mirror')
}

/** Throws if the database lacks entries that were published, or has others in their place. */
export async function assertHasPublished(
  { database, journal, mirrored }: Published,
  { tree, covered }: { readonly tree: MerkleTree; readonly covered: number },
): Promise<void> {
  // The journal has every entry of the tree.
  const published = Math.max(journal.size, mirrored?.size ?? 0)
  if (published <= covered) return
  const size = await countEntries(database)
  const leaves = await readLeaves(database, { from: covered, to: Math.min(size, published) })
  assertJournalled(leaves, { journal, from: covered })
  if (size < published) throw new LogContradictionError('restored', { size, published })
  assertMirrored(leaves.slice(tree.size - covered), { mirrored, tree })
}

/** Throws if a leaf of the database differs from the one that this replica published. */
export function assertJournalled(
  leaves: readonly Uint8Array[],
  { journal, from }: { readonly journal: LogJournal; readonly from: number },
): void {
  const index = leaves.findIndex((leaf, at) => from + at < journal.size && !equalBytes(leaf, journal.leaf(from + at)))
  if (index >= 0) throw new LogContradictionError('journal', { index: from + index })
}

/** Entries that are read at once. */
const pageSize = 1_000

/** Copies the entries that the journal lacks. Throws if one does not have the leaf that is stored with it. */
export async function copyToJournal({ database, journal }: Omit<Published, 'mirrored'>, size: number): Promise<void> {
  while (journal.size < size) {
    const from = journal.size
    const entries = await readEntries(database, { from, to: Math.min(size, from + pageSize) })
    await journal.append(
      entries.map(({ line, leaf, index }) => {
        if (!equalBytes(leaf, leafHash(encodeUtf8(line)))) throw new LogContradictionError('entry', { index })
        return line
      }),
    )
    if (entries.length === 0) throw new LogContradictionError('root')
  }
}
