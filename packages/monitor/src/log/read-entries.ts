import { setImmediate } from 'node:timers/promises'
import { formatPeriod, type LogEntry, periodAt } from '@tallystick/core'
import {
  type EntryRange,
  findEntries,
  findOtherEntries,
  formatTilePath,
  tileWidth,
  type VerifiedTree,
} from '@tallystick/tlog'
import { checkEntry, readEntry, recordEntry } from '../entries/check-entry.ts'
import { findPeriodFrom, hasDate } from '../entries/periods.ts'
import { LogFaultError } from '../finding.ts'
import type { MonitoredSource } from '../log-source.ts'
import { type MonitorContext, saveSometimes, sayProgress } from '../monitor-context.ts'

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const searchMs = 60_000

/**
 * Reads and checks the entries that the tree has and the state does not. The bundles of withheld entries are not public yet.
 * Returns why the entries after `state.checked` were not read. Throws `WrongTileError` if a bundle is not what the tree has.
 */
export async function readEntries(context: MonitorContext, tree: VerifiedTree): Promise<MonitorContext['stoppedBy']> {
  const { state, source, signal } = context
  const shouldSearch = isSearchDue(context, tree.size)
  while (state.checked < tree.size && !signal.aborted) {
    const index = Math.floor(state.checked / tileWidth)
    const width = Math.min(tileWidth, tree.size - index * tileWidth)
    const known = state.checked - index * tileWidth
    const entries = await findPublicEntries({ source, tree }, { range: { index, width, known }, shouldSearch })
    if (!entries) return 'withheld'
    const isKnown = await checkEntries(context, { entries: entries.slice(known), size: tree.size })
    await saveSometimes(context)
    if (!isKnown) return 'unknown'
    if (entries.length < width) return 'withheld'
  }
  return undefined
}

/** A search takes up to 8 requests, and more on a copy in files. Bytes become public at boundaries only. */
function isSearchDue(context: MonitorContext, size: number): boolean {
  const { lastSearch, state, time } = context
  const { checked } = state
  const isSame = lastSearch?.checked === checked && lastSearch.size === size
  if (isSame && time.monotonic() - lastSearch.at < searchMs) return false
  context.lastSearch = { checked, size, at: time.monotonic() }
  return true
}

type Entries = readonly Uint8Array[]
type VerifiedLog = { readonly source: MonitoredSource; readonly tree: VerifiedTree }
type UncheckedRange = EntryRange & { readonly known: number }

/** Finds the longest public part of a bundle with entries that are not checked yet. */
async function findPublicEntries(
  log: VerifiedLog,
  { range, shouldSearch }: { readonly range: UncheckedRange; readonly shouldSearch: boolean },
): Promise<Entries | undefined> {
  const { entries, isWithheld } = await findEntries(log, range)
  if (entries || !shouldSearch) return entries
  // The service has every narrower bundle up to the first withheld entry. A copy in files has one or two of them.
  return isWithheld ? searchEntries(log, range) : findOtherEntries(log, range)
}

async function searchEntries(log: VerifiedLog, range: UncheckedRange): Promise<Entries | undefined> {
  let found: Entries | undefined
  let readable = range.known
  let unreadable = range.width
  while (unreadable - readable > 1) {
    const width = Math.floor((readable + unreadable) / 2)
    const { entries } = await findEntries(log, { ...range, width })
    found = entries ?? found
    if (entries) readable = width
    else unreadable = width
  }
  return found
}

/** Checks entries in their order. Returns false at one of an unknown version, which is not passed. */
async function checkEntries(
  context: MonitorContext,
  { entries, size }: { readonly entries: Entries; readonly size: number },
): Promise<boolean> {
  const { state, rpcs, report, signal, totals } = context
  const followed = new Set([...rpcs.keys()].map(String))
  for (const bytes of entries) {
    if (signal.aborted) return true
    const index = state.checked
    const { entry, findings, isUnknown } = readEntry(decodeLine(bytes), index)
    for (const finding of findings) report(finding)
    if (isUnknown) return false
    if (entry) {
      for (const finding of await checkEntry(state, entry, index)) report(finding)
      recordEntry(state, { entry, index, followed })
    }
    state.checked = index + 1
    totals.entries += 1
    if (entry) sayEntry(context, entry, index)
    sayProgress(context, () => `${index + 1} of ${size} entries checked.`)
    // Recovering the signer of a note takes milliseconds. Signals and scrapes must not wait for a whole bundle.
    await setImmediate()
  }
  return true
}

/** An entry that is not UTF-8 is not JSON. */
function decodeLine(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    return ''
  }
}

/** Says which sets are checked. Those of past periods are not worth a line when a log is read for the first time. */
function sayEntry({ say, time, hasCaughtUp }: MonitorContext, entry: LogEntry, index: number): void {
  if (entry.type === 'signer' && entry.from !== null) {
    const { chainid, from, to, why, at } = entry
    const date = hasDate(BigInt(at)) ? new Date(Number(at) * 1000).toISOString() : at
    say({ event: 'signer', message: `Chain ${chainid}: the signer changed from ${from} to ${to} at ${date}: ${why}` })
  }
  if (entry.type !== 'notes') return
  const period = findPeriodFrom(BigInt(entry.period.start))
  const isWorthALine = hasCaughtUp || (period && Number(period.end) * 1000 > time.now())
  if (!period || !isWorthALine) return
  const { chainid, notes } = entry
  const message = `Chain ${chainid}, ${formatPeriod(periodAt(period.start))}: ${notes.length} notes checked, entry ${index}.`
  say({ event: 'period', message, chainId: chainid, periodStart: period.start.toString(), index })
}

/** Reads an old tile and its bundle again. Throws `WrongTileError`, `MissingTileError` or `LogFaultError` if they changed. */
export async function auditTile({ source, state }: MonitorContext, tree: VerifiedTree): Promise<void> {
  const full = Math.floor(state.checked / tileWidth)
  if (full === 0) return
  const index = state.audited % full
  // Also after a fault: the others are read too.
  state.audited = index + 1
  await tree.readTile({ level: 0, index, fresh: true })
  const { entries } = await findEntries({ source, tree }, { index, width: tileWidth })
  if (entries) return
  const path = formatTilePath({ level: 'entries', index, width: tileWidth })
  throw new LogFaultError({
    kind: 'bundle_wrong',
    subject: path,
    message: `The bundle ${path} is not served any more. The entries of a log stay public for ever.`,
  })
}
