import { type Clock, runOneAtATime, toSeconds } from '@tallystick/base'
import { periodAt, TallystickError } from '@tallystick/core'
import type { Database } from '@tallystick/database'
import type { Refusal } from '@tallystick/issuer'
import {
  type Checkpoint,
  createMerkleTree,
  encodeUtf8,
  equalBytes,
  leafHash,
  type MerkleTree,
  rootAfter,
  rootOf,
  type VerifierKey,
  verifyCheckpoint,
} from '@tallystick/tlog'
import type { Logger } from 'pino'
import { logCurves } from './append-records.ts'
import { LogContradictionError, problemOf } from './log-contradiction.ts'
import type { LogJournal } from './log-journal.ts'
import type { LogKey } from './log-key.ts'
import { countEntries, findCheckpoint, readEntries, readLeaves, type StoredCheckpoint } from './log-store.ts'
import { signCheckpoint } from './sign-checkpoint.ts'

/** The public log as this replica shows it. */
export type PublicLog = {
  readonly key: VerifierKey
  /** Has at least the leaves of the head. */
  readonly tree: Pick<MerkleTree, 'readNode' | 'readTile'>
  /** Returns the newest checkpoint that this replica has verified and journalled. Undefined while there is a problem. */
  head(): StoredCheckpoint | undefined
  /** Returns why nothing may be signed or logged, or undefined. */
  problem(): Refusal | undefined
  /** Logs waiting curves, signs a checkpoint of new entries, and reads what other replicas logged. */
  refresh(): Promise<void>
  /** Resolves to a checkpoint that covers an entry. Throws if there is none after a refresh, or if it is not to be trusted. */
  cover(index: number): Promise<StoredCheckpoint>
  /** Calls `listener` after each new checkpoint. */
  onHead(listener: () => void): void
}

export type PublicLogOptions = {
  readonly database: Database
  readonly key: LogKey
  readonly journal: LogJournal
  /** Checkpoint that the mirror had at the start. */
  readonly mirrored: Checkpoint | undefined
  readonly clock: Clock
  readonly log: Logger
}

/** Creates the log of the database. It reads nothing before the first `refresh`. */
export function createPublicLog(options: PublicLogOptions): PublicLog {
  const { database, key, journal, mirrored, clock, log } = options
  const tree = createMerkleTree()
  const listeners: (() => void)[] = []
  let head: StoredCheckpoint | undefined
  let problem: Refusal | undefined

  /** Takes over the newest checkpoint of the database, once its entries are in the journal. Returns its size. */
  const adopt = async () => {
    const stored = await findCheckpoint(database)
    if (stored && stored.note !== head?.note) {
      assertSignedBy(stored, key.verifier)
      if (stored.size > tree.size) await extend(stored)
      else await assertSameHistory(database, { stored, tree })
    }
    // The notes of a restored database can be served as far as they are logged, but nothing may be added to its log.
    await assertHasPublished(options, { tree, covered: stored?.size ?? 0 })
    return stored?.size ?? 0
  }
  const extend = async (stored: StoredCheckpoint) => {
    const leaves = await readLeaves(database, { from: tree.size, to: stored.size })
    assertJournalled(leaves, { journal, from: tree.size })
    if (!equalBytes(rootAfter(tree, leaves), stored.root)) throw new LogContradictionError('root')
    // Before the tree and the journal have the entries: the next refresh would not compare them again.
    assertMirrored(leaves, { mirrored, tree })
    await copyToJournal(options, stored.size)
    for (const leaf of leaves) tree.append(leaf)
    head = stored
  }
  const refresh = runOneAtATime(async () => {
    const before = head
    try {
      const covered = await adopt()
      problem = undefined
      await logCurves(database, periodAt(toSeconds(clock.now())).start)
      if ((await countEntries(database)) > covered) {
        await signCheckpoint(database, { key, tree, nowSeconds: toSeconds(clock.now()) })
        await adopt()
      }
    } catch (error) {
      const found = problemOf(error)
      if (!found) throw error
      if (problem?.message !== found.message) log.error({ reason: found.reason }, `public log: ${found.message}`)
      problem = found
    }
    if (head !== before) for (const listener of listeners) listener()
  })
  return {
    key: key.verifier,
    tree,
    head: () => (problem ? undefined : head),
    problem: () => problem,
    refresh,
    cover: async (index) => {
      if (!head || head.size <= index) await refresh()
      const isTrusted = problem === undefined || problem.reason === 'log_restored'
      if (isTrusted && head && head.size > index) return head
      throw new Error(problem?.message ?? `no checkpoint covers entry ${index} of the public log yet`)
    },
    onHead: (listener) => listeners.push(listener),
  }
}

function assertSignedBy({ note }: StoredCheckpoint, key: VerifierKey): void {
  try {
    verifyCheckpoint(note, key)
  } catch {
    throw new TallystickError({
      code: 'invalid_config',
      message:
        `The checkpoints of the public log in the database are not signed by the configured key of ${key.name} (log.key). ` +
        'Configure the key that signed them. A log cannot change its key or its origin.',
      retryable: false,
    })
  }
}

/** Throws if a checkpoint of the database is not one of the tree, which this replica has published. */
async function assertSameHistory(
  database: Database,
  { stored, tree }: { readonly stored: StoredCheckpoint; readonly tree: MerkleTree },
): Promise<void> {
  if (equalBytes(rootOf(stored.size, tree.readNode), stored.root)) return
  const leaves = await readLeaves(database, { from: 0, to: stored.size })
  const index = leaves.findIndex((leaf, at) => !equalBytes(leaf, tree.readNode({ level: 0, index: at })))
  throw index < 0 ? new LogContradictionError('root') : new LogContradictionError('journal', { index })
}

/** Throws if the tree with more leaves is not the one of the mirror. Compares nothing if the mirror is larger or known. */
function assertMirrored(
  leaves: readonly Uint8Array[],
  { mirrored, tree }: { readonly mirrored: Checkpoint | undefined; readonly tree: MerkleTree },
): void {
  const added = (mirrored?.size ?? 0) - tree.size
  if (!mirrored || added <= 0 || added > leaves.length) return
  if (!equalBytes(rootAfter(tree, leaves.slice(0, added)), mirrored.root)) throw new LogContradictionError('mirror')
}

/** Throws if the database lacks entries that were published, or has others in their place. */
async function assertHasPublished(
  { database, journal, mirrored }: PublicLogOptions,
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
function assertJournalled(
  leaves: readonly Uint8Array[],
  { journal, from }: { readonly journal: LogJournal; readonly from: number },
): void {
  const index = leaves.findIndex((leaf, at) => from + at < journal.size && !equalBytes(leaf, journal.leaf(from + at)))
  if (index >= 0) throw new LogContradictionError('journal', { index: from + index })
}

/** Entries that are read at once. */
const pageSize = 1_000

/** Copies the entries that the journal lacks. Throws if one does not have the leaf that is stored with it. */
async function copyToJournal({ database, journal }: PublicLogOptions, size: number): Promise<void> {
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
