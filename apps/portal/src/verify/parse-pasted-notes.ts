import type { Note } from '@tallystick/client'
import type { Hex } from 'viem'

// A whole answer of many chains is far smaller; what is larger is a mistake, and would freeze the page.
const charactersMax = 1_000_000
const notesMax = 200

/**
 * The notes in a text somebody pasted: one note, a list of them, or the whole answer of `GET /notes`. Throws an error
 * that says what is wrong and where.
 */
export function parsePastedNotes(text: string): readonly Note[] {
  if (text.trim() === '') throw new PasteError('There is nothing here yet. Paste a note first.')
  if (text.length > charactersMax) throw new PasteError('This is too long to be an answer of /notes.')
  const value = parseJson(text)
  const list = listOf(value)
  if (list.length === 0) throw new PasteError('There is no note in this answer.')
  if (list.length > notesMax) throw new PasteError(`There are ${list.length} notes here. Paste ${notesMax} at most.`)
  return list.map((item, index) => parseNote(item, list.length === 1 ? 'The note' : `Note ${index + 1}`))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new PasteError('This is not JSON. Paste a note as /notes sends it, from { to }.')
  }
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  const { data } = asRecord(value, 'What you pasted')
  return Array.isArray(data) ? data : [value]
}

function parseNote(value: unknown, name: string): Note {
  const note = asRecord(value, name)
  const integer = (member: string, digitsMax: number) => {
    const text = note[member]
    if (typeof text === 'string' && /^\d+$/.test(text) && text.length <= digitsMax) return BigInt(text)
    throw new PasteError(
      `${name}: "${member}" must be a whole number in quotes${text === undefined ? ', but is missing' : ''}.`,
    )
  }
  const signature = asRecord(note['signature'], `${name}: "signature"`)
  const part = (member: 'r' | 's') => {
    const text = signature[member]
    if (typeof text === 'string' && /^0x[0-9a-f]{64}$/i.test(text)) return text.toLowerCase() as Hex
    throw new PasteError(`${name}: "signature.${member}" must be 0x and 64 hex digits.`)
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

/** What is wrong with a pasted text, for the person who pasted it. */
export class PasteError extends Error {
  override readonly name = 'PasteError' as const
}
