import { type Time, toSeconds } from '@tallystick/base'
import { parseLogEntry } from '@tallystick/core'
import type { Database } from '@tallystick/database'
import { findCurve, findNoteSet, type IssuerChain, type NoteSet, type Recorder, type Refusal } from '@tallystick/issuer'
import { encodeUtf8, equalBytes, leafHash } from '@tallystick/tlog'
import { appendSet, logCurve } from './append-records.ts'
import type { PublicLog } from './create-public-log.ts'
import { curveEntryOf, isSameContent, notesEntryOf } from './format-entries.ts'
import { readEntries } from './log-store.ts'

export type NoteLogOptions = {
  readonly database: Database
  readonly publicLog: Pick<PublicLog, 'problem' | 'cover' | 'tree'>
  /** Why a signer changes (log.signerReason). */
  readonly why: string
  readonly time: Pick<Time, 'now'>
}

/** Creates the recorder that puts notes into the public log before they are served. */
export function createNoteLog(options: NoteLogOptions): Recorder {
  const { database, publicLog, why, time } = options
  const record: Recorder['record'] = async (transaction, { set, chain }) => {
    await appendSet(transaction, { set, domain: chain.domain, why, nowSeconds: toSeconds(time.now()) })
  }
  return {
    record,
    findRefusal: async (curve) => {
      const problem = publicLog.problem()
      if (problem) return problem
      const index = await logCurve(database, curve.id)
      const isLogged = await isEntry(options, { index, content: curveEntryOf(curve) })
      return isLogged ? undefined : differs(`curve ${curve.id}`, index)
    },
    cover: async (set, chain) => {
      const problem = publicLog.problem()
      const isServable = problem?.reason === 'log_restored' && set.logIndex !== undefined
      if (problem && !isServable) return { refusal: problem }
      const stored = set.logIndex === undefined ? await logStoredSet(options, { set, chain, record }) : set
      const index = stored.logIndex as number
      const { size } = await publicLog.cover(index)
      const curve = await findCurve(database, stored.curveId)
      const content = notesEntryOf(stored, { domain: chain.domain, curveIndex: curve?.logIndex ?? -1 })
      const leaf = publicLog.tree.readNode({ level: 0, index })
      if (await isEntry(options, { index, content, leaf })) return { set: { ...stored, log: { index, size } } }
      return { refusal: differs(`the set of notes on chain ${set.chainId}`, index) }
    },
  }
}

/** Logs a set that was stored without a log, or by a replica that has none configured. */
async function logStoredSet(
  { database }: NoteLogOptions,
  { set, chain, record }: { readonly set: NoteSet; readonly chain: IssuerChain; readonly record: Recorder['record'] },
): Promise<NoteSet> {
  const key = { chainId: set.chainId, periodStart: set.period.start }
  await logCurve(database, set.curveId)
  return database.transaction(async (transaction) => {
    // Conflicts with the exclusive lock of `discardPrematureSet`: a set in the log cannot be discarded, and vice versa.
    await transaction.query('lock table curves in share mode')
    await transaction.query('lock table log_entries in exclusive mode')
    const stored = await findNoteSet(transaction, key)
    if (!stored) throw new Error(`the set of chain ${key.chainId} and period ${key.periodStart} was discarded`)
    if (stored.logIndex === undefined) await record(transaction, { set: stored, chain })
    return (await findNoteSet(transaction, key)) as NoteSet
  })
}

/** Returns whether the entry at an index has this content and its own hash, which is `leaf` if it was published. */
async function isEntry(
  { database }: NoteLogOptions,
  { index, content, leaf }: { readonly index: number; readonly content: object; readonly leaf?: Uint8Array },
): Promise<boolean> {
  const [stored] = await readEntries(database, { from: index, to: index + 1 })
  if (!stored || !equalBytes(leafHash(encodeUtf8(stored.line)), leaf ?? stored.leaf)) return false
  const { entry } = parseLogEntry(stored.line)
  return entry !== undefined && isSameContent(entry, content)
}

function differs(subject: string, index: number): Refusal {
  return {
    reason: 'log_contradicted',
    message:
      `${subject} in the database differs from entry ${index} of the public log. Was the row changed? ` +
      'Run `tallystick doctor`, which lists such rows.',
  }
}
