import type { Note } from '@tallystick/core'
import { decodeUtf8 } from '@tallystick/tlog'
import { decodeDecimal, decodeList, decodeMember, decodeString, type Place, refuse } from '../decode/decode.ts'
import { InvalidRequestError } from '../errors.ts'
import { NotLoggedError } from './log-error.ts'

/** Notes of one chain and period. They are in one entry of the log. */
export type NotesOfPeriod = {
  readonly chainId: number
  /** First second of the period, Unix seconds. */
  readonly start: bigint
  readonly end: bigint
  readonly notes: readonly Note[]
}

// Chains of a service, and both periods of a few days.
const setsMax = 32

/** Groups notes by chain and period, in the order of the first note of each. */
export function groupNotes(notes: readonly Note[]): readonly NotesOfPeriod[] {
  const sets = new Map<string, NotesOfPeriod>()
  for (const note of notes) {
    const { chainId, validAfter, validBefore } = note
    const name = `${chainId} ${validAfter} ${validBefore}`
    const { notes: before } = sets.get(name) ?? { notes: [] }
    sets.set(name, { chainId, start: validAfter + 1n, end: validBefore, notes: [...before, note] })
  }
  if (sets.size >= 1 && sets.size <= setsMax) return [...sets.values()]
  const message = `notes must be of 1 to ${setsMax} chains and periods, not of ${sets.size}. Verify fewer at once.`
  throw new InvalidRequestError({ code: 'invalid_request', message })
}

/** Checks that an entry is the one of these notes and contains all of them unchanged. Returns when they were issued. */
export function checkEntry(
  set: NotesOfPeriod,
  { index, entry }: { readonly index: number; readonly entry: Uint8Array },
): bigint {
  const place: Place = { value: parseEntry(entry), path: `log entry ${index}` }
  const version = decodeMember(place, 'v')
  if (version.value !== 1) refuse(version, 'version 1')
  const type = decodeString(decodeMember(place, 'type'))
  const period = decodeMember(place, 'period')
  const isOfSet =
    type === 'notes' &&
    decodeString(decodeMember(place, 'chainid')) === String(set.chainId) &&
    decodeString(decodeMember(period, 'start')) === String(set.start) &&
    decodeString(decodeMember(period, 'end')) === String(set.end)
  const logged = isOfSet ? decodeList(decodeMember(place, 'notes'), ({ value }) => value) : []
  const missing = set.notes.find((note) => !logged.some((other) => isSameNote(note, other)))
  if (!missing) return decodeDecimal(decodeMember(place, 'issuedAt'))
  throw otherNotes(missing, { index, line: decodeUtf8(entry) })
}

function parseEntry(entry: Uint8Array): unknown {
  try {
    return JSON.parse(decodeUtf8(entry))
  } catch {
    return undefined
  }
}

/** Compares all members of a note with those that are logged, as text. */
function isSameNote({ signature, ...note }: Note, logged: unknown): boolean {
  const other = (logged ?? {}) as Readonly<Record<string, unknown>>
  const otherSignature = (other['signature'] ?? {}) as Readonly<Record<string, unknown>>
  const members = [
    [other['chainid'], String(note.chainId)],
    [other['maturity_timestamp'], String(note.maturityTimestamp)],
    [other['coupon'], String(note.coupon)],
    [other['note_started_at'], String(note.startedAt)],
    [other['signature_valid_after'], String(note.validAfter)],
    [other['signature_valid_before'], String(note.validBefore)],
    [otherSignature['r'], signature.r],
    [otherSignature['s'], signature.s],
    [otherSignature['v'], signature.v],
  ]
  return members.every(([found, expected]) => found === expected)
}

function otherNotes(
  { chainId, maturityTimestamp, validAfter }: Note,
  { index, line }: { readonly index: number; readonly line: string },
): NotLoggedError {
  const message = `The note of chain ${chainId} that matures at ${maturityTimestamp} is not logged: entry ${index}, for its period from ${validAfter + 1n}, does not contain it. Do not use it, and report it to the operator.`
  return new NotLoggedError({ code: 'not_logged', message, retryable: false, details: { index, entry: line } })
}
