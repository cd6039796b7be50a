import {
  type Checkpoint,
  checkpointBytesMax,
  decodeBase64,
  decodeUtf8,
  encodeBase64,
  equalBytes,
  openCheckpoint,
  type VerifierKey,
} from '@tallystick/tlog'
import { LogFaultError, MissingTileError, StaleCheckpointError } from './log-fault.ts'
import { type LogSource, LogUnreachableError } from './log-source.ts'
import type { MonitorState } from './monitor-state.ts'
import { emptyEdge, encodeEdge } from './tree-edge.ts'
import { createVerifiedTiles, fetchEdge, type VerifiedTiles } from './verified-tiles.ts'

export type TreeContext = {
  readonly source: LogSource
  readonly key: VerifierKey
  readonly state: MonitorState
  /** Unix ms. */
  readonly now: () => number
}

// A replica or a cache may show an older checkpoint for a while.
const staleMs = 300_000
const growthMax = 1_000

/**
 * Reads the checkpoint and verifies its signature and that its tree extends the last one. Returns the tiles of the newest tree.
 * Throws `LogFaultError`, `StaleCheckpointError`, `MissingTileError` or `LogUnreachableError`, and changes nothing then.
 */
export async function followTree(context: TreeContext, tiles: VerifiedTiles | undefined): Promise<VerifiedTiles> {
  const { source, state, now } = context
  const note = await readCheckpoint(source)
  const checkpoint = verifyNote(note, context)
  const last = state.checkpoint
  const known = tiles ?? createVerifiedTiles(source, emptyEdge)
  if (last && checkpoint.size < last.size) throw await judgeSmaller(context, { checkpoint, note, tiles: known })
  if (last && checkpoint.size === last.size) {
    if (equalBytes(checkpoint.root, decodeBase64(last.root) as Uint8Array)) return known
    throw forked(context, { checkpoint, note })
  }
  const next = createVerifiedTiles(source, await fetchEdge(source, checkpoint))
  if (last && !equalBytes(await next.rootAt(last.size), decodeBase64(last.root) as Uint8Array)) {
    throw forked(context, { checkpoint, note })
  }
  const at = now()
  state.checkpoint = { size: checkpoint.size, root: encodeBase64(checkpoint.root), note, seenAt: at }
  state.edge = encodeEdge(next.edge)
  state.growth.push({ size: checkpoint.size, at })
  // The first one counts: it says how long the oldest unread entry has been in the log.
  if (state.growth.length > growthMax) state.growth.splice(1, 1)
  return next
}

async function readCheckpoint(source: LogSource): Promise<string> {
  const { bytes, code } = await source.read('checkpoint', checkpointBytesMax)
  if (!bytes) {
    throw new LogUnreachableError(`There is no log at this URL: it has no checkpoint${code ? ` (${code})` : ''}.`)
  }
  return decodeUtf8(bytes)
}

function verifyNote(note: string, { key }: TreeContext): Checkpoint {
  try {
    return openCheckpoint(note, key)
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
async function judgeSmaller(context: TreeContext, shown: Shown & { readonly tiles: VerifiedTiles }): Promise<Error> {
  const { checkpoint, note, tiles } = shown
  const { state, now } = context
  const { size = 0, seenAt = 0, note: lastNote = '' } = state.checkpoint ?? {}
  // A log that was restored from a copy does not have the tiles to compare with.
  const root = await tiles.rootAt(checkpoint.size).catch((error: unknown) => {
    if (error instanceof MissingTileError) return checkpoint.root
    throw error
  })
  if (!equalBytes(root, checkpoint.root)) return forked(context, shown)
  const message = `The log shows a checkpoint of ${checkpoint.size} entries, but had signed one of ${size} entries before.`
  if (now() - seenAt < staleMs) return new StaleCheckpointError(message)
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
