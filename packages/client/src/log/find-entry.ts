import { decodeUtf8, encodeUtf8 } from '@tallystick/tlog'
import { decodeCount, decodeMember, decodeString, type Place } from '../decode/decode.ts'
import { MalformedAnswerError } from '../errors.ts'
import type { LogReader } from './log-reader.ts'
import type { NotesOfPeriod } from './notes-of-period.ts'

/** An entry and its index, as the log claims them. */
export type FoundEntry = { readonly index: number; readonly entry: Uint8Array }

const bundleWidth = 256
// Two periods a day on three chains, with a curve a day, fill a bundle in five weeks.
const bundlesMax = 8
// Entries of the next period are withheld at the end of the log: about one for each chain, and their curves.
const withheldMax = 32

/** Asks the log for the entry of notes. Returns undefined if it does not know, or if it is a static copy without proofs. */
export async function askForEntry(
  reader: LogReader,
  { chainId, start }: NotesOfPeriod,
): Promise<FoundEntry | undefined> {
  const text = await reader.findProof(`chainid=${chainId}&period=${start}`)
  if (text === undefined) return undefined
  const body: Place = { value: parseJson(text), path: 'GET /log/proof: body' }
  const index = decodeCount(decodeMember(body, 'index'))
  return { index, entry: encodeUtf8(decodeString(decodeMember(body, 'entry'))) }
}

/** Searches the last bundles for the entry of notes. */
export async function searchEntry(
  reader: LogReader,
  { size, notes }: { readonly size: number; readonly notes: NotesOfPeriod },
): Promise<FoundEntry | undefined> {
  const last = Math.ceil(size / bundleWidth) - 1
  for (let bundle = last; bundle >= 0 && bundle > last - bundlesMax; bundle--) {
    const first = bundle * bundleWidth
    const entries = await readPublicEntries(reader, { index: bundle, width: Math.min(bundleWidth, size - first) })
    const at = entries.findLastIndex((entry) => isEntryOf(entry, notes))
    const entry = entries[at]
    if (entry) return { index: first + at, entry }
  }
  return undefined
}

/** Reads a bundle, without its last entries if they are withheld. */
async function readPublicEntries(
  reader: LogReader,
  { index, width }: { readonly index: number; readonly width: number },
): Promise<readonly Uint8Array[]> {
  for (let fewer = width; fewer > 0 && fewer >= width - withheldMax; fewer--) {
    const entries = await reader.findBundle({ index, width: fewer })
    if (entries) return entries
  }
  return []
}

function isEntryOf(entry: Uint8Array, { chainId, start }: NotesOfPeriod): boolean {
  try {
    const value = JSON.parse(decodeUtf8(entry))
    return value.type === 'notes' && value.chainid === String(chainId) && value.period.start === String(start)
  } catch {
    return false
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const message = 'GET /log/proof returned invalid or incomplete JSON. Check for a proxy in between.'
    throw new MalformedAnswerError({ code: 'malformed_answer', message, retryable: true })
  }
}
