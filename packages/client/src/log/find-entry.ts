import {
  decodeUtf8,
  encodeUtf8,
  findEntries,
  findOtherEntries,
  type LogSource,
  type ReadableLog,
  tileWidth,
} from '@tallystick/tlog'
import { decodeCount, decodeMember, decodeString, type Place } from '../decode/decode.ts'
import { MalformedAnswerError } from '../errors.ts'
import type { NotesOfPeriod } from './notes-of-period.ts'

/** An entry and its index, as the log claims them. */
export type FoundEntry = { readonly index: number; readonly entry: Uint8Array }

// Two periods a day on three chains, with a curve a day, fill a bundle in five weeks.
const bundlesMax = 8
// Entries of the next period are withheld at the end of the log: about one for each chain, and their curves.
const withheldMax = 32
// An entry as JSON text, where a character may be escaped, and up to 64 hashes.
const proofBytesMax = 1024 * 1024

/** Asks the log for the entry of notes. Returns undefined if it does not know, or if it is a static copy without proofs. */
export async function askForEntry(
  source: LogSource,
  { chainId, start }: NotesOfPeriod,
): Promise<FoundEntry | undefined> {
  const { bytes } = await source.read(`proof?chainid=${chainId}&period=${start}`, proofBytesMax)
  if (!bytes) return undefined
  const body: Place = { value: parseJson(decodeUtf8(bytes)), path: 'GET /log/proof: body' }
  const index = decodeCount(decodeMember(body, 'index'))
  return { index, entry: encodeUtf8(decodeString(decodeMember(body, 'entry'))) }
}

/** Searches the last bundles for the entry of notes. */
export async function searchEntry(log: ReadableLog, notes: NotesOfPeriod): Promise<FoundEntry | undefined> {
  const { size } = log.tree
  const last = Math.ceil(size / tileWidth) - 1
  for (let bundle = last; bundle >= 0 && bundle > last - bundlesMax; bundle--) {
    const first = bundle * tileWidth
    const width = Math.min(tileWidth, size - first)
    const known = Math.max(0, width - withheldMax - 1)
    const range = { index: bundle, width, known }
    const entries = (await findEntries(log, range)).entries ?? (await findOtherEntries(log, range)) ?? []
    const at = entries.findLastIndex((entry) => isEntryOf(entry, notes))
    const entry = entries[at]
    if (entry) return { index: first + at, entry }
  }
  return undefined
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
