import {
  type Checkpoint,
  checkpointBytesMax,
  createVerifiedTree,
  decodeBase64,
  decodeUtf8,
  encodeBase64,
  equalBytes,
  MissingTileError,
  type TreeEdge,
  type VerifiedTree,
  verifyCheckpoint,
  WrongTileError,
} from '@tallystick/tlog'
import { LogFaultError } from '../finding.ts'
import { LogUnreachableError, type MonitoredSource } from '../log-source.ts'
import type { MonitorContext } from '../monitor-context.ts'
import { encodeEdge } from '../monitor-state.ts'

type TreeContext = Pick<MonitorContext, 'source' | 'key' | 'state' | 'time'>

// A replica or a cache may show an older checkpoint for a while.
const staleMs = 300_000
const growthMax = 1_000

/**
 * Reads the checkpoint and verifies its signature and that its tree extends the last one. Returns the newest tree. Throws
 * `LogFaultError`, `StaleCheckpointError`, `MissingTileError`, `WrongTileError` or `LogUnreachableError`, and changes
 * nothing then.
 */
export async function followTree(context: TreeContext, known: VerifiedTree | undefined): Promise<VerifiedTree> {
  const { source, state } = context
  const note = await readCheckpoint(source)
  const checkpoint = verifyNote(note, context)
  const last = state.checkpoint
  if (last && known && checkpoint.size < last.size) throw await judgeSmaller(context, { checkpoint, note, tree: known })
  if (last && known && checkpoint.size === last.size) {
    if (equalBytes(checkpoint.root, decodeBase64(last.root) as Uint8Array)) return known
    throw forked(context, { checkpoint, note })
  }
  const next = createVerifiedTree(source, checkpoint)
  const edge = await readEdge(next, checkpoint)
  if (last && !equalBytes(await next.rootAt(last.size), decodeBase64(last.root) as Uint8Array)) {
    throw forked(context, { checkpoint, note })
  }
  const at = context.time.now()
  state.checkpoint = { size: checkpoint.size, root: encodeBase64(checkpoint.root), note, seenAt: at }
  state.edge = encodeEdge(edge)
  state.growth.push({ size: checkpoint.size, at })
  // The first one counts: it says how long the oldest unread entry has been in the log.
  if (state.growth.length > growthMax) state.growth.splice(1, 1)
  return next
}

async function readEdge(tree: VerifiedTree, { size, root }: Checkpoint): Promise<TreeEdge> {
  try {
    return await tree.readEdge()
  } catch (error) {
    if (!(error instanceof WrongTileError)) throw error
    const { message } = error
    const evidence = { size, root: encodeBase64(root) }
    throw new LogFaultError({ kind: 'tile_wrong', subject: `size ${size}`, message, evidence })
  }
}

async function readCheckpoint(source: MonitoredSource): Promise<string> {
  const { bytes, code } = await source.read('checkpoint', checkpointBytesMax)
  if (!bytes) {
    throw new LogUnreachableError(`There is no log at this URL: it has no checkpoint${code ? ` (${code})` : ''}.`)
  }
  return decodeUtf8(bytes)
}

function verifyNote(note: string, { key }: TreeContext): Checkpoint {
  try {
    return verifyCheckpoint(note, key)
  } catch (error) {
    throw new LogFaultError({
      kind: 'checkpoint_invalid',
      subject: (error as Error).message,
      message: `${(error as Error).message} Check that --key is the key of this log.`,
      evidence: { checkpoint: note.slice(0, 1_000) },
    })
  }
}

type Shown = { readonly checkpoint: Checkpoint; readonly note: string }

/** An older checkpoint is a fork, or what the log was before. It must not show that for long. */
async function judgeSmaller(context: TreeContext, shown: Shown & { readonly tree: VerifiedTree }): Promise<Error> {
  const { checkpoint, note, tree } = shown
  const { state, time } = context
  const { size = 0, seenAt = 0, note: lastNote = '' } = state.checkpoint ?? {}
  // A log that was restored from a copy does not have the tiles to compare with.
  const root = await tree.rootAt(checkpoint.size).catch((error: unknown) => {
    if (error instanceof MissingTileError) return checkpoint.root
    throw error
  })
  if (!equalBytes(root, checkpoint.root)) return forked(context, shown)
  const message = `The log shows a checkpoint of ${checkpoint.size} entries, but had signed one of ${size} entries before.`
  if (time.now() - seenAt < staleMs) return new StaleCheckpointError(message)
  return new LogFaultError({
    kind: 'checkpoint_went_back',
    subject: `size ${checkpoint.size}`,
    message: `${message} Entries were removed: the log was restored from an old copy, or its history is being changed.`,
    evidence: { before: lastNote, now: note },
  })
}

function forked({ state }: TreeContext, { checkpoint, note }: Shown): LogFaultError {
  const last = state.checkpoint
  const message =
    `The log has forked: its checkpoint of ${checkpoint.size} entries does not extend the one of ${last?.size} entries ` +
    'that it signed before. Both are signed by its key, so they prove that it showed two histories. Keep this line and the state file.'
  return new LogFaultError({
    kind: 'log_forked',
    subject: encodeBase64(checkpoint.root),
    message,
    evidence: { before: last?.note ?? '', now: note },
  })
}

/** Thrown if a log shows an older checkpoint than before. */
export class StaleCheckpointError extends Error {
  override readonly name = 'StaleCheckpointError' as const
}
