import type { Note } from '@tallystick/core'
import {
  decodeUtf8,
  encodeUtf8,
  findEntries,
  findOtherEntries,
  type LogSource,
  parseVerifierKey,
  type ReadableLog,
  tileWidth,
  type VerifierKey,
} from '@tallystick/tlog'
import { decodeCount, decodeMember, decodeString, type Place } from '../decode/decode.ts'
import { createEnvironment, type Environment, type FetchFunction } from '../environment.ts'
import { InvalidRequestError } from '../errors.ts'
import { type Connection, parseTimeout, parseUrl } from '../http/connection.ts'
import { parseAnswer } from '../http/request-json.ts'
import { withDeadline } from '../http/with-deadline.ts'
import { incomplete, invalid, NotLoggedError, throwLogError } from './log-error.ts'
import { type ClientLogSource, createLogSource } from './log-source.ts'
import { checkEntry, groupNotes, type NotesOfPeriod } from './notes-of-period.ts'
import { type LogStorage, readCheckpoint, type SignedCheckpoint } from './read-checkpoint.ts'

/** Options of `verifyLogged`. */
export type VerifyLoggedOptions = {
  /** URL of the log, such as `https://notes.example/log`, or of a static copy of it. */
  readonly log: string
  /** Verifier key of the log in its text form. Get it once, not from the service each time, and keep it in your configuration. */
  readonly key: string
  /** Keeps the last checkpoint. Without it, a log that shows you two histories is not detected. */
  readonly storage?: LogStorage | undefined
  /** Replaces the global `fetch`. Full tiles never change: it may cache them. */
  readonly fetch?: FetchFunction | undefined
  readonly signal?: AbortSignal | undefined
  /** Timeout of the whole verification; 60 by default, at most 2147483. */
  readonly timeoutSeconds?: number | undefined
}

/** Place of the notes of one chain and period in the public log. */
export type LoggedNotes = {
  readonly chainId: number
  /** Unix seconds. The end is excluded. */
  readonly period: { readonly start: bigint; readonly end: bigint }
  /** Index of the entry. */
  readonly index: number
  /** Entries of the log when it was verified. */
  readonly size: number
  readonly origin: string
  /** When the notes were signed, Unix seconds. */
  readonly issuedAt: bigint
}

/**
 * Verifies that notes are in the public log, so that everyone can see them: that the log's key signed its checkpoint, that
 * the log contains the notes unchanged, and that it continues the checkpoint of `storage`. It trusts nothing but `key`.
 * Returns one result per chain and period. Throws `NotLoggedError`, `LogError` or the error of a request.
 *
 * @example
 * const { notes } = await client.notes({ chainId: 324 })
 * const checkpoints = new Map<string, string>()
 * const storage = { get: (origin: string) => checkpoints.get(origin), set: (origin: string, checkpoint: string) => void checkpoints.set(origin, checkpoint) }
 * const [logged] = await verifyLogged(notes, { log, key, storage })
 * console.log(`logged as entry ${logged?.index} at ${logged?.issuedAt}`)
 * checkpoints.size // => 1
 */
export function verifyLogged(notes: readonly Note[], options: VerifyLoggedOptions): Promise<readonly LoggedNotes[]> {
  return verifyLoggedIn(createEnvironment(options.fetch), { ...options, notes })
}

/** Verifies with the given `Environment`. */
export async function verifyLoggedIn(
  environment: Environment,
  options: Omit<VerifyLoggedOptions, 'fetch'> & { readonly notes: readonly Note[] },
): Promise<readonly LoggedNotes[]> {
  const { storage, signal } = options
  const timeoutMs = parseTimeout(options.timeoutSeconds ?? 60)
  const sets = groupNotes(options.notes)
  const key = parseKey(options.key)
  const baseUrl = parseUrl(options.log, 'log')
  const run = (ended: AbortSignal) => {
    const connection: Connection = {
      environment,
      baseUrl,
      urlOption: 'log',
      apiKey: undefined,
      signal: ended,
      timeoutMs: requestTimeoutMs,
      retries: retriesMax,
    }
    return verifySets(createLogSource(connection), { sets, key, storage }).catch(throwLogError)
  }
  const signals = signal ? [signal] : []
  return withDeadline(environment.clock, { timeoutMs, signals, run })
}

const requestTimeoutMs = 15_000
const retriesMax = 2

function parseKey(text: string): VerifierKey {
  const key = parseVerifierKey(text)
  if (key) return key
  const message =
    'key is not a verifier key, or it was copied incompletely. It has the form <origin>+<8 hex digits>+<base64>.'
  throw new InvalidRequestError({ code: 'invalid_request', message })
}

type Verification = {
  readonly sets: readonly NotesOfPeriod[]
  readonly key: VerifierKey
  readonly storage: LogStorage | undefined
}

async function verifySets(
  source: ClientLogSource,
  { sets, key, storage }: Verification,
): Promise<readonly LoggedNotes[]> {
  // Before the checkpoint, so that it includes the entries.
  const claims = await Promise.all(sets.map((set) => askForEntry(source, set)))
  const checkpoint = await readCheckpoint(source, { key, storage })
  return Promise.all(
    sets.map(async (notes, at) => {
      const found = claims[at] ?? (await searchEntry({ source, tree: checkpoint.tree }, notes))
      if (!found) throw notLogged(notes, checkpoint)
      await checkInclusion(found, checkpoint)
      const issuedAt = checkEntry(notes, found)
      const { chainId, start, end } = notes
      const { origin, size } = checkpoint
      return { chainId, period: { start, end }, index: found.index, size, origin, issuedAt }
    }),
  )
}

/** Verifies by tiles that a checkpoint includes an entry. */
async function checkInclusion({ index, entry }: FoundEntry, { size, origin, tree }: SignedCheckpoint): Promise<void> {
  if (index >= size)
    throw incomplete(`The checkpoint of ${origin} has ${size} entries and does not include entry ${index} yet.`)
  if (await tree.includes(entry, index)) return
  throw invalid(`The checkpoint of ${origin} does not include entry ${index} as the log shows it.`)
}

function notLogged({ chainId, start }: NotesOfPeriod, { origin, size }: SignedCheckpoint): NotLoggedError {
  const message = `The log ${origin} of ${size} entries has no notes of chain ${chainId} for the period from ${start}. Do not use the notes. If this is a copy of the log, it may be outdated: try again later.`
  return new NotLoggedError({ code: 'not_logged', message, retryable: true })
}

/** An entry and its index, as the log claims them. */
type FoundEntry = { readonly index: number; readonly entry: Uint8Array }

// Two periods a day on three chains, with a curve a day, fill a bundle in five weeks.
const bundlesMax = 8
// Entries of the next period are withheld at the end of the log: about one for each chain, and their curves.
const withheldMax = 32
// An entry as JSON text, where a character may be escaped, and up to 64 hashes.
const proofBytesMax = 1024 * 1024

/** Asks the log for the entry of notes. Returns undefined if it does not know, or if it is a static copy without proofs. */
async function askForEntry(source: LogSource, { chainId, start }: NotesOfPeriod): Promise<FoundEntry | undefined> {
  const { bytes } = await source.read(`proof?chainid=${chainId}&period=${start}`, proofBytesMax)
  if (!bytes) return undefined
  const body: Place = { value: parseAnswer(decodeUtf8(bytes), 'GET /log/proof'), path: 'GET /log/proof: body' }
  const index = decodeCount(decodeMember(body, 'index'))
  return { index, entry: encodeUtf8(decodeString(decodeMember(body, 'entry'))) }
}

/** Searches the last bundles for the entry of notes. */
async function searchEntry(log: ReadableLog, notes: NotesOfPeriod): Promise<FoundEntry | undefined> {
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
