import { z } from 'zod'
import { parseJson } from '../json/parse-json.ts'
import { signingDomainSchema } from './chains-response.ts'
import { curveProvenanceSchema } from './curve-provenance.ts'
import { bpsForm, chainIdForm } from './fields.ts'
import { wireNoteSchema } from './notes-response.ts'

const version = z.literal(1)
/** 16 random bytes. They keep the content of a withheld entry secret, although its hash is public. */
const salt = z.string().regex(/^[0-9a-f]{32}$/, 'must be 32 hex digits')
const seconds = z.string().regex(/^(0|[1-9]\d{0,15})$/, 'must be Unix seconds')
const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address')
const index = z.int().min(0)

/** A curve, from the boundary on from which it is in force. */
const curveEntrySchema = z.strictObject({
  v: version,
  type: z.literal('curve'),
  salt,
  /** Null means every chain. */
  chainid: chainIdForm.nullable(),
  effectiveFrom: seconds,
  /** Coupons in basis points by tenor in days. */
  points: z.record(z.string().regex(/^[1-9]\d{0,4}$/), bpsForm),
  source: z.enum(['manual', 'treasury']),
  /** Who set the curve. */
  setBy: z.string().max(1_000),
  /** Whether the operator accepted moves beyond the rails. */
  confirmed: z.boolean(),
  createdAt: seconds,
  /** Origin of the coupons; null if a person set them. */
  provenance: curveProvenanceSchema.nullable(),
})

/** All notes of one chain and period, as `/notes` serves them. */
const notesEntrySchema = z.strictObject({
  v: version,
  type: z.literal('notes'),
  salt,
  chainid: chainIdForm,
  pool: address,
  domain: signingDomainSchema,
  period: z.strictObject({ start: seconds, end: seconds, noteDay: seconds }),
  signer: address,
  /** Index of the entry of the curve that the coupons are from. */
  curve: index,
  issuedAt: seconds,
  notes: z.array(wireNoteSchema).min(1),
})

/** The signer of a chain, from this entry on. */
const signerEntrySchema = z.strictObject({
  v: version,
  type: z.literal('signer'),
  salt,
  chainid: chainIdForm,
  /** The signer before; null at the chain's first entry. */
  from: address.nullable(),
  to: address,
  why: z.string().min(1).max(500),
  at: seconds,
})

/** Schema of an entry of the public log. */
const logEntrySchema = z.discriminatedUnion('type', [curveEntrySchema, notesEntrySchema, signerEntrySchema])

export type CurveEntry = z.infer<typeof curveEntrySchema>
export type NotesEntry = z.infer<typeof notesEntrySchema>
export type SignerEntry = z.infer<typeof signerEntrySchema>
export type LogEntry = z.infer<typeof logEntrySchema>

/** Returns the line of an entry, whose UTF-8 bytes are hashed. */
export function formatLogEntry(entry: LogEntry): string {
  return JSON.stringify(entry)
}

/** Parses the line of an entry. Returns what is wrong with it if it is not an entry of a known version. */
export function parseLogEntry(
  line: string,
):
  | { readonly entry: LogEntry; readonly problem?: undefined }
  | { readonly entry?: undefined; readonly problem: string } {
  let value: unknown
  try {
    value = parseJson(line)
  } catch {
    return { problem: 'it is not JSON' }
  }
  if (/[\r\n]/.test(line)) return { problem: 'it is more than one line' }
  const result = logEntrySchema.safeParse(value)
  if (result.success) return { entry: result.data }
  const [issue] = result.error.issues
  return { problem: `${issue?.path.join('.') || 'the entry'}: ${issue?.message}` }
}

/** Returns from when on the bytes of an entry are public, Unix seconds. Undefined means at once. */
export function publicFrom(entry: LogEntry): bigint | undefined {
  if (entry.type === 'notes') return BigInt(entry.period.start)
  return entry.type === 'curve' ? BigInt(entry.effectiveFrom) : undefined
}
