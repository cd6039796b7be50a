import { toSeconds } from '@tallystick/base'
import { MissingTileError, type VerifiedTree, WrongTileError } from '@tallystick/tlog'
import { LogFaultError } from '../finding.ts'
import { LogUnreachableError } from '../log-source.ts'
import type { MonitorContext } from '../monitor-context.ts'
import { followTree, StaleCheckpointError } from './follow-tree.ts'
import { readCurrentSets, type WantedSet } from './read-current-sets.ts'
import { auditTile, readEntries } from './read-entries.ts'

// The longest period, 19 h, and the longest sign-ahead, 6 h: a curve that is set when the next period is signed already is in
// force, and public, after both. One hour is left for copies of a log.
const withheldMsMax = 26 * 3_600_000
// No log gets this many entries while one is withheld.
const entriesBehindMax = 1_024
const missingMsMax = 600_000
const auditMs = 600_000

/**
 * Reads all that is new in the log and checks it. `wanted` are sets that are needed even if they stand behind withheld entries.
 * Returns whether the log was read to its end, as far as its bytes are public.
 */
export async function followLog(context: MonitorContext, wanted: readonly WantedSet[]): Promise<boolean> {
  const { state, warnings } = context
  try {
    const isNewest = await followNewestTree(context)
    const { tree } = context
    if (!tree) return false
    await readNewEntries(context, tree)
    await readCurrentSets(context, { tree, wanted: [...wanted, ...setsInForce(context)] })
    if (!isNewest) return false
    state.missing = {}
    context.hasCaughtUp = true
    context.totals.successes.set('log', context.time.now())
    warnings.clear('the log')
    await auditSometimes(context, tree)
    return true
  } catch (error) {
    handleFailure(context, error)
    return false
  }
}

function handleFailure(context: MonitorContext, error: unknown): void {
  if (context.signal.aborted) return
  if (error instanceof LogFaultError) context.report(error.finding)
  else if (error instanceof WrongTileError) reportTile(context, error)
  else if (error instanceof MissingTileError) judgeMissing(context, error)
  else if (error instanceof LogUnreachableError) context.warnings.set('the log', error.message)
  else throw error
}

function reportTile({ report }: MonitorContext, { path, message }: WrongTileError): void {
  const kind = path.startsWith('tile/entries/') ? 'bundle_wrong' : 'tile_wrong'
  report({ kind, subject: path, severity: 'fail', message })
}

/** Follows the tree. Returns false if the log shows an older one than before. */
async function followNewestTree(context: MonitorContext): Promise<boolean> {
  try {
    context.tree = await followTree(context, context.tree)
    return true
  } catch (error) {
    if (!(error instanceof StaleCheckpointError)) throw error
    context.warnings.set('the log', error.message)
    return false
  }
}

async function readNewEntries(context: MonitorContext, tree: VerifiedTree): Promise<void> {
  const { state } = context
  context.stoppedBy = await readEntries(context, tree)
  state.growth = state.growth.filter((growth) => growth.size > state.checked)
  if (context.stoppedBy === 'withheld') judgeWithheld(context, tree.size)
}

/** Returns whether entries are unread for longer than any log withholds them. */
export function isOverdue({ state, tree, time }: MonitorContext): boolean {
  const since = state.growth[0]?.at ?? time.now()
  const behind = (tree?.size ?? 0) - state.checked
  return time.now() - since > withheldMsMax || behind > entriesBehindMax
}

function judgeWithheld(context: MonitorContext, size: number): void {
  if (!isOverdue(context)) return
  const { state, report } = context
  const since = new Date(state.growth[0]?.at ?? context.time.now()).toISOString()
  report({
    kind: 'entry_withheld',
    severity: 'fail',
    subject: `entry ${state.checked}`,
    message:
      `Entry ${state.checked} of ${size} is in the log at least since ${since}, but its bytes are still not public. ` +
      'A set or a curve is public from its period on, so the log hides what was signed.',
    evidence: { index: state.checked, since },
  })
}

/** A copy of a log may get the checkpoint before the tiles. */
function judgeMissing({ state, warnings, report, time }: MonitorContext, { path, message }: MissingTileError): void {
  state.missing[path] ??= time.now()
  if (time.now() - (state.missing[path] as number) < missingMsMax) warnings.set('the log', message)
  else report({ kind: 'tile_missing', subject: path, severity: 'fail', message })
}

/** The sets of the current period of every chain of the log. */
function setsInForce({ state, time }: MonitorContext): WantedSet[] {
  const atSeconds = toSeconds(time.now())
  return Object.keys(state.chains).map((chainId) => ({ chainId, atSeconds }))
}

async function auditSometimes(context: MonitorContext, tree: VerifiedTree): Promise<void> {
  if (context.lastAuditAt !== undefined && context.time.monotonic() - context.lastAuditAt < auditMs) return
  context.lastAuditAt = context.time.monotonic()
  try {
    await auditTile(context, tree)
  } catch (error) {
    // What is new was read. An old tile that is gone was there before, so that is no delay of a copy.
    if (error instanceof MissingTileError) {
      const { path: subject, message } = error
      context.report({ kind: 'tile_missing', subject, severity: 'fail', message })
    } else handleFailure(context, error)
  }
}
