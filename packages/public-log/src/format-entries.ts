import { type CurveEntry, encodeNote, formatLogEntry, type NoteDomain, type NotesEntry } from '@tallystick/core'
import type { Curve, NoteSet } from '@tallystick/issuer'
import { encodeUtf8 } from '@tallystick/tlog'

type Unsalted<Entry extends { readonly salt: string }> = Omit<Entry, 'salt'>

/** Returns the content of the entry of a curve. */
export function curveEntryOf(curve: Omit<Curve, 'id'>): Unsalted<CurveEntry> {
  const { chainId, effectiveFrom, points, source, createdBy, confirmed, createdAt, provenance } = curve
  return {
    v: 1,
    type: 'curve',
    chainid: chainId === null ? null : String(chainId),
    effectiveFrom: String(effectiveFrom),
    points: Object.fromEntries(Object.entries(points).map(([tenor, bps]) => [tenor, String(bps)])),
    source,
    setBy: createdBy,
    confirmed,
    createdAt: String(createdAt),
    provenance,
  }
}

/** Returns the content of the entry of a set. `curveIndex` is the index of its curve's entry. */
export function notesEntryOf(
  { chainId, period, signer, issuedAt, notes }: NoteSet,
  { domain, curveIndex }: { readonly domain: NoteDomain; readonly curveIndex: number },
): Unsalted<NotesEntry> {
  const { name, version, verifyingContract } = domain
  return {
    v: 1,
    type: 'notes',
    chainid: String(chainId),
    pool: verifyingContract,
    domain: { name, version, chainId, verifyingContract },
    period: { start: String(period.start), end: String(period.end), noteDay: String(period.noteDay) },
    signer,
    curve: curveIndex,
    issuedAt: String(issuedAt),
    notes: notes.map(encodeNote),
  }
}

type OfferedChain = {
  readonly chainId: number
  readonly domain: NoteDomain
  readonly tenors: readonly number[]
}

/** Returns the most bytes that the entry of a set can have. */
export function notesEntryBytesMax({ chainId, domain, tenors }: OfferedChain): number {
  const bytes32 = `0x${'f'.repeat(64)}` as const
  // Timestamps have 10 digits until the year 2286, and a coupon is at most 10,000 bps.
  const at = 9_999_999_999n
  const period = { start: at, end: at, noteDay: at }
  const signature = { r: bytes32, s: bytes32, v: 28 } as const
  const times = { maturityTimestamp: at, startedAt: at, validAfter: at, validBefore: at }
  const notes = tenors.map((tenorDays) => ({ chainId, tenorDays, coupon: 10_000n, ...times, signature }))
  const set = { chainId, period, signer: domain.verifyingContract, curveId: 0n, issuedAt: at, notes }
  // An index has 9 digits after a billion entries.
  const entry = notesEntryOf(set, { domain, curveIndex: 999_999_999 })
  return encodeUtf8(formatLogEntry({ ...entry, salt: 'f'.repeat(32) })).length
}

/** Returns whether two entries have the same content, whatever their salts and the order of their members. */
export function isSameContent(a: object, b: object): boolean {
  return canonicalOf({ ...a, salt: '' }) === canonicalOf({ ...b, salt: '' })
}

function canonicalOf(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}
