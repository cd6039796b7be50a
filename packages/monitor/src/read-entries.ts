import { setImmediate } from 'node:timers/promises'
import type { LogEntry } from '@tallystick/core'
import {
  type EntryRange,
  findEntries,
  findOtherEntries,
  formatTilePath,
  type LogSource,
  tileWidth,
  type VerifiedTree,
} from '@tallystick/tlog'
import { checkEntry, readEntry, recordEntry } from './check-entry.ts'
import type { Finding } from './finding.ts'
import { LogFaultError } from './log-fault.ts'
import type { MonitorState } from './monitor-state.ts'

export type EntryContext = {
  readonly source: LogSource
  readonly state: MonitorState
  readonly tree: VerifiedTree
  /** Chains whose lends are checked. */
  readonly followed: ReadonlySet<string>
  readonly report: (finding: Finding) => void
  /** Called after each checked entry. */
  readonly onChecked: (entry: LogEntry | undefined, index: number) => void
  /** Called after each bundle, when the state can be saved. */
  readonly onBundle: () => Promise<void>
  readonly isOver: () => boolean
  /** Whether the readable part of a bundle is searched for if the whole bundle is not public. */
  readonly shouldSearch: boolean
}

/** Why the entries after `checked` were not read: their bytes are withheld, or their version is not known. */
export type EntriesRead = { readonly stoppedBy?: 'withheld' | 'unknown' | undefined }

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Reads and checks the entries that the tree has and the state does not. The bundles of withheld entries are not public yet.
 * Throws `WrongTileError` if a bundle is not what the tree has.
 */
export async function readEntries(context: EntryContext): Promise<EntriesRead> {
  const { state, tree, isOver, onBundle } = context
  while (state.checked < tree.size && !isOver()) {
    const index = Math.floor(state.checked / tileWidth)
    const width = Math.min(tileWidth, tree.size - index * tileWidth)
    const known = state.checked - index * tileWidth
    const entries = await findPublicEntries(context, { index, width, known })
    if (!entries) return { stoppedBy: 'withheld' }
    const isKnown = await checkEntries(context, entries.slice(known))
    await onBundle()
    if (!isKnown) return { stoppedBy: 'unknown' }
    if (entries.length < width) return { stoppedBy: 'withheld' }
  }
  return {}
}

type Entries = readonly Uint8Array[]
type UncheckedRange = EntryRange & { readonly known: number }

/** Finds the longest public part of a bundle with entries that are not checked yet. */
async function findPublicEntries(context: EntryContext, range: UncheckedRange): Promise<Entries | undefined> {
  const { entries, isWithheld } = await findEntries(context, range)
  if (entries || !context.shouldSearch) return entries
  // The service has every narrower bundle up to the first withheld entry. A copy in files has one or two of them.
  return isWithheld ? searchEntries(context, range) : findOtherEntries(context, range)
}

async function searchEntries(context: EntryContext, range: UncheckedRange): Promise<Entries | undefined> {
  let found: Entries | undefined
  let readable = range.known
  let unreadable = range.width
  while (unreadable - readable > 1) {
    const width = Math.floor((readable + unreadable) / 2)
    const { entries } = await findEntries(context, { ...range, width })
    found = entries ?? found
    if (entries) readable = width
    else unreadable = width
  }
  return found
}

/** Checks entries in their order. Returns false at one of an unknown version, which is not passed. */
async function checkEntries(context: EntryContext, entries: readonly Uint8Array[]): Promise<boolean> {
  const { state, followed, report, onChecked, isOver } = context
  for (const bytes of entries) {
    if (isOver()) return true
    const index = state.checked
    const { entry, findings, isUnknown } = readEntry(decodeLine(bytes), index)
    for (const finding of findings) report(finding)
    if (isUnknown) return false
    if (entry) {
      for (const finding of await checkEntry(state, entry, index)) report(finding)
      recordEntry(state, { entry, index }, { followed })
    }
    state.checked = index + 1
    onChecked(entry, index)
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

/** Reads an old tile and its bundle again. Throws `WrongTileError`, `MissingTileError` or `LogFaultError` if they changed. */
export async function auditTile(context: Pick<EntryContext, 'source' | 'tree' | 'state'>): Promise<void> {
  const { state, tree } = context
  const full = Math.floor(state.checked / tileWidth)
  if (full === 0) return
  const index = state.audited % full
  // Also after a fault: the others are read too.
  state.audited = index + 1
  await tree.readTile({ level: 0, index, fresh: true })
  const { entries } = await findEntries(context, { index, width: tileWidth })
  if (entries) return
  const path = formatTilePath({ level: 'entries', index, width: tileWidth })
  throw new LogFaultError({
    kind: 'bundle_wrong',
    subject: path,
    message: `The bundle ${path} is not served any more. The entries of a log stay public for ever.`,
  })
}
