import { createHash } from 'node:crypto'
import { invalidConfig } from '@tallystick/core'
import type { Database } from '@tallystick/database'
import type { LogRange, Refusal } from '@tallystick/issuer'
import {
  type Checkpoint,
  equalBytes,
  rootAfter,
  rootOf,
  tileAt,
  tileWidth,
  type VerifierKey,
  verifyCheckpoint,
} from '@tallystick/tlog'
import { hashLeaf } from './hash-nodes.ts'
import type { LogJournal } from './log-journal.ts'
import {
  countEntries,
  digestLeaves,
  MissingEntriesError,
  readEntries,
  readLeaves,
  type StoredCheckpoint,
} from './log-store.ts'

type JournalTree = LogJournal['tree']

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
  { stored, tree }: { readonly stored: StoredCheckpoint; readonly tree: JournalTree },
): Promise<void> {
  if (equalBytes(rootOf(stored.size, tree.readNode), stored.root)) return
  assertJournalled(await readLeaves(database, { from: 0, to: stored.size }), { tree, from: 0 })
  throw new LogContradictionError('root')
}

// The digest of so many leaves takes 2 ms.
const digestedLeaves = 64 * tileWidth

/** Throws if a leaf of the database is missing or not the one that this replica published. Compares digests of many leaves. */
export async function assertSameLeaves(
  database: Database,
  { stored, tree }: { readonly stored: StoredCheckpoint; readonly tree: JournalTree },
): Promise<void> {
  const size = Math.min(stored.size, tree.size)
  for (let from = 0; from < size; from += digestedLeaves) {
    const range = { from, to: Math.min(size, from + digestedLeaves) }
    if ((await digestLeaves(database, range)) === digestTree(tree, range)) continue
    assertJournalled(await readLeaves(database, range), { tree, from })
  }
}

function digestTree(tree: JournalTree, { from, to }: LogRange): string {
  const digest = createHash('sha256')
  for (let index = from / tileWidth; index * tileWidth < to; index++) {
    digest.update(tree.readTile(tileAt({ level: 0, index }, to)))
  }
  return digest.digest('hex')
}

/** Throws if the tree with more leaves is not the one of the mirror. Compares nothing if the mirror is larger. */
export function assertMirrored(
  leaves: readonly Uint8Array[],
  { mirrored, tree }: { readonly mirrored: Checkpoint | undefined; readonly tree: JournalTree },
): void {
  if (!mirrored || mirrored.size > tree.size + leaves.length) return
  const added = mirrored.size - tree.size
  const root = added > 0 ? rootAfter(tree, leaves.slice(0, added)) : rootOf(mirrored.size, tree.readNode)
  if (!equalBytes(root, mirrored.root)) throw new LogContradictionError('mirror')
}

/** Throws if the database lacks entries that were published, or has others in their place. */
export async function assertHasPublished(
  { database, journal: { tree }, mirrored }: Published,
  covered: number,
): Promise<void> {
  assertMirrored([], { mirrored, tree })
  const published = Math.max(tree.size, mirrored?.size ?? 0)
  if (published <= covered) return
  const size = await countEntries(database)
  const leaves = await readLeaves(database, { from: covered, to: Math.min(size, published) })
  assertJournalled(leaves, { tree, from: covered })
  if (size < published) throw new LogContradictionError('restored', { size, published })
  assertMirrored(leaves.slice(tree.size - covered), { mirrored, tree })
}

/** Throws if a leaf of the database differs from the one that this replica published. */
function assertJournalled(
  leaves: readonly Uint8Array[],
  { tree, from }: { readonly tree: JournalTree; readonly from: number },
): void {
  const isJournalled = (leaf: Uint8Array, index: number) => equalBytes(leaf, tree.readNode({ level: 0, index }))
  const index = leaves.findIndex((leaf, at) => from + at < tree.size && !isJournalled(leaf, from + at))
  if (index >= 0) throw new LogContradictionError('journal', { index: from + index })
}

/** Entries that are read at once. */
const pageSize = 1_000

/** Copies the entries that the journal lacks. Throws if one does not have the leaf that is stored with it. */
export async function copyToJournal({ database, journal }: Omit<Published, 'mirrored'>, size: number): Promise<void> {
  while (journal.tree.size < size) {
    const from = journal.tree.size
    const entries = await readEntries(database, { from, to: Math.min(size, from + pageSize) })
    await journal.append(
      entries.map(({ line, leaf, index }) => {
        if (!equalBytes(leaf, hashLeaf(line))) throw new LogContradictionError('entry', { index })
        return line
      }),
    )
    if (entries.length === 0) throw new LogContradictionError('root')
  }
}
