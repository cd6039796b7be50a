import { z } from 'zod'
import type { Note } from '../note/note.ts'

const timestamp = z.string().regex(/^\d{1,20}$/, 'must be Unix seconds as a decimal string')
const word = z.string().regex(/^0x[0-9a-f]{64}$/, 'must be 0x and 64 lower-case hex digits')

/** A note as `GET /notes` sends it (SPEC.md §2.2). */
export const wireNoteSchema = z.strictObject({
  maturity_timestamp: timestamp.meta({ description: 'Maturity, Unix seconds.', example: '1739314800' }),
  coupon: z
    .string()
    .regex(/^\d{1,78}$/, 'must be basis points as a decimal string')
    .meta({ description: 'Coupon, basis points per 360-day year.', example: '401' }),
  note_started_at: timestamp.meta({ description: '00:00 New York of the note’s day, Unix seconds.' }),
  signature_valid_after: timestamp.meta({ description: 'The chain takes the note only after this second.' }),
  signature_valid_before: timestamp.meta({ description: 'The chain takes the note only before this second.' }),
  signature: z.strictObject({ r: word, s: word, v: z.union([z.literal(27), z.literal(28)]) }),
  chainid: z
    .string()
    .regex(/^[1-9]\d{0,15}$/, 'must be a chain id as a decimal string')
    .meta({ description: 'Chain the note is signed for.', example: '324' }),
})
export type WireNote = z.infer<typeof wireNoteSchema>

/** The body of `GET /notes` (SPEC.md §2.1). */
export const notesResponseSchema = z.strictObject({
  message: z.string().meta({ description: 'Message from the API.' }),
  data: z.array(wireNoteSchema).meta({ description: 'Notes, sorted by chain, then maturity.' }),
  availableMaturities: z
    .array(z.int().positive())
    .optional()
    .meta({ description: 'Tenors on offer, in days, ascending, whatever `maturity` asked for.' }),
})
export type NotesResponse = z.infer<typeof notesResponseSchema>

/**
 * A note in its wire form: every integer as a decimal string, as SPEC.md §2.2 has it.
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
 * The note behind its wire form. Throws zod's error where the form is not that of a note.
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
