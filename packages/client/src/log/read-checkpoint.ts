import {
  type Checkpoint,
  CheckpointError,
  consistencyRanges,
  equalBytes,
  hashRange,
  nodesOf,
  openCheckpoint,
  rootOf,
  type TreeHead,
  type VerifierKey,
  verifyConsistency,
} from '@tallystick/tlog'
import { InvalidRequestError } from '../errors.ts'
import { forked, invalid } from './log-failures.ts'
import type { LogReader } from './log-reader.ts'

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
type Signed = Checkpoint & { readonly note: string }

/** Reads the log's checkpoint and verifies that it continues the stored one, which it then replaces. */
export async function readCheckpoint(reader: LogReader, { key, storage }: History): Promise<Checkpoint> {
  // Before the request: a checkpoint that another call stores meanwhile may be newer than the requested one.
  const known = storage && (await readStored(storage, { key }))
  const shown = openShown(await reader.readCheckpoint(), key)
  if (!storage) return shown
  if (known) await checkContinuation(reader, { known, shown })
  const latest = await readStored(storage, { key, known })
  if (latest && latest !== known) await checkSame(reader, latest, shown)
  if (!latest || latest.size < shown.size) await storage.set(shown.origin, shown.note)
  return shown
}

async function readStored(
  storage: LogStorage,
  { key, known }: { readonly key: VerifierKey; readonly known?: Signed | undefined },
): Promise<Signed | undefined> {
  const note = await storage.get(key.name)
  if (note === null || note === undefined) return undefined
  if (note === known?.note) return known
  try {
    return { ...openCheckpoint(note, key), note }
  } catch (error) {
    const message = `storage has no checkpoint of ${key.name} that was signed with this key: ${(error as Error).message} If the log has a new key, delete the stored checkpoint.`
    throw new InvalidRequestError({ code: 'invalid_request', message, cause: error })
  }
}

function openShown(note: string, key: VerifierKey): Signed {
  try {
    return { ...openCheckpoint(note, key), note }
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error
    throw invalid(`${error.message} Check that key is the key of this log.`)
  }
}

async function checkContinuation(
  reader: LogReader,
  { known, shown }: { readonly known: Signed; readonly shown: Signed },
): Promise<void> {
  if (shown.size >= known.size) return checkSame(reader, known, shown)
  const problem = `The log ${shown.origin} shows ${shown.size} entries, but it has shown ${known.size} before: it has shown two histories, or this is an outdated copy.`
  throw forked(problem, { known: known.note, shown: shown.note, retryable: true })
}

/** Verifies by tiles that the larger of two checkpoints continues the smaller one. */
async function checkSame(reader: LogReader, one: Signed, other: Signed): Promise<void> {
  const [older, newer] = one.size <= other.size ? [one, other] : [other, one]
  const actual = older.size === newer.size ? newer : await readOlderTree(reader, { size: older.size, newer })
  if (equalBytes(actual.root, older.root)) return
  const problem = `The log ${newer.origin} has shown two histories: its ${newer.size} entries do not continue the ${older.size} it has shown before.`
  throw forked(problem, { known: one.note, shown: other.note, retryable: false })
}

/** Returns an older tree as the tiles of a newer one have it. Throws if the tiles do not belong to the newer one. */
async function readOlderTree(
  reader: LogReader,
  { size, newer }: { readonly size: number; readonly newer: Checkpoint },
): Promise<TreeHead> {
  const ranges = consistencyRanges(size, newer.size)
  const nodes = [{ from: 0, to: size }, ...ranges].flatMap(nodesOf)
  const readNode = await reader.readNodes(nodes, newer.size)
  const older = { size, root: rootOf(size, readNode) }
  const proof = ranges.map((range) => hashRange(range, readNode))
  if (verifyConsistency(older, newer, proof)) return older
  throw invalid(`The tiles of the log ${newer.origin} do not belong to its checkpoint of ${newer.size} entries.`)
}
