import { type LogEntry, type NotesEntry, type Period, parseJson, periodAt } from '@tallystick/core'
import { encodeUtf8, type VerifiedTree } from '@tallystick/tlog'
import { z } from 'zod'
import { checkEntry, readEntry, toLoggedSet } from '../entries/check-entry.ts'
import { hasPeriod, periodNumber } from '../entries/periods.ts'
import { type FindingKind, LogFaultError } from '../finding.ts'
import type { MonitorContext } from '../monitor-context.ts'

/** A chain, and an instant of the period whose set is wanted. */
export type WantedSet = { readonly chainId: string; readonly atSeconds: bigint }

const proofBytesMax = 1_048_576
const proofSchema = z.object({ index: z.int().min(0), entry: z.string() })
// The others need the entries in front of it, and are checked with those.
const ownKinds: readonly FindingKind[] = ['wrong_period', 'wrong_terms', 'wrong_domain', 'wrong_signature']

/**
 * Reads sets that stand behind withheld entries, by `/log/proof`, and verifies that the tree has them. A copy of a log in files
 * has no such path, and its sets are read later.
 */
export async function readCurrentSets(
  context: MonitorContext,
  { tree, wanted }: { readonly tree: VerifiedTree; readonly wanted: readonly WantedSet[] },
): Promise<void> {
  const { state, early } = context
  if (state.checked >= tree.size) return early.clear()
  for (const { chainId, atSeconds } of wanted) {
    const period = periodAt(atSeconds)
    const name = nameSet(chainId, period)
    if (hasPeriod(state.chains[chainId]?.seen ?? [], periodNumber(period)) || early.get(name)) continue
    early.delete(name)
    await readSet(context, { tree, chainId, period })
  }
}

export function nameSet(chainId: string, { start }: Pick<Period, 'start'>): string {
  return `${chainId}:${start}`
}

async function readSet(
  { source, state, early, report }: MonitorContext,
  { tree, chainId, period }: { readonly tree: VerifiedTree; readonly chainId: string; readonly period: Period },
): Promise<void> {
  const path = `proof?chainid=${chainId}&period=${period.start}`
  const { bytes, code } = await source.read(path, proofBytesMax)
  // Only the service itself knows that there is no set. A web server just does not have the file.
  if (!bytes && (code === 'not_found' || code === 'invalid_chainid')) early.set(nameSet(chainId, period), null)
  if (!bytes) return
  const { index, entry: line } = parseProof(bytes, path)
  // The log grew meanwhile. The next round has its tree.
  if (index >= tree.size) return
  if (!(await tree.includes(encodeUtf8(line), index))) throw wrongProof(path, index)
  const { entry } = readEntry(line, index)
  if (!isSetOf(entry, chainId, period)) return
  const findings = await checkEntry(state, entry, index)
  for (const finding of findings.filter(({ kind }) => ownKinds.includes(kind))) report(finding)
  early.set(nameSet(chainId, period), toLoggedSet(entry, index))
}

function isSetOf(entry: LogEntry | undefined, chainId: string, period: Period): entry is NotesEntry {
  return entry?.type === 'notes' && entry.chainid === chainId && BigInt(entry.period.start) === period.start
}

function parseProof(bytes: Uint8Array, path: string): z.infer<typeof proofSchema> {
  try {
    return proofSchema.parse(parseJson(Buffer.from(bytes).toString()))
  } catch {
    throw new LogFaultError({ kind: 'bundle_wrong', subject: path, message: `${path} has no entry and index.` })
  }
}

function wrongProof(path: string, index: number): LogFaultError {
  const message = `${path} has another entry ${index} than the tree. The log shows one set and has committed to another.`
  return new LogFaultError({ kind: 'bundle_wrong', subject: path, message })
}
