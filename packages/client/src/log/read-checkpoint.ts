import {
  type Checkpoint,
  CheckpointError,
  createVerifiedTree,
  equalBytes,
  type VerifiedTree,
  type VerifierKey,
  verifyCheckpoint,
} from '@tallystick/tlog'
import { InvalidRequestError } from '../errors.ts'
import { forked, invalid } from './log-error.ts'
import type { ClientLogSource } from './log-source.ts'

/**
 * Keeps the last checkpoint of each log, so that a log cannot show you one history today and another tomorrow. Store the
 * text where it survives a restart, such as a file, a database or `localStorage`.
 */
export type LogStorage = {
  /** Returns the checkpoint that was set last for an origin. */
  get(origin: string): string | null | undefined | Promise<string | null | undefined>
  set(origin: string, checkpoint: string): void | Promise<void>
}

type History = { readonly key: VerifierKey; readonly storage: LogStorage | undefined }

/** A checkpoint whose signature was verified, and its tree. */
export type SignedCheckpoint = Checkpoint & { readonly note: string; readonly tree: VerifiedTree }

/** Reads the log's checkpoint and verifies that it continues the stored one, which it then replaces. */
export async function readCheckpoint(source: ClientLogSource, { key, storage }: History): Promise<SignedCheckpoint> {
  // Before the request: a checkpoint that another call stores meanwhile may be newer than the requested one.
  const open = (note: string) => {
    const checkpoint = verifyCheckpoint(note, key)
    return { ...checkpoint, note, tree: createVerifiedTree(source, checkpoint) }
  }
  const known = storage && (await readStored(storage, { key, open }))
  const shown = openShown(await source.readCheckpoint(), open)
  if (!storage) return shown
  if (known) await checkContinuation(known, shown)
  const latest = await readStored(storage, { key, open, known })
  if (latest && latest !== known) await checkSame(latest, shown)
  if (!latest || latest.size < shown.size) await storage.set(shown.origin, shown.note)
  return shown
}

type OpenCheckpoint = (note: string) => SignedCheckpoint

type Stored = {
  readonly key: VerifierKey
  readonly open: OpenCheckpoint
  readonly known?: SignedCheckpoint | undefined
}

async function readStored(storage: LogStorage, { key, open, known }: Stored): Promise<SignedCheckpoint | undefined> {
  const note = await storage.get(key.name)
  if (note === null || note === undefined) return undefined
  if (note === known?.note) return known
  try {
    return open(note)
  } catch (error) {
    const message = `storage has no checkpoint of ${key.name} that was signed with this key: ${(error as Error).message} If the log has a new key, delete the stored checkpoint.`
    throw new InvalidRequestError({ code: 'invalid_request', message, cause: error })
  }
}

function openShown(note: string, open: OpenCheckpoint): SignedCheckpoint {
  try {
    return open(note)
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error
    throw invalid(`${error.message} Check that key is the key of this log.`)
  }
}

async function checkContinuation(known: SignedCheckpoint, shown: SignedCheckpoint): Promise<void> {
  if (shown.size >= known.size) return checkSame(known, shown)
  const problem = `The log ${shown.origin} shows ${shown.size} entries, but it has shown ${known.size} before: it has shown two histories, or this is an outdated copy.`
  throw forked(problem, { known: known.note, shown: shown.note, retryable: true })
}

/** Verifies by tiles that the larger of two checkpoints continues the smaller one. */
async function checkSame(one: SignedCheckpoint, other: SignedCheckpoint): Promise<void> {
  const [older, newer] = one.size <= other.size ? [one, other] : [other, one]
  const root = older.size === newer.size ? newer.root : await newer.tree.rootAt(older.size)
  if (equalBytes(root, older.root)) return
  const problem = `The log ${newer.origin} has shown two histories: its ${newer.size} entries do not continue the ${older.size} it has shown before.`
  throw forked(problem, { known: one.note, shown: other.note, retryable: false })
}
