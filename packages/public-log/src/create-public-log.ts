import { runOneAtATime, type Time, toSeconds } from '@tallystick/base'
import { periodAt } from '@tallystick/core'
import type { Refusal } from '@tallystick/issuer'
import { equalBytes, formatCheckpoint, type MerkleTree, rootAfter, type VerifierKey } from '@tallystick/tlog'
import type { Logger } from 'pino'
import { logCurves } from './append-records.ts'
import {
  assertHasPublished,
  assertMirrored,
  assertSameHistory,
  assertSameLeaves,
  assertSignedBy,
  copyToJournal,
  LogContradictionError,
  type Published,
  problemOf,
} from './log-contradiction.ts'
import type { LogKey } from './log-key.ts'
import {
  countEntries,
  findCheckpoint,
  insertCheckpoint,
  logChannel,
  readLeaves,
  type StoredCheckpoint,
} from './log-store.ts'

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

export type PublicLogOptions = Published & {
  readonly key: LogKey
  readonly time: Pick<Time, 'now'>
  readonly log: Logger
}

/** The newest checkpoint that this replica has verified, and whose entries it has journalled. */
type VerifiedLog = { head: StoredCheckpoint | undefined }

/** Creates the log of the database. It reads nothing before the first `refresh`. */
export function createPublicLog(options: PublicLogOptions): PublicLog {
  const { key, log, journal } = options
  const verified: VerifiedLog = { head: undefined }
  const listeners: (() => void)[] = []
  let problem: Refusal | undefined
  const refresh = runOneAtATime(async () => {
    const { head } = verified
    try {
      const covered = await takeCheckpoint(options, verified)
      problem = undefined
      await signNewEntries(options, { verified, covered })
    } catch (error) {
      const found = problemOf(error)
      if (!found) throw error
      if (problem?.message !== found.message) log.error({ reason: found.reason }, `public log: ${found.message}`)
      problem = found
    }
    if (verified.head !== head) for (const listener of listeners) listener()
  })
  return {
    key: key.verifier,
    tree: journal.tree,
    head: () => (problem ? undefined : verified.head),
    problem: () => problem,
    refresh,
    cover: async (index) => {
      if (!verified.head || verified.head.size <= index) await refresh()
      const { head } = verified
      const isTrusted = problem === undefined || problem.reason === 'log_restored'
      if (isTrusted && head && head.size > index) return head
      throw new Error(problem?.message ?? `no checkpoint covers entry ${index} of the public log yet`)
    },
    onHead: (listener) => listeners.push(listener),
  }
}

/** Takes over the newest checkpoint of the database, once its entries are in the journal. Returns its size. */
async function takeCheckpoint(options: PublicLogOptions, verified: VerifiedLog): Promise<number> {
  const { database, key, journal } = options
  const stored = await findCheckpoint(database)
  if (stored && stored.note !== verified.head?.note) {
    assertSignedBy(stored, key.verifier)
    if (!verified.head) await assertSameLeaves(database, { stored, tree: journal.tree })
    if (stored.size > journal.tree.size) await extend(options, stored)
    else await assertSameHistory(database, { stored, tree: journal.tree })
    if (stored.size > (verified.head?.size ?? 0)) verified.head = stored
  }
  // The notes of a restored database can be served as far as they are logged, but nothing may be added to its log.
  await assertHasPublished(options, stored?.size ?? 0)
  return stored?.size ?? 0
}

async function extend(options: PublicLogOptions, stored: StoredCheckpoint): Promise<void> {
  const { database, journal, mirrored } = options
  const { tree } = journal
  const leaves = await readLeaves(database, { from: tree.size, to: stored.size })
  if (!equalBytes(rootAfter(tree, leaves), stored.root)) throw new LogContradictionError('root')
  // Before the journal has the entries: the next refresh would not compare them again.
  assertMirrored(leaves, { mirrored, tree })
  await copyToJournal(options, stored.size)
}

/** Logs waiting curves. Signs a checkpoint if there are entries that the newest one does not cover. */
async function signNewEntries(
  options: PublicLogOptions,
  { verified, covered }: { readonly verified: VerifiedLog; readonly covered: number },
): Promise<void> {
  const { database, time } = options
  await logCurves(database, periodAt(toSeconds(time.now())).start)
  if ((await countEntries(database)) <= covered) return
  await signCheckpoint(options)
  await takeCheckpoint(options, verified)
}

/**
 * Signs a checkpoint of all entries. Replicas may call this at the same time: the lock makes it one after another, and one
 * that finds a newer checkpoint than its tree signs nothing.
 */
async function signCheckpoint({ database, journal: { tree }, key, time }: PublicLogOptions): Promise<void> {
  const isSigned = await database.transaction(async (transaction) => {
    await transaction.query('lock table log_checkpoints in exclusive mode')
    const last = await findCheckpoint(transaction)
    const size = await countEntries(transaction)
    // The newest checkpoint is older than the tree after a restored database was reconciled.
    if ((last?.size ?? 0) > tree.size || size <= (last?.size ?? 0) || size < tree.size) return false
    const root = rootAfter(tree, await readLeaves(transaction, { from: tree.size, to: size }))
    const note = key.sign(formatCheckpoint({ origin: key.verifier.name, size, root }))
    await insertCheckpoint(transaction, { size, root, note, signedAt: toSeconds(time.now()) })
    return true
  })
  if (isSigned) await database.notify(logChannel)
}
