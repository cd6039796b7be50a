import { formatPeriod, type LogEntry, periodAt } from '@tallystick/core'
import { MissingTileError, type VerifiedTree, WrongTileError } from '@tallystick/tlog'
import { findPeriodFrom, hasDate } from './calendar-bounds.ts'
import type { Finding } from './finding.ts'
import { followTree } from './follow-tree.ts'
import { LogFaultError, StaleCheckpointError } from './log-fault.ts'
import { LogUnreachableError } from './log-source.ts'
import { type MonitorContext, saveSometimes, sayProgress } from './monitor-context.ts'
import { readCurrentSets, type WantedSet } from './read-current-sets.ts'
import { auditTile, readEntries } from './read-entries.ts'

// The longest period, 19 h, and the longest sign-ahead, 6 h: a curve that is set when the next period is signed already is in
// force, and public, after both. One hour is left for copies of a log.
const withheldMsMax = 26 * 3_600_000
// No log gets this many entries while one is withheld.
const entriesBehindMax = 1_024
const missingMsMax = 600_000
const searchMs = 60_000
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
    await readCurrentSets({ ...context, tree }, [...wanted, ...setsInForce(context)])
    if (!isNewest) return false
    state.missing = {}
    context.hasCaughtUp = true
    context.totals.successes.set('log', context.now())
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
  else if (error instanceof WrongTileError) context.report(toFinding(error))
  else if (error instanceof MissingTileError) judgeMissing(context, error)
  else if (error instanceof LogUnreachableError) context.warnings.set('the log', error.message)
  else throw error
}

function toFinding({ path, message }: WrongTileError): Finding {
  return { kind: path.startsWith('tile/entries/') ? 'bundle_wrong' : 'tile_wrong', subject: path, message }
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
  const { state, rpcs, signal } = context
  const { size } = tree
  const { stoppedBy } = await readEntries({
    ...context,
    tree,
    followed: new Set([...rpcs.keys()].map(String)),
    isOver: () => signal.aborted,
    shouldSearch: isSearchDue(context, size),
    onChecked: (entry, index) => {
      context.totals.entries += 1
      if (entry) sayEntry(context, entry, index)
      sayProgress(context, () => `${index + 1} of ${size} entries checked.`)
    },
    onBundle: () => saveSometimes(context),
  })
  context.stoppedBy = stoppedBy
  const { checked } = state
  state.growth = state.growth.filter((growth) => growth.size > checked)
  if (stoppedBy === 'withheld') judgeWithheld(context, size)
}

/** A search takes up to 8 requests, and more on a copy in files. Bytes become public at boundaries only. */
function isSearchDue(context: MonitorContext, size: number): boolean {
  const { lastSearch, state, monotonicNow } = context
  const { checked } = state
  const isSame = lastSearch?.checked === checked && lastSearch.size === size
  if (isSame && monotonicNow() - lastSearch.at < searchMs) return false
  context.lastSearch = { checked, size, at: monotonicNow() }
  return true
}

/** Returns whether entries are unread for longer than any log withholds them. */
export function isOverdue({ state, tree, now }: MonitorContext): boolean {
  const since = state.growth[0]?.at ?? now()
  const behind = (tree?.size ?? 0) - state.checked
  return now() - since > withheldMsMax || behind > entriesBehindMax
}

function judgeWithheld(context: MonitorContext, size: number): void {
  if (!isOverdue(context)) return
  const { state, report } = context
  const since = new Date(state.growth[0]?.at ?? context.now()).toISOString()
  report({
    kind: 'entry_withheld',
    subject: `entry ${state.checked}`,
    message:
      `Entry ${state.checked} of ${size} is in the log at least since ${since}, but its bytes are still not public. ` +
      'A set or a curve is public from its period on, so the log hides what was signed.',
    evidence: { index: state.checked, since },
  })
}

/** A copy of a log may get the checkpoint before the tiles. */
function judgeMissing({ state, warnings, report, now }: MonitorContext, { path, message }: MissingTileError): void {
  state.missing[path] ??= now()
  if (now() - (state.missing[path] as number) < missingMsMax) warnings.set('the log', message)
  else report({ kind: 'tile_missing', subject: path, message })
}

/** The sets of the current period of every chain of the log. */
function setsInForce({ state, now }: MonitorContext): WantedSet[] {
  const atSeconds = BigInt(Math.floor(now() / 1000))
  return Object.keys(state.chains).map((chainId) => ({ chainId, atSeconds }))
}

async function auditSometimes(context: MonitorContext, tree: VerifiedTree): Promise<void> {
  if (context.lastAuditAt !== undefined && context.monotonicNow() - context.lastAuditAt < auditMs) return
  context.lastAuditAt = context.monotonicNow()
  try {
    await auditTile({ ...context, tree })
  } catch (error) {
    // What is new was read. An old tile that is gone was there before, so that is no delay of a copy.
    if (error instanceof MissingTileError) {
      context.report({ kind: 'tile_missing', subject: error.path, message: error.message })
    } else handleFailure(context, error)
  }
}

/** Says which sets are checked. Those of past periods are not worth a line when a log is read for the first time. */
function sayEntry({ say, now, hasCaughtUp }: MonitorContext, entry: LogEntry, index: number): void {
  if (entry.type === 'signer' && entry.from !== null) {
    const { chainid, from, to, why, at } = entry
    const time = hasDate(BigInt(at)) ? new Date(Number(at) * 1000).toISOString() : at
    say({ event: 'signer', message: `Chain ${chainid}: the signer changed from ${from} to ${to} at ${time}: ${why}` })
  }
  if (entry.type !== 'notes') return
  const period = findPeriodFrom(BigInt(entry.period.start))
  const isWorthALine = hasCaughtUp || (period && Number(period.end) * 1000 > now())
  if (!period || !isWorthALine) return
  const { chainid, notes } = entry
  const message = `Chain ${chainid}, ${formatPeriod(periodAt(period.start))}: ${notes.length} notes checked, entry ${index}.`
  say({ event: 'period', message, chainId: chainid, periodStart: period.start.toString(), index })
}
