import type { Note } from '@tallystick/client'
import type { Hex } from 'viem'

// A response with many chains is far smaller. Larger input would freeze the page.
const charactersMax = 1_000_000
const notesMax = 200

/**
 * Parses pasted text: a note, a list of notes, or a response of `GET /notes`. Throws a `PasteError` that names the note
 * and the member at fault.
 */
export function parsePastedNotes(text: string): readonly Note[] {
  if (text.trim() === '') throw new PasteError('The field is empty. Paste a note.')
  if (text.length > charactersMax) throw new PasteError('The text is too long to be a response of /notes.')
  const value = parseJson(text)
  const list = listOf(value)
  if (list.length === 0) throw new PasteError('The response contains no notes.')
  if (list.length > notesMax) throw new PasteError(`The text contains ${list.length} notes. The limit is ${notesMax}.`)
  return list.map((item, index) => parseNote(item, list.length === 1 ? 'The note' : `Note ${index + 1}`))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new PasteError('The text is not JSON. Paste a note as /notes returns it, from { to }.')
  }
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  const { data } = asRecord(value, 'The text')
  return Array.isArray(data) ? data : [value]
}

function parseNote(value: unknown, name: string): Note {
  const note = asRecord(value, name)
  const integer = (member: string, digitsMax: number) => {
    const text = note[member]
    if (typeof text === 'string' && /^\d+$/.test(text) && text.length <= digitsMax) return BigInt(text)
    throw new PasteError(
      `${name}: "${member}" must be an integer in quotes${text === undefined ? ', but is missing' : ''}.`,
    )
  }
  const signature = asRecord(note['signature'], `${name}: "signature"`)
  const part = (member: 'r' | 's') => {
    const text = signature[member]
    if (typeof text === 'string' && /^0x[0-9a-f]{64}$/i.test(text)) return text.toLowerCase() as Hex
    throw new PasteError(`${name}: "signature.${member}" must be 0x followed by 64 hex digits.`)
  }
  const { v } = signature
  if (v !== 27 && v !== 28) throw new PasteError(`${name}: "signature.v" must be 27 or 28.`)
  return {
    chainId: Number(integer('chainid', 15)),
    maturityTimestamp: integer('maturity_timestamp', 20),
    coupon: integer('coupon', 70),
    startedAt: integer('note_started_at', 20),
    validAfter: integer('signature_valid_after', 20),
    validBefore: integer('signature_valid_before', 20),
    signature: { r: part('r'), s: part('s'), v },
  }
}

function asRecord(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>
  throw new PasteError(`${name} must be an object, from { to }.`)
}

/** Error in pasted text. The page shows its message. */
export class PasteError extends Error {
  override readonly name = 'PasteError' as const
}
