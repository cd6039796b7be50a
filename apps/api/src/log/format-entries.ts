import { encodeNote } from '@tallystick/core'
import type { CurveEntry, NotesEntry } from '@tallystick/core/transparency/log-entry'
import type { ChainConfig } from '../config.ts'
import type { Curve } from '../notes/curve/curve.ts'
import type { NoteSet } from '../notes/note-set.ts'

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
  { domain, curveIndex }: { readonly domain: ChainConfig['domain']; readonly curveIndex: number },
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
