import { z } from 'zod'
import type { Note } from '../note/note.ts'
import { bpsField, chainIdField, createField, field, secondsField, textField } from './fields.ts'

const wordForm = z.string().regex(/^0x[0-9a-f]{64}$/, 'must be 0x and 64 lower-case hex digits')
const wordField = createField(wordForm, '32 bytes, hex')

/** Signature of a note, split as the pool's contract expects it (SPEC.md §2.3). */
export const wireSignatureSchema = z.strictObject({
  r: wordField('First half of the signature.', '0x004908135b245100403903881c2c246acd709043efb50c6d4d0e637cf20fb0eb'),
  s: wordField(
    'Second half of the signature, in its low form.',
    '0x42738a44d1a31dd5698b82656d0a54f3d1caa6c37b0f004f5607d4a702962fc9',
  ),
  v: field(z.literal([27, 28]), {
    description: 'Selects one of the two possible public keys.',
    unit: 'recovery id + 27',
    example: 28,
  }),
})

/** Note in the response of `GET /notes` (SPEC.md §2.2). */
export const wireNoteSchema = z.strictObject({
  maturity_timestamp: secondsField('When the note matures: 00:00 New York.', '1739314800'),
  coupon: bpsField('Fixed income of the note.', '401'),
  note_started_at: secondsField('00:00 New York of the note’s day.', '1737522000'),
  signature_valid_after: secondsField('The chain accepts the note only after this second.', '1737521999'),
  signature_valid_before: secondsField(
    'The chain accepts the note only before this second. Fetch new notes from then on.',
    '1737586800',
  ),
  signature: wireSignatureSchema.meta({ description: 'Signature of the note, for the pool of its chain.' }),
  chainid: chainIdField('Chain the note is signed for.', '324'),
})
/** Note in the response of `GET /notes`. */
export type WireNote = z.infer<typeof wireNoteSchema>

/** Response body of `GET /notes` (SPEC.md §2.1). */
export const notesResponseSchema = z.strictObject({
  message: textField('Day and period of the notes.', 'Treasury notes of 2026-11-14, 18:00 to 24:00 New York.'),
  data: z.array(wireNoteSchema).meta({ description: 'The notes, sorted by chain, then maturity.' }),
  availableMaturities: field(z.array(z.int().positive()).optional(), {
    description: 'Tenors on offer, ascending, regardless of `maturity`.',
    unit: 'days',
    example: [7, 14, 30, 60, 90, 180, 360],
  }),
})
/** Response body of `GET /notes`. */
export type NotesResponse = z.infer<typeof notesResponseSchema>

/**
 * Encodes a note for the response: every integer as a decimal string (SPEC.md §2.2).
 *
 * @example
 * encodeNote(note).coupon // '401'
 */
export function encodeNote(note: Note): WireNote {
  return {
    maturity_timestamp: note.maturityTimestamp.toString(),
    coupon: note.coupon.toString(),
    note_started_at: note.startedAt.toString(),
    signature_valid_after: note.validAfter.toString(),
    signature_valid_before: note.validBefore.toString(),
    signature: { r: note.signature.r, s: note.signature.s, v: note.signature.v },
    chainid: note.chainId.toString(),
  }
}

/**
 * Decodes a note of a response. Throws a `ZodError` if it is malformed.
 *
 * @example
 * decodeNote(body.data[0]).maturityTimestamp // 1739314800n
 */
export function decodeNote(wire: unknown): Note {
  const note = wireNoteSchema.parse(wire)
  return {
    chainId: Number(note.chainid),
    maturityTimestamp: BigInt(note.maturity_timestamp),
    coupon: BigInt(note.coupon),
    startedAt: BigInt(note.note_started_at),
    validAfter: BigInt(note.signature_valid_after),
    validBefore: BigInt(note.signature_valid_before),
    signature: note.signature as Note['signature'],
  }
}
