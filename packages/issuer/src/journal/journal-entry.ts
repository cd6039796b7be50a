import { decodeChecksumLine, encodeChecksumLine } from '@tallystick/base'
import { type CurveProvenance, hashNote, type NoteDomain } from '@tallystick/core'
import { type Hex, isAddress } from 'viem'
import { z } from 'zod'
import type { Curve } from '../curve/curve.ts'
import type { NoteSet } from '../note-set.ts'

/** A signed set and its curve, complete enough to restore both in the database. */
export type JournalEntry = {
  readonly domain: NoteDomain
  readonly set: Omit<NoteSet, 'curveId'>
  /** EIP-712 digests, in the order of the notes. */
  readonly digests: readonly Hex[]
  readonly curve: Omit<Curve, 'id'>
  /** True if the set is only shown to the pool, in a preflight that decides whether it is stored. */
  readonly isPending?: true | undefined
}

/** Creates the entry of a set. */
export function createJournalEntry(
  set: NoteSet,
  { domain, curve }: { domain: NoteDomain; curve: Curve },
): JournalEntry {
  return { domain, set, digests: set.notes.map((note) => hashNote(note, domain)), curve }
}

export function isSameDomain(a: NoteDomain, b: NoteDomain): boolean {
  return a.verifyingContract === b.verifyingContract && a.name === b.name && a.version === b.version
}

/** Returns the members of a domain that a line has, in their order. */
export function toDomain({ name, version, verifyingContract }: NoteDomain): NoteDomain {
  return { name, version, verifyingContract }
}

export function encodeEntry({ domain, set, digests, curve, isPending }: JournalEntry): Buffer {
  const { period, notes } = set
  return encodeChecksumLine({
    version: isPending ? pendingVersion : version,
    chainId: set.chainId,
    domain: toDomain(domain),
    period: { noteDay: String(period.noteDay), start: String(period.start), end: String(period.end) },
    signer: set.signer,
    issuedAt: String(set.issuedAt),
    curve: {
      chainId: curve.chainId,
      effectiveFrom: String(curve.effectiveFrom),
      points: curve.points,
      confirmed: curve.confirmed,
      source: curve.source,
      provenance: curve.provenance,
      createdBy: curve.createdBy,
      createdAt: String(curve.createdAt),
    },
    notes: notes.map(({ maturityTimestamp, tenorDays, coupon, signature: { r, s, v } }, index) => {
      return { maturity: String(maturityTimestamp), tenorDays, coupon: String(coupon), digest: digests[index], r, s, v }
    }),
  })
}

/** Decodes a line without its line break. Returns undefined if it is damaged or not an entry. */
export function decodeEntry(line: Buffer): JournalEntry | undefined {
  const parsed = entrySchema.safeParse(decodeChecksumLine(line))
  if (!parsed.success) return undefined
  const { chainId, domain, period, signer, issuedAt, curve } = parsed.data
  const notes = parsed.data.notes.map(({ maturity, tenorDays, coupon, r, s, v }) => ({
    chainId,
    tenorDays,
    maturityTimestamp: maturity,
    coupon,
    startedAt: period.noteDay,
    validAfter: period.start - 1n,
    validBefore: period.end,
    signature: { r, s, v },
  }))
  return {
    domain,
    set: { chainId, period, signer, issuedAt, notes },
    digests: parsed.data.notes.map(({ digest }) => digest),
    curve,
    ...(parsed.data.version === pendingVersion && { isPending: true }),
  }
}

const version = 1
// A version of its own, so that software that does not know pending sets reports a damaged line and restores none.
const pendingVersion = 3

// A uint256 has at most 78 digits.
export const uint = z
  .string()
  .regex(/^\d{1,78}$/)
  .transform(BigInt)
export const bytes32 = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/)
  .transform((value) => value as Hex)
const address = z.custom<Hex>((value) => typeof value === 'string' && isAddress(value))

export const domainSchema = z.strictObject({ name: z.string(), version: z.string(), verifyingContract: address })

const entrySchema = z.strictObject({
  version: z.literal([version, pendingVersion]),
  chainId: z.int(),
  domain: domainSchema,
  period: z.strictObject({ noteDay: uint, start: uint, end: uint }),
  signer: address,
  issuedAt: uint,
  curve: z.strictObject({
    chainId: z.int().nullable(),
    effectiveFrom: uint,
    points: z.record(z.string(), z.number()),
    confirmed: z.boolean(),
    source: z.enum(['manual', 'treasury']),
    // Not validated here, so that members added by a later version do not make the journal unreadable.
    provenance: z.custom<CurveProvenance | null>((value) => typeof value === 'object'),
    createdBy: z.string(),
    createdAt: uint,
  }),
  notes: z.array(
    z.strictObject({
      maturity: uint,
      tenorDays: z.int(),
      coupon: uint,
      digest: bytes32,
      r: bytes32,
      s: bytes32,
      v: z.literal([27, 28]),
    }),
  ),
})
