import { findJson } from '@tallystick/chain'
import {
  type CurveEntry,
  formatPeriod,
  type LogEntry,
  type NotesEntry,
  parseLogEntry,
  periodAt,
  type SignerEntry,
} from '@tallystick/core'
import type { MonitorFinding } from '../finding.ts'
import { type ChainState, chainOf, type LoggedSet, type MonitorState } from '../monitor-state.ts'
import { checkNotes, digestNotes, type EntryFault, isSame } from './check-notes.ts'
import { addCurve, keptSeconds, pruneCurves } from './curve-records.ts'
import { addPeriod, findPeriodFrom, periodNumber } from './periods.ts'

/** An entry of the log and what is wrong with it. Without `entry` it cannot be read. */
export type CheckedEntry = {
  readonly entry?: LogEntry | undefined
  readonly findings: readonly MonitorFinding[]
  /** Whether the entry is of a newer version. Nothing after it can be judged. */
  readonly isUnknown?: boolean | undefined
}

const knownTypes = ['curve', 'notes', 'signer']

/** Parses an entry. An entry of an unknown version or type is no fault of the log, but of the monitor's age. */
export function readEntry(line: string, index: number): CheckedEntry {
  const { entry, problem } = parseLogEntry(line)
  if (entry) return { entry, findings: [] }
  const head = parseHead(line)
  const isUnknown = head !== undefined && (head.v !== 1 || !knownTypes.includes(String(head.type)))
  if (!isUnknown)
    return { findings: [findingOf({ kind: 'entry_malformed', message: problem }, `Entry ${index}`, index)] }
  const message =
    `Entry ${index} has version ${quoteShort(head.v)} and type ${quoteShort(head.type)}, which this monitor does not know. ` +
    'Neither it nor the entries after it are checked. Update the monitor.'
  return { isUnknown, findings: [{ kind: 'entry_unknown', subject: `entry ${index}`, severity: 'warn', message }] }
}

/** Checks an entry against the entries before it. */
export async function checkEntry(
  state: MonitorState,
  entry: LogEntry,
  index: number,
): Promise<readonly MonitorFinding[]> {
  const faults = await findFaults(state, entry, index)
  return faults.map((fault) => findingOf(fault, describeEntry(entry, index), index))
}

async function findFaults(state: MonitorState, entry: LogEntry, index: number): Promise<readonly EntryFault[]> {
  if (entry.type === 'curve') return findCurveFaults(entry)
  const chain = state.chains[entry.chainid]
  return entry.type === 'signer'
    ? findSignerFaults(entry, chain)
    : checkNotes(entry, { index, chain, curves: state.curves })
}

function findCurveFaults({ effectiveFrom }: CurveEntry): readonly EntryFault[] {
  if (findPeriodFrom(BigInt(effectiveFrom))) return []
  return [{ kind: 'wrong_period', message: `it is in force from ${effectiveFrom} on, which is not a boundary` }]
}

function findSignerFaults({ from }: SignerEntry, chain: ChainState | undefined): readonly EntryFault[] {
  const before = chain?.signer ?? null
  if (before === null ? from === null : from !== null && isSame(before, from)) return []
  const message = `it replaces the signer ${from ?? 'none'}, but the signer before it was ${before ?? 'none'}`
  return [{ kind: 'wrong_signer', message }]
}

type RecordedEntry = {
  readonly entry: LogEntry
  readonly index: number
  /** Chains whose lends are checked: only their sets are kept. */
  readonly followed: ReadonlySet<string>
}

/** Adds what an entry says to the state, right or wrong: later entries are compared with it. */
export function recordEntry(state: MonitorState, { entry, index, followed }: RecordedEntry): void {
  if (entry.type === 'curve') {
    state.curves = addCurve(state.curves, index, entry)
    return
  }
  if (entry.type === 'signer') {
    chainOf(state, entry.chainid).signer = entry.to
    return
  }
  const start = BigInt(entry.period.start)
  if (!findPeriodFrom(start)) return
  recordSet(chainOf(state, entry.chainid), { entry, index, isKept: followed.has(entry.chainid) })
  state.curves = pruneCurves(state.curves, start)
}

function recordSet(
  chain: ChainState,
  { entry, index, isKept }: { readonly entry: NotesEntry; readonly index: number; readonly isKept: boolean },
): void {
  const { pool, domain, period } = entry
  const { name, version } = domain
  const start = BigInt(period.start)
  chain.seen = addPeriod(chain.seen, periodNumber(periodAt(start)))
  chain.firstSets[start.toString()] ??= { index, digest: digestNotes(entry) }
  for (const known of Object.keys(chain.firstSets))
    if (BigInt(known) <= start - keptSeconds) delete chain.firstSets[known]
  if (chain.firstPeriod === null || start < BigInt(chain.firstPeriod)) chain.firstPeriod = start.toString()
  const isPool = (known: ChainState['pools'][number]) =>
    isSame(known.address, pool) && known.name === name && known.version === version
  chain.pools = [...chain.pools.filter((known) => !isPool(known)), { address: pool, name, version }]
  if (isKept) chain.sets[start.toString()] = [...(chain.sets[start.toString()] ?? []), toLoggedSet(entry, index)]
}

/** Returns what lends are compared with. */
export function toLoggedSet({ pool, notes }: NotesEntry, index: number): LoggedSet {
  const coupons = notes.map(({ maturity_timestamp, coupon }) => [
    BigInt(maturity_timestamp).toString(),
    BigInt(coupon).toString(),
  ])
  return { index, pool, coupons: Object.fromEntries(coupons) }
}

function describeEntry(entry: LogEntry, index: number): string {
  if (entry.type === 'curve')
    return `Entry ${index}, a curve of ${entry.chainid ? `chain ${entry.chainid}` : 'all chains'}`
  if (entry.type === 'signer') return `Entry ${index}, a signer of chain ${entry.chainid}`
  const period = findPeriodFrom(BigInt(entry.period.start))
  return `Entry ${index}, the set of chain ${entry.chainid} for ${period ? formatPeriod(period) : `a period from ${entry.period.start} on`}`
}

function findingOf({ kind, message }: EntryFault, where: string, index: number): MonitorFinding {
  return { kind, subject: `entry ${index}`, severity: 'fail', message: `${where}: ${message}.`, evidence: { index } }
}

function parseHead(line: string): { readonly v?: unknown; readonly type?: unknown } | undefined {
  const value = findJson(line)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
}

function quoteShort(value: unknown): string {
  return (JSON.stringify(value) ?? 'none').slice(0, 20)
}
