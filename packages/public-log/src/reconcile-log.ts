import type { Secret } from '@tallystick/base'
import { invalidConfig, parseLogEntry } from '@tallystick/core'
import { type Auditor, auditedTransaction, type Database, type Queryable } from '@tallystick/database'
import { keepNewestCurves, type RecordsReport } from '@tallystick/issuer'
import { type Checkpoint, createMerkleTree, encodeUtf8, equalBytes, leafHash, rootAfter } from '@tallystick/tlog'
import { type LogJournal, openLogJournal } from './log-journal.ts'
import { parseLogKey } from './log-key.ts'
import { readMirrorEntries, readMirrorHead } from './log-mirror.ts'
import { countEntries, findCheckpoint, insertEntry, readLeaves } from './log-store.ts'
import { restoreRecord } from './restore-record.ts'

/** Key of a log, and where its entries are besides the database. */
export type LogFiles = {
  readonly key: Secret
  /** File of the entries that this replica published. */
  readonly journal: string
  /** Directory of a copy of the log as files. */
  readonly mirror?: string | undefined
}

type Published = {
  readonly journal: Pick<LogJournal, 'lines'>
  readonly mirror?: { readonly directory: string; readonly head: Checkpoint } | undefined
}

type ReconcileLogOptions = {
  readonly chainIds: readonly number[]
  readonly nowSeconds: bigint
  readonly auditor: Auditor
}

/** Copies published entries that the database lacks back from the journal and the mirror, with the rows they belong to. */
export async function reconcileLog(
  database: Database,
  { auditor, chainIds, nowSeconds, ...published }: Published & ReconcileLogOptions,
): Promise<RecordsReport> {
  try {
    const lines = await readPublished(published)
    return await auditedTransaction(database, auditor, async (transaction, record) => {
      await transaction.query('lock table curves in exclusive mode')
      await transaction.query('lock table log_entries in exclusive mode')
      await transaction.query('lock table log_checkpoints in exclusive mode')
      const kept = await keepAgreeing(transaction, lines)
      const restore = async () => {
        for (const [at, line] of lines.slice(kept).entries()) await restoreLine(transaction, { index: kept + at, line })
      }
      await keepNewestCurves(transaction, { chainIds, nowSeconds, restore })
      const restored = Math.max(0, lines.length - kept)
      if (restored > 0) {
        await record({ action: 'log.restore', subject: 'public log', details: { from: kept, to: lines.length - 1 } })
      }
      return { restored, size: await countEntries(transaction) }
    })
  } catch (error) {
    if (!(error instanceof UnrestorableError)) throw error
    return { restored: 0, size: await countEntries(database), problem: error.message }
  }
}

/** Reconciles with the files that the configuration names. For use while no service has them open. */
export async function reconcileLogFromFile(
  database: Database,
  { files, ...options }: ReconcileLogOptions & { readonly files: LogFiles },
): Promise<RecordsReport> {
  const journal = await openLogJournal(files.journal)
  try {
    return await reconcileLog(database, { journal, mirror: await readMirror(files), ...options })
  } finally {
    await journal.close()
  }
}

/** Returns the mirror of a configuration with its verified checkpoint, if it has one. */
export async function readMirror({ mirror, key }: Pick<LogFiles, 'mirror' | 'key'>): Promise<Published['mirror']> {
  if (mirror === undefined) return undefined
  const verifier = parseLogKey(key.reveal())?.verifier
  if (!verifier) {
    throw invalidConfig(
      'The key of the public log (log.key) is needed to read the mirror (log.mirror) and cannot be read.',
    )
  }
  const head = await readMirrorHead(mirror, verifier)
  return head && { directory: mirror, head }
}

/** Thrown if the log cannot be restored. The transaction is rolled back. */
class UnrestorableError extends Error {
  override readonly name = 'UnrestorableError'
}

/** Reads all entries that were published, from the journal and, after its end, from the mirror. */
async function readPublished({ journal, mirror }: Published): Promise<string[]> {
  const lines: string[] = []
  for await (const line of journal.lines()) lines.push(line)
  if (!mirror) return lines
  let index = 0
  for await (const line of readMirrorEntries(mirror.directory, mirror.head.size)) {
    if (index === lines.length) lines.push(line)
    index += 1
  }
  if (lines.length < mirror.head.size) {
    throw new UnrestorableError(
      `the mirror has ${mirror.head.size} entries of the public log, and only ${lines.length} of them can be read here: ` +
        'the others are not public yet. Run this command on the replica that logged them, or after their period has begun.',
    )
  }
  const leaves = lines.slice(0, mirror.head.size).map((line) => leafHash(encodeUtf8(line)))
  if (equalBytes(rootAfter(createMerkleTree(), leaves), mirror.head.root)) return lines
  throw new UnrestorableError(
    'the mirror (log.mirror) and the log journal (log.journal) have different versions of the log.',
  )
}

/**
 * Returns how many entries of the database agree with the published ones, and removes later ones that no checkpoint covers.
 * The rows of those are logged again. Throws if a signed entry disagrees.
 */
async function keepAgreeing(transaction: Queryable, lines: readonly string[]): Promise<number> {
  const signed = (await findCheckpoint(transaction))?.size ?? 0
  const leaves = await readLeaves(transaction, { from: 0, to: await countEntries(transaction) })
  const differing = leaves.findIndex((leaf, index) => {
    const line = lines[index]
    return line !== undefined && !equalBytes(leaf, leafHash(encodeUtf8(line)))
  })
  if (differing < 0) return leaves.length
  if (differing < signed) {
    throw new UnrestorableError(
      `entry ${differing} of the public log was signed twice with different content, once before the database was ` +
        'restored and once after. Monitors will report it. Restore a newer backup, or begin a log with a new origin.',
    )
  }
  await transaction.query('delete from log_entries where index >= $1', [differing])
  await transaction.query('delete from log_signers where log_index >= $1', [differing])
  await transaction.query('update curves set log_index = null where log_index >= $1', [differing])
  await transaction.query('update note_sets set log_index = null where log_index >= $1', [differing])
  return differing
}

async function restoreLine(
  transaction: Queryable,
  { index, line }: { readonly index: number; readonly line: string },
): Promise<void> {
  const { entry, problem } = parseLogEntry(line)
  if (!entry) throw new UnrestorableError(`entry ${index} cannot be restored: ${problem}`)
  await insertEntry(transaction, { index, line, entry })
  const conflict = await restoreRecord(transaction, { index, entry })
  if (conflict) throw new UnrestorableError(`entry ${index} cannot be restored: ${conflict}`)
}
